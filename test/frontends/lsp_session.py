#!/usr/bin/env python3
"""A conversation with spmd-clangd, as a script: opens a file and makes one
request after another, each an argument. What comes back is printed as a reader
would want to see it.

  hover:L:C  hints  hints:tp  lenses  write:L  annotate:L:C  symbols
  complete:L:C[:text typed there]  actions:L:C  fixall  flow:L:C  status
  explain:CHECK  save:FILE=TEXT (and say so)  watch:FILE=TEXT  type:L:C:TEXT
"""

import json
import pathlib
import sys

from lsp_client import Server, apply, show, show_place, TIMEOUT

CAPABILITIES = {
    "workspace": {"applyEdit": True, "didChangeWatchedFiles": {"dynamicRegistration": True},
                  "inlayHint": {"refreshSupport": True}},
    "window": {"showDocument": {"support": True}},
    "textDocument": {
        "hover": {"contentFormat": ["plaintext"]},
        "publishDiagnostics": {"relatedInformation": True, "codeDescriptionSupport": True,
                               "versionSupport": True},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
                       "isPreferredSupport": True}}}


def position(line, column):
    return {"line": int(line) - 1, "character": int(column) - 1}


class Conversation:
    def __init__(self, server, path, options):
        self.path, self.uri = path, path.as_uri()
        self.text, self.version = path.read_text(), 1
        self.server = Server([server, "--background-index=false", "--log=error"])
        capable = self.server.request("initialize", {
            "processId": None, "rootUri": path.parent.as_uri(), "capabilities": CAPABILITIES,
            "initializationOptions": {"spmd": options}})["capabilities"]
        self.commands = capable["executeCommandProvider"]["commands"]
        self.server.send("initialized", {})
        self.server.send("textDocument/didOpen", {"textDocument": {
            "uri": self.uri, "languageId": "cpp", "version": 1, "text": self.text}})
        self.diagnostics = self.server.diagnostics(self.uri, 1)

    def ask(self, method, **params):
        return self.server.request(method, {"textDocument": {"uri": self.uri}, **params})

    def change(self, text, edit=None):
        self.text, self.version = text, self.version + 1
        self.server.send("textDocument/didChange", {
            "textDocument": {"uri": self.uri, "version": self.version},
            "contentChanges": [edit or {"text": text}]})
        self.diagnostics = self.server.diagnostics(self.uri, self.version)

    def whole(self):
        return {"start": position(1, 1), "end": position(self.text.count("\n") + 1, 1)}

    def hover(self, line, column):
        reply = self.ask("textDocument/hover", position=position(line, column))
        print(reply["contents"]["value"] if reply else "nothing")

    def hints(self, axes=None):
        if axes is not None:
            wanted = axes.split(",") if axes not in ("on", "off") else axes == "on"
            self.server.send("workspace/didChangeConfiguration",
                             {"settings": {"spmd": {"inlayHints": wanted}}})
            self.asked_by_server("workspace/inlayHint/refresh")
        for hint in self.ask("textDocument/inlayHint", range=self.whole()):
            parts = hint["label"]
            if isinstance(parts, str):
                continue
            label = "".join(p["value"] for p in parts)
            if label.startswith("["):
                print(f"{show_place(hint['position'])}: {label}")
                for why in filter(None, (p.get("tooltip") for p in parts)):
                    print(f"  {why}")

    def lenses(self):
        for lens in self.ask("textDocument/codeLens"):
            print(f"{show_place(lens['range']['start'])}: {lens['command']['title']}")

    def asked_by_server(self, method):
        message = self.server.wait(lambda m: m.get("method") == method, method)
        self.server.answer(message["id"], {"applied": True})
        return message["params"]

    def execute(self, command, *arguments):
        self.server.send("workspace/executeCommand",
                         {"command": command, "arguments": list(arguments)}, request=True)
        return self.server.next_id

    def write(self, line):
        self.execute("spmd.writeAnnotations", {"uri": self.uri, "line": int(line) - 1})
        self.edited(self.asked_by_server("workspace/applyEdit")["edit"])

    def write_nothing(self, line):
        self.execute("spmd.writeAnnotations", {"uri": self.uri, "line": int(line) - 1})
        wanted = self.server.next_id
        print(self.server.wait(lambda m: m.get("id") == wanted and "method" not in m,
                               "reply")["result"], "edits")

    def edited(self, edit):
        text = apply(self.text, edit["changes"][self.uri])
        before, after = self.text.splitlines(), text.splitlines()
        for line in after:
            if line in before:
                before.remove(line)
            else:
                print(f"| {line}")
        self.change(text)
        show(self.diagnostics)

    def annotate(self, line, column):
        self.act(position(line, column), "refactor.rewrite")

    def symbols(self, found=None, depth=0):
        found = self.ask("textDocument/documentSymbol") if found is None else found
        for symbol in found:
            print(f"{'  ' * depth}{symbol['name']}: {symbol.get('detail', '')}")
            self.symbols(symbol.get("children", []), depth + 1)

    def complete(self, line, column, typed=""):
        at = position(line, column)
        if typed:
            self.server.send("textDocument/didChange", {
                "textDocument": {"uri": self.uri, "version": self.version},
                "contentChanges": [{"range": {"start": at, "end": at}, "text": typed}]})
            at = {"line": at["line"], "character": at["character"] + len(typed)}
        context = {"triggerKind": 2, "triggerCharacter": typed[-1]} if typed else {"triggerKind": 1}
        reply = self.ask("textDocument/completion", position=at, context=context)
        items = reply["items"] if isinstance(reply, dict) else reply
        for item in items[:8]:
            print(f"{item['label']}: {item.get('insertText', item['label'])!r}")
        if not items:
            print("nothing")

    def act(self, at, only=None):
        context = {"diagnostics": self.diagnostics, **({"only": [only]} if only else {})}
        actions = self.ask("textDocument/codeAction", range={"start": at, "end": at},
                           context=context)
        for action in actions:
            print(f"{action.get('kind')}: {action['title']}"
                  f"{' (preferred)' if action.get('isPreferred') else ''}")
            if only and "edit" in action:
                self.edited(action["edit"])
        return actions

    def actions(self, line, column):
        self.act(position(line, column))

    def accept(self, line, column):
        at = position(line, column)
        for action in self.ask("textDocument/codeAction", range={"start": at, "end": at},
                               context={"diagnostics": self.diagnostics}):
            if action["title"].startswith("accept"):
                return self.edited(action["edit"])

    def fixall(self):
        self.act(position(1, 1), "source.fixAll")

    def flow(self, line, column):
        graph = self.ask("spmd/typeFlow", position=position(line, column))
        if not graph:
            print("nothing")
            return
        print(graph["function"])
        nodes = graph["nodes"]
        for number, node in enumerate(nodes):
            types = ", ".join(f"{a}: {t}" for a, t in node["types"].items())
            operands = [nodes[e["from"]]["label"] for e in graph["edges"] if e["to"] == number]
            print(f"  {node['kind']} {node['label']}({', '.join(operands)}) {types}"
                  f"{' | ' + node['detail'] if node['detail'] else ''}")

    def status(self):
        reply = self.ask("spmd/status")
        reply.pop("uri")
        print(json.dumps(reply, sort_keys=True))

    def explain(self, check):
        self.execute("spmd.explain", check)
        page = self.asked_by_server("window/showDocument")["uri"]
        print(pathlib.PurePosixPath(page).name)

    def written(self, what):
        name, text = what.split("=", 1)
        path = self.path.parent / name
        path.write_text(text.replace("\\n", "\n"))
        return path.as_uri()

    def save(self, what):
        self.written(what)
        self.server.send("textDocument/didSave", {"textDocument": {"uri": self.uri}})
        self.again()

    def watch(self, what):
        self.server.send("workspace/didChangeWatchedFiles",
                         {"changes": [{"uri": self.written(what), "type": 2}]})
        self.again()

    def again(self):
        self.diagnostics = self.server.diagnostics(self.uri, self.version)
        show(self.diagnostics)

    def type(self, line, column, text):
        at = position(line, column)
        edit = {"range": {"start": at, "end": at}, "newText": text}
        self.change(apply(self.text, [edit]), {"range": edit["range"], "text": text})
        show(self.diagnostics)


def main():
    server, file, *requests = sys.argv[1:]
    options = {}
    if requests and requests[0].startswith("{"):
        options = json.loads(requests.pop(0))
    talk = Conversation(server, pathlib.Path(file).resolve(), options)
    try:
        for request in requests:
            name, *arguments = request.split(":", 3 if request[0] in "ct" else 2)
            if name in ("save", "watch"):
                arguments = [request.split(":", 1)[1]]
            print(f"-- {request}")
            getattr(talk, name.replace("-", "_"))(*arguments)
        talk.server.request("shutdown", None)
        talk.server.send("exit", None)
        code = talk.server.process.wait(timeout=TIMEOUT)
        if code:
            sys.exit(f"the server ended with {code}")
    finally:
        talk.server.process.kill()


if __name__ == "__main__":
    main()
