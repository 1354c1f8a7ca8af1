#!/usr/bin/env python3
"""Installs the npm packages as people do, from files and from a registry, with no network and with
no other spmd-tidy on PATH; then runs pre-commit's hooks over them on a repository of its own."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from npm_registry import registry

SOURCE = pathlib.Path(__file__).resolve().parents[2]
WRONG = """#include <spmd/torch.h>
#include <torch/torch.h>

at::Tensor step([[spmd::type("tp: P")]] const at::Tensor &x,
                [[spmd::axis("tp")]] const spmd::Axis &tp) {
  return x.relu();
}
"""
RIGHT = WRONG.replace("x.relu()", "spmd::all_reduce(x, tp, spmd::P, spmd::R).relu()")


class Npm(unittest.TestCase):
    packages = work = None

    def setUp(self):
        self.here = self.work / self.id().rsplit(".", 1)[-1]
        shutil.rmtree(self.here, ignore_errors=True)
        self.here.mkdir(parents=True)
        (self.here / "package.json").write_text('{"private": true}')
        # npm's own programs and the system's; nothing that is built here.
        self.environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.here),
            "npm_config_cache": str(self.here / "npm-cache"), "npm_config_update_notifier": "false",
            "npm_config_audit": "false", "npm_config_fund": "false"}
        self.main, = self.packages.glob("spmd-tidy-[0-9]*.tgz")
        self.platform, = self.packages.glob("spmd-tidy-linux-x64-*.tgz")

    def run_in(self, *command, code=0, folder=None, **more):
        done = subprocess.run([str(word) for word in command], cwd=folder or self.here, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
                              env=self.environment | more)
        self.assertEqual(code, done.returncode, f"{command}\n{done.stdout}")
        return done.stdout

    def test_from_files_without_network(self):
        self.run_in("npm", "install", "--offline", self.main, self.platform)
        self.assertIn("spmd-tidy 0.", self.run_in("npx", "spmd-tidy", "--version"))
        self.assertIn("clangd version", self.run_in("npx", "spmd-clangd", "--version"))
        (self.here / "a.cpp").write_text('void f([[spmd::type("tp: X")]] float *y);\n')
        found = self.run_in("npx", "spmd-tidy", "a.cpp", code=1)
        self.assertIn("expected R, I, V, P or S(dim), got 'X'", found)

    def test_from_a_registry_npm_takes_what_fits(self):
        with registry([self.main, self.platform]) as address:
            self.run_in("npm", "install", "spmd-tidy", npm_config_registry=address)
        self.assertIn("spmd-tidy 0.", self.run_in("npx", "spmd-tidy", "--version"))

    def test_without_the_programs_it_says_so(self):
        with registry([self.main]) as address:
            self.run_in("npm", "install", "--omit=optional", "spmd-tidy",
                        npm_config_registry=address)
        self.assertIn("@spmd-tidy/linux-x64 is missing: install without --omit=optional",
                      self.run_in("npx", "spmd-tidy", "--version", code=2))

    def test_nothing_runs_at_installation(self):
        for package in (self.main, self.platform):
            text = subprocess.run(["tar", "-xOf", package, "package/package.json"], text=True,
                                  capture_output=True, check=True).stdout
            self.assertNotIn('"scripts"', text)

    def git(self, folder, *command, code=0, **more):
        return self.run_in("git", "-c", "user.name=tester", "-c", "user.email=tester@example.org",
                           "-c", "init.defaultBranch=main", *command, folder=folder, code=code,
                           GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="protocol.file.allow",
                           GIT_CONFIG_VALUE_0="always", **more)

    def test_hooks_of_a_stranger(self):
        if not shutil.which("pre-commit"):
            self.skipTest("pre-commit is not installed")
        hooks, trainer = self.here / "hooks", self.here / "trainer"
        for name in (".pre-commit-hooks.yaml", "package.json", "packaging/npm"):
            target = hooks / name
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (SOURCE / name).is_dir() else shutil.copy)(SOURCE / name, target)
        self.git(hooks, "init", "-q")
        self.git(hooks, "add", "-A")
        self.git(hooks, "commit", "-qm", "hooks")
        revision = self.git(hooks, "rev-parse", "HEAD").strip()

        trainer.mkdir()
        self.git(trainer, "init", "-q")
        (trainer / "compile_flags.txt").write_text(f"-I{SOURCE}/test/stubs\n-std=c++17\n")

        def configure(hook):
            sample = (SOURCE / "docs/ci/pre-commit.yaml").read_text()
            (trainer / ".pre-commit-config.yaml").write_text(
                sample.replace("https://git.example.org/spmd-tidy", str(hooks))
                .replace("v0.1.0", revision).replace("id: spmd-tidy", f"id: {hook}"))

        def commit(code):
            self.git(trainer, "add", "-A")
            return self.git(trainer, "commit", "-m", "step", code=code,
                            PRE_COMMIT_HOME=str(self.here / "home"), npm_config_registry=address)

        with registry([self.main, self.platform]) as address:
            configure("spmd-tidy")
            self.run_in("pre-commit", "install", folder=trainer)
            (trainer / "step.cpp").write_text(WRONG)
            blocked = commit(1)
            self.assertRegex(blocked, r"spmd-tidy\.+Failed")
            self.assertIn("[spmd-partial-nonlinear]", blocked)
            (trainer / "step.cpp").write_text(RIGHT)
            self.assertRegex(commit(0), r"spmd-tidy\.+Passed")
            configure("spmd-tidy-fix")
            (trainer / "other.cpp").write_text(WRONG)
            self.assertIn("files were modified by this hook", commit(1))
            self.assertEqual(RIGHT, (trainer / "other.cpp").read_text())
            self.assertRegex(commit(0), r"spmd-tidy --fix\.+Passed")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    arguments, rest = parser.parse_known_args()
    if not arguments.packages.is_dir():
        print("skipped: ./x package has made nothing here")
        sys.exit()
    Npm.packages = arguments.packages.resolve()
    Npm.work = (arguments.work / "npm").resolve()
    unittest.main(argv=["check_npm.py", *rest])
