import os
import platform
import shutil
import subprocess
import sys

import lit.formats

config.name = "spmd-tidy"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cpp", ".cu", ".c", ".h", ".test", ".ir"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.spmd_build_dir, "test", "lit")

source = config.spmd_source_dir
# Stub headers stand in for torch, NCCL, MPI and CUDA: a test parses in
# milliseconds and needs none of them installed. System headers all, as they are
# where they are installed: what a test begins with is not its own code, and is
# parsed once for all tests.
stubs = " ".join(f"-isystem {source}/{folder}"
                 for folder in ("test/stubs", "runtime/include", "rules/types/include"))

# The stock clang-tidy lacks the runtime that a sanitized module needs. In
# spmd-clangd our code and Debian's share LLVM's allocators, and only ours marks
# their memory as used.
stock = client = ""
if config.spmd_sanitized:
    runtime = f"libclang_rt.asan-{platform.machine()}.so"
    found = subprocess.check_output(
        [config.spmd_compiler, f"-print-file-name={runtime}"], text=True
    )
    stock = f"env LD_PRELOAD={found.strip()} "
    client = "env ASAN_OPTIONS=use_sigaltstack=0:allow_user_poisoning=0 "

# Longest names first: lit replaces in order, and %stubs is a prefix of others.
config.substitutions += [
    ("%spmd-clangd", f"{config.spmd_build_dir}/bin/spmd-clangd"),
    ("%clang-tidy", f"{stock}clang-tidy -load {config.spmd_build_dir}/lib/SpmdTidyModule.so"),
    ("%git", "git -c user.name=tester -c user.email=tester@example.org"),
    ("%tools-dir", f"{config.spmd_build_dir}/bin"),
    ("%lsp-client", f"{client}{sys.executable} {source}/test/frontends/lsp_client.py"),
    ("%lsp-session", f"{client}{sys.executable} {source}/test/frontends/lsp_session.py"),
    ("%spmd-tidy", f"{config.spmd_build_dir}/bin/spmd-tidy"),
    ("%spmd-ir", f"{config.spmd_build_dir}/bin/spmd-ir"),
    ("%spmd-query", f"{config.spmd_build_dir}/bin/spmd-query"),
    ("%stubs-dir", f"{source}/test/stubs"),
    ("%stubs", f"{stubs} -std=c++17"),
    ("%runtime-include", f"-I {source}/runtime/include -I {source}/rules/types/include"),
    # CUDA sources with the stubs that ship with the tool, or with a toolkit
    # that Clang may only half know; host side only, as the tool reads them.
    (
        "%cuda-without-toolkit",
        "-x cuda --cuda-host-only --cuda-path=/nonexistent -nocudainc -nocudalib "
        f"-isystem {source}/lint/cuda-stubs -include spmd_cuda_prelude.h",
    ),
    (
        "%cuda-with-toolkit",
        f"-x cuda --cuda-host-only --cuda-path={config.spmd_cuda_path} "
        f"-isystem {config.spmd_cuda_path}/include/cccl "
        f"-idirafter {source}/lint/cuda-stubs -include spmd_cuda_gaps.h",
    ),
    ("%nccl-include", config.spmd_nccl_include),
    ("%mpi-include", " -isystem ".join(config.spmd_mpi_includes)),
    # The real libtorch, where it is installed.
    ("%torch", config.spmd_torch_flags),
    # What is a matter of seconds takes a sanitized build minutes.
    ("%shrink", "8" if config.spmd_sanitized else "1"),
    ("%source-dir", source),
    ("%clangxx", config.spmd_compiler),
]

config.environment["PATH"] = os.pathsep.join(
    [config.spmd_llvm_bin, config.environment.get("PATH", "")]
)
# What is lowered must keep to the IR.
config.environment["SPMD_VERIFY_IR"] = "1"
# A cache left by another run must never decide a test.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")
# Nor may the settings of whoever runs it.
config.environment["XDG_CONFIG_HOME"] = os.path.join(config.test_exec_root, "config")
# Nor the commands of this build, in whose folder the tests run: for a file that
# has none of its own, one of those is chosen, which may be of an example and read
# all of libtorch.
os.makedirs(config.test_exec_root, exist_ok=True)
with open(os.path.join(config.test_exec_root, "compile_commands.json"), "w") as file:
    file.write("[]\n")
# No test asks clangd for names of the standard library, an index of which takes
# each server as long as all else that it does.
clangd = os.path.join(config.test_exec_root, "config", "clangd")
os.makedirs(clangd, exist_ok=True)
with open(os.path.join(clangd, "config.yaml"), "w") as file:
    file.write("Index: {StandardLibrary: No}\n")
# The schema of SARIF, where somebody has it: see test/frontends/sarif.py.
if schema := os.environ.get("SPMD_SARIF_SCHEMA"):
    config.environment["SPMD_SARIF_SCHEMA"] = schema

if os.path.exists(f"{config.spmd_build_dir}/bin/spmd-clangd"):
    config.available_features.add("clangd")
if os.path.exists(f"{config.spmd_llvm_bin}/clang-tidy") and os.path.exists(
    f"{config.spmd_build_dir}/lib/SpmdTidyModule.so"
):
    config.available_features.add("clang-tidy")
if shutil.which("pre-commit"):
    config.available_features.add("pre-commit")
if config.spmd_have_torch:
    config.available_features.add("torch")
if config.spmd_have_nccl:
    config.available_features.add("nccl")
if config.spmd_have_mpi:
    config.available_features.add("mpi")
if config.spmd_have_cuda:
    config.available_features.add("cuda")
