#!/usr/bin/env python3
"""How long an editor waits for spmd-clangd beside stock clangd: for findings
after an edit, for a hover, for inlay hints, for the outline; also in a
file that is longer than any should be, there for the hints of a screen."""

import argparse
import pathlib
import shutil
import statistics
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "test" / "frontends"))
from lsp_client import Server  # noqa: E402


LONG = 2000  # lines, of which editors ask for a part


def timed(act):
    begin = time.perf_counter()
    act()
    return time.perf_counter() - begin


def long_file(folder, functions=300, lines=16):
    path = folder / "long.cpp"
    body = "".join(f"  auto h{n} = at::relu(at::matmul(x, w));\n" for n in range(lines))
    path.write_text("#include <spmd/torch.h>\n" + "".join(
        f"""at::Tensor f{n}([[spmd::type("tp: R")]] const at::Tensor &x, [[spmd::type("tp: S(0)")]] const at::Tensor &w,
  [[spmd::type("tp: P")]] const at::Tensor &q, [[spmd::axis("tp")]] const spmd::Axis &tp) {{
{body}  return h0 + spmd::all_reduce(q, tp, spmd::P, spmd::R);
}}
""" for n in range(functions)))
    return path


class Editor:
    def __init__(self, server, path, build):
        self.server = Server([server, "--background-index=false", "--log=error",
                              f"--compile-commands-dir={build}"])
        self.uri, text = path.as_uri(), path.read_text()
        self.lines = text.count("\n")
        self.server.request("initialize", {
            "processId": None, "rootUri": SOURCE.as_uri(),
            "capabilities": {"textDocument": {
                "publishDiagnostics": {"versionSupport": True},
                "documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}}})
        self.server.send("initialized", {})
        self.server.send("textDocument/didOpen", {"textDocument": {
            "uri": self.uri, "languageId": "cpp", "version": 1, "text": text}})
        self.server.diagnostics(self.uri, 1)

    def edit(self, version):
        end = {"line": self.lines, "character": 0}
        self.server.send("textDocument/didChange", {
            "textDocument": {"uri": self.uri, "version": version},
            "contentChanges": [{"range": {"start": end, "end": end},
                                "text": f"static int edit_{version} = {version};\n"}]})
        self.server.diagnostics(self.uri, version)

    def ask(self, method, **params):
        self.server.request(method, {"textDocument": {"uri": self.uri}, **params})

    def measure(self, edits):
        times = {"findings": [], "hover": [], "hints": [], "outline": []}
        first, last = (0, self.lines) if self.lines < LONG else (self.lines // 2, self.lines // 2 + 120)
        seen = {"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}}
        for version in range(2, edits + 2):
            at = {"line": version * 7 % self.lines, "character": 12}
            times["findings"].append(timed(lambda: self.edit(version)))
            times["hover"].append(timed(lambda: self.ask("textDocument/hover", position=at)))
            times["hints"].append(timed(lambda: self.ask("textDocument/inlayHint", range=seen)))
            times["outline"].append(timed(lambda: self.ask("textDocument/documentSymbol")))
        self.server.process.kill()
        return times


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build")
    parser.add_argument("--edits", type=int, default=50)
    parser.add_argument("file", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    files = options.file or [SOURCE / "examples/zero/train.cpp", SOURCE / "examples/megatron/attention.cpp",
                             long_file(options.build)]
    stock = shutil.which("clangd-22")
    if not stock:
        sys.exit("clangd-22 is not installed: apt-get install clangd-22")
    print(f"milliseconds, median (most) of {options.edits} edits")
    print("| file | server | findings | hover | hints | outline |")
    print("|---|---|---|---|---|---|")
    for path in files:
        path = path.resolve()
        for server in (stock, str(options.build.resolve() / "bin" / "spmd-clangd")):
            times = Editor(server, path, options.build.resolve()).measure(options.edits)
            cells = [f"{1000 * statistics.median(t):.0f} ({1000 * max(t):.0f})"
                     for t in times.values()]
            print(f"| {path.name} | {pathlib.Path(server).name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
