#!/usr/bin/env python3
"""spmd-clangd in real editors: neovim and emacs in batch mode, and VS Code's own
workbench (code-server) with the extension, in headless Chromium; the schema of
.spmd-tidy in the server of its YAML extension. What they need
from npm is put into the build folder once; pictures stay there."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

import schema

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]

STEP = """#include <spmd/torch.h>
#include <torch/torch.h>

at::Tensor step([[spmd::type("tp: P")]] const at::Tensor &y,
                [[spmd::axis("tp")]] const spmd::Axis &tp) {
  return y.relu();
}

at::Tensor mlp([[spmd::type("tp: R")]] const at::Tensor &x,
               [[spmd::type("tp: S(0)")]] at::Tensor w,
               [[spmd::type("tp: P")]] const at::Tensor &q,
               [[spmd::axis("tp")]] const spmd::Axis &tp) {
  auto up = at::matmul(x, w);
  auto h = at::relu(up);
  return h + spmd::all_reduce(q, tp, spmd::P, spmd::R);
}
"""


def make_workspace(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "step.cpp").write_text(STEP)
    (folder / "other.cpp").write_text(STEP.split("at::Tensor mlp")[0])
    (folder / ".spmd-tidy").write_text("Mesh: {tp: 4}\n")
    (folder / ".clang-tidy").write_text("Checks: '-*'\n")
    (folder / "compile_flags.txt").write_text("\n".join(
        f"-isystem\n{SOURCE / include}"
        for include in ("test/stubs", "runtime/include", "rules/types/include")) + "\n-std=c++20\n")
    return folder


def npm(folder, *arguments):
    subprocess.run(["npm", *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def link(target, at):
    if at.is_symlink() or at.exists():
        at.unlink()
    at.symlink_to(target)


def install_code_server(folder):
    """A plain install builds native modules that only a desktop needs, and fails on
    one of them."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "vscode" / "package.json", folder)
    server = folder / "node_modules" / "code-server"
    ready = folder / "installed"
    if ready.exists():
        return server
    npm(folder, "install", "--ignore-scripts")
    code = server / "lib" / "vscode"
    for part in (code, code / "extensions"):
        npm(part, "install", "--omit=dev", "--ignore-scripts")
        link("node_modules", part / "node_modules.asar")
    npm(folder, "rebuild", "argon2")
    link("code-linux.sh", code / "bin" / "remote-cli" / "code-server")
    link("browser-linux.sh", code / "bin" / "helpers" / "browser.sh")
    ripgrep = code / "node_modules" / "@vscode" / "ripgrep" / "bin"
    ripgrep.mkdir(parents=True, exist_ok=True)
    if found := shutil.which("rg"):
        link(found, ripgrep / "rg")
    ready.touch()
    return server


def package_extension(folder):
    extension = folder / "vscode-extension"
    shutil.copytree(SOURCE / "vscode-extension", extension, dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("node_modules", "out", "*.vsix"))
    lint = folder / "lint"
    lint.mkdir(exist_ok=True)
    shutil.copy(SOURCE / "lint" / "spmd-tidy.schema.json", lint)
    if not (extension / "node_modules").exists():
        npm(extension, "ci", "--ignore-scripts")
    subprocess.run(["npm", "test"], cwd=extension, check=True, stdout=subprocess.DEVNULL)
    npm(extension, "run", "package")
    return extension / "spmd-tidy.vsix"


