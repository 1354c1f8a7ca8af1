"""The schema of .spmd-tidy, as the server behind VS Code's YAML extension reads it."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
sys.path.append(str(SOURCE / "test" / "frontends"))

from lsp_client import Server  # noqa: E402

WRONG = """Mesh: {tp: 4}
Chekcs: spmd-*
Severity:
  spmd-contract: fatal
"""
BEGUN = "Mesh: {tp: 4}\n\n"


def settings_for(server, uri):
    """It asks for its settings, once for each section."""
    asked = server.wait(lambda m: m.get("method") == "workspace/configuration", "question for settings")
    schemas = {"schemas": {(SOURCE / "lint/spmd-tidy.schema.json").as_uri(): uri},
               "schemaStore": {"enable": False}, "validate": True, "completion": True}
    server.answer(asked["id"], [schemas if item.get("section") == "yaml" else {}
                                for item in asked["params"]["items"]])


def findings(server, uri):
    server.send("textDocument/didOpen", {"textDocument": {
        "uri": uri, "languageId": "yaml", "version": 1, "text": WRONG}})
    found = server.wait(lambda m: m.get("method") == "textDocument/publishDiagnostics" and
                        m["params"]["diagnostics"], "finding")
    return "\n".join(d["message"] for d in found["params"]["diagnostics"])


def completions(server, uri):
    server.send("textDocument/didChange", {
        "textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": BEGUN}]})
    reply = server.request("textDocument/completion", {
        "textDocument": {"uri": uri}, "position": {"line": 1, "character": 0}})
    return [item["label"] for item in reply["items"]]


def check(build, work):
    if not (work / "node_modules").exists():
        (work / "package.json").write_text("{}")
        subprocess.run(["npm", "install", "--ignore-scripts", "yaml-language-server@1.18.0"], cwd=work,
                       check=True, stdout=subprocess.DEVNULL)
    uri = (work / ".spmd-tidy").as_uri()
    server = Server([str(work / "node_modules/.bin/yaml-language-server"), "--stdio"])
    server.request("initialize", {
        "processId": None, "rootUri": work.as_uri(),
        "capabilities": {"workspace": {"configuration": True, "didChangeConfiguration": {"dynamicRegistration": True}},
                         "textDocument": {"completion": {}}}})
    server.send("initialized", {})
    settings_for(server, uri)
    said = findings(server, uri)
    offered = completions(server, uri)
    server.process.kill()
    for what, where in (("Chekcs", said), ("off", said), ("Checks", offered), ("Strict", offered)):
        if what not in where:
            print(f"FAILED: no {what} in {where}")
            return 1
    print(f"ok: findings: {said!r}")
    print(f"ok: completion: {offered}")
    return 0
