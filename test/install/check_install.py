#!/usr/bin/env python3
"""Installs the build tree, moves what was installed, and uses it as others would: by find_package
and by pkg-config, with every compiler that is there, and the linter from its new place."""

import argparse
import os
import pathlib
import shutil
import subprocess
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
CONSUMER = HERE / "consumer"
LINTED = """
#include <spmd/spmd.h>
#include <nccl.h>
#include <cuda_runtime.h>
void f([[spmd::axis("tp")]] ncclComm_t tp, [[spmd::type("tp: R")]] float *x, cudaStream_t s) {
  ncclAllReduce(x, x, 4, ncclFloat, ncclSum, tp, s);
}
"""


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=600, **options)
    return done.returncode, done.stdout


class Installed(unittest.TestCase):
    build = None
    compilers = []

    @classmethod
    def setUpClass(cls):
        cls.work = cls.build / "test-install"
        shutil.rmtree(cls.work, ignore_errors=True)
        cls.work.mkdir()
        for part in ("tools", "runtime", "dev"):
            code, text = run(cls.cmake, "--install", cls.build, "--prefix", cls.work / "first",
                             "--component", part)
            assert code == 0, text
        cls.prefix = (cls.work / "first").rename(cls.work / "moved")
        package = next(cls.prefix.rglob("spmdConfig.cmake")).parent
        cls.pkgconfig = next(cls.prefix.rglob("spmd.pc")).parent
        cls.components = [name for name in ("mpi", "torch", "nccl")
                          if (package / f"spmd-{name}Targets.cmake").exists()]

    def expect(self, *command, **options):
        code, text = run(*command, **options)
        self.assertEqual(0, code, f"{' '.join(map(str, command))}\n{text}")
        return text

    def packaged(self, *modules):
        where = dict(os.environ, PKG_CONFIG_PATH=str(self.pkgconfig))
        return self.expect("pkg-config", "--cflags", "--libs", *modules, env=where).split()

    def found_at_run_time(self):
        """-lspmd is the shared library, in a prefix of its own."""
        return [f"-Wl,-rpath,{self.pkgconfig.parent}"]

    def components_for(self, compiler):
        """libtorch's headers take long to compile, and their flags are those of all compilers."""
        return [name for name in self.components
                if name != "torch" or compiler == self.compilers[-1]]

    def configure(self, name, *options):
        return run(self.cmake, "-S", CONSUMER, "-B", self.work / name, "-G", self.generator,
                   f"-DCMAKE_PREFIX_PATH={self.prefix}", *options)

    def test_nothing_names_the_build(self):
        for path in [*self.prefix.rglob("*.cmake"), *self.prefix.rglob("*.pc"),
                     *self.prefix.rglob("*.h")]:
            text = path.read_text()
            for place in (self.build, SOURCE, self.work / "first"):
                self.assertNotIn(str(place) + "/", text, path)

    def test_find_package(self):
        for compiler in self.compilers:
            with self.subTest(compiler=compiler):
                name = f"cmake-{pathlib.Path(compiler).name}"
                code, text = self.configure(name, f"-DCMAKE_CXX_COMPILER={compiler}",
                                            f"-DWITH={';'.join(self.components_for(compiler))}")
                self.assertEqual(0, code, text)
                self.expect(self.cmake, "--build", self.work / name, "--parallel", "2")
                for program in ("core", *self.components_for(compiler)):
                    if program != "mpi":
                        self.expect(self.work / name / program)

    def test_pkg_config(self):
        for compiler in self.compilers:
            for component in ("core", *self.components_for(compiler)):
                with self.subTest(compiler=compiler, component=component):
                    module = "spmd" if component == "core" else f"spmd-{component}"
                    program = self.work / f"pc-{pathlib.Path(compiler).name}-{component}"
                    self.expect(compiler, "-std=c++17", CONSUMER / f"{component}.cpp", "-o", program,
                                *self.packaged(module), *self.found_at_run_time())
                    if component != "mpi":
                        self.expect(program)

    def test_mpi_program_runs(self):
        if "mpi" not in self.components:
            self.skipTest("built without MPI")
        program = self.work / "mpi-program"
        self.expect(self.compilers[0], "-std=c++17", CONSUMER / "mpi.cpp", "-o", program,
                    *self.packaged("spmd-mpi"), *self.found_at_run_time())
        self.expect(self.mpiexec, "-n", "2", program)

    def test_version_and_components_are_checked(self):
        code, text = self.configure("unknown", "-DWITH=opencl")
        self.assertNotEqual(0, code)
        self.assertIn("the components are spmd, torch, mpi and nccl", text)
        where = dict(os.environ, PKG_CONFIG_PATH=str(self.pkgconfig))
        self.assertNotEqual(0, run("pkg-config", "--exists", "spmd >= 99", env=where)[0])

    def test_runtime_builds_without_llvm(self):
        alone = self.work / "alone"
        off = [f"-DSPMD_USE_{name}=OFF" for name in ("TORCH", "MPI", "CUDA")]
        self.expect(self.cmake, "-S", SOURCE, "-B", alone, "-G", self.generator, *off,
                    "-DSPMD_RUNTIME_ONLY=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON",
                    f"-DCMAKE_CXX_COMPILER={self.compilers[0]}")
        self.expect(self.cmake, "--build", alone, "--parallel", "2")
        self.expect(self.cmake, "--install", alone, "--prefix", self.work / "alone-installed")
        self.assertTrue(list((self.work / "alone-installed").rglob("libspmd.a")))

    def test_flight_tool_runs(self):
        self.assertIn("diff", self.expect(self.prefix / "bin" / "spmd-flight", "--help"))

    def test_ir_tool_runs(self):
        self.assertIn("usage", run(self.prefix / "bin" / "spmd-ir", "--help")[1])

    def test_linter_works_from_its_new_place(self):
        tool = self.prefix / "bin" / "spmd-tidy"
        if not tool.exists():
            self.skipTest("built without the linter")
        folder = self.work / "linted"
        folder.mkdir()
        (folder / "contract.h").write_text('void g([[spmd::type("tp: P")]] float *x);\n')
        (folder / ".spmd-tidy").write_text("Contracts: [contract.h]\n")
        for name in ("a.cpp", "a.cu"):
            (folder / name).write_text(LINTED + "void h([[spmd::type(\"tp: R\")]] float *x) { g(x); }\n")
            code, text = run(tool, "--no-cache", folder / name, "--", "-H",
                             env=dict(os.environ, CUDA_HOME="/nonexistent"))
            self.assertEqual(1, code, text)
            for check in ("spmd-src-type", "spmd-contract"):
                self.assertIn(f"[{check}]", text)
            for header in ("lib/spmd-tidy/include/spmd/spmd.h", "share/spmd-tidy/cuda-stubs/nccl.h"):
                self.assertIn(f"{self.prefix}/{header}", text)
            self.assertNotIn(f"{SOURCE}/runtime", text)
            self.assertNotIn(f"{SOURCE}/lint", text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--generator", default="Ninja")
    parser.add_argument("--mpiexec", default="mpiexec")
    arguments, rest = parser.parse_known_args()
    Installed.build = arguments.build.resolve()
    Installed.cmake = arguments.cmake
    Installed.generator = arguments.generator
    Installed.mpiexec = arguments.mpiexec
    Installed.compilers = list(filter(None, map(shutil.which, ("g++", "clang++-22"))))
    unittest.main(argv=["check_install.py", *rest])