def package_with_vsce(work, folder):
    vsix = work / f"{folder.name}.vsix"
    subprocess.run([str(work / "vscode-extension/node_modules/.bin/vsce"), "package", "--no-dependencies",
                    "--allow-missing-repository", "--skip-license", "-o", str(vsix)],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return vsix


def slow_tools(build, folder):
    """A server with a command line tool beside it that does not end by itself."""
    folder.mkdir(exist_ok=True)
    link(build / "bin" / "spmd-clangd", folder / "spmd-clangd")
    tool = folder / "spmd-tidy"
    tool.write_text('#!/bin/sh\necho $$ > "${0%/*}/runs"\necho "2/5 files, 9 s left: a.cpp" >&2\nexec sleep 600\n')
    tool.chmod(0o755)
    (folder / "runs").unlink(missing_ok=True)
    return folder


def strange_workspace(folder):
    """What was downloaded: it names a program of its own as the server."""
    make_workspace(folder)
    server = folder / "server.sh"
    server.write_text(f"#!/bin/sh\ntouch {folder}/was-run\n")
    server.chmod(0o755)
    (folder / ".vscode").mkdir()
    (folder / ".vscode" / "settings.json").write_text(json.dumps({"spmd-tidy.clangd.path": str(server)}))
    return folder


def vscode(build, work):
    server = install_code_server(work / "npm")
    vsix = package_extension(work)
    for old in ("user", "extensions", "results", "pictures"):
        shutil.rmtree(work / old, ignore_errors=True)
    for new in ("results", "pictures", "user/User"):
        (work / new).mkdir(parents=True)
    settings = {"spmd-tidy.clangd.path": str(build / "bin" / "spmd-clangd"),
                "workbench.startupEditor": "none", "security.workspace.trust.startupPrompt": "never",
                "editor.minimap.enabled": False, "git.enabled": False}
    (work / "user" / "User" / "settings.json").write_text(json.dumps(settings))
    others = [package_with_vsce(work, HERE / "vscode" / name) for name in ("host", "rivals/clangd", "rivals/cpptools")]
    for extension in (vsix, *others):
        subprocess.run(["node", str(server / "out/node/entry.js"), "--config", str(work / "config.yaml"),
                        "--user-data-dir", str(work / "user"), "--extensions-dir", str(work / "extensions"),
                        "--install-extension", str(extension)], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    workspaces = {"trusted": make_workspace(work / "workspace"),
                  "restricted": strange_workspace(work / "downloaded")}
    slow_tools(build, work / "slow")
    link(work / "npm" / "node_modules", work / "node_modules")
    (work / "package.json").write_text("{}")
    codes = [subprocess.run(["node", str(HERE / "vscode" / "drive.mjs"), str(work), str(server),
                             shutil.which("chromium"), str(workspace), part]).returncode
             for part, workspace in workspaces.items()]
    return max(codes)


def batch(build, work, command):
    workspace = make_workspace(work / "workspace")
    environment = {**os.environ, "SPMD_CLANGD": str(build / "bin" / "spmd-clangd"),
                   "SPMD_WORKSPACE": str(workspace), "HOME": str(work), "XDG_CACHE_HOME": str(work / "cache")}
    done = subprocess.run(command, cwd=workspace, env=environment, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout.strip())
    return done.returncode or "all steps passed" not in done.stdout


def neovim(build, work):
    return batch(build, work, ["nvim", "--headless", "--clean", "-S", str(HERE / "neovim.lua")])


def emacs(build, work):
    return batch(build, work, ["emacs", "--batch", "-Q", "-l", str(HERE / "emacs.el")])


EDITORS = {"neovim": (neovim, ["nvim"]), "emacs": (emacs, ["emacs"]),
           "yaml": (schema.check, ["node", "npm"]),
           "vscode": (vscode, ["node", "npm", "chromium"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build")
    parser.add_argument("editor", nargs="*", choices=[*EDITORS, []], help="default: all")
    options = parser.parse_args()
    build = options.build.resolve()
    failed = []
    for name in options.editor or EDITORS:
        test, needed = EDITORS[name]
        missing = [n for n in needed if not shutil.which(n)]
        print(f"== {name}", flush=True)
        if missing:
            print(f"not installed: {', '.join(missing)}")
            failed.append(name)
            continue
        work = build / "editors" / name
        work.mkdir(parents=True, exist_ok=True)
        if test(build, work):
            failed.append(name)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
