#!/usr/bin/env python3
"""Drives spmd-clangd over the language server protocol, as an editor would.

Opens a file, prints what is published for it, asks for the quick fixes of the
first finding, applies the first one, and prints what is published then. Every
wait has an end: a server that stays silent is a failure, not a hang.
"""

import argparse
import json
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import threading

TIMEOUT = 60
LEVELS = {1: "error", 2: "warning", 3: "information", 4: "hint"}


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.messages = queue.Queue()
        self.stashed = []
        self.next_id = 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        out = self.process.stdout
        while True:
            length = 0
            while line := out.readline().strip():
                name, value = line.decode().split(":", 1)
                if name.lower() == "content-length":
                    length = int(value)
            if not length:
                self.messages.put(None)
                return
            self.messages.put(json.loads(out.read(length)))

    def send(self, method, params, request=False):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if request:
            self.next_id += 1
            message["id"] = self.next_id
        self.put(message)

    def answer(self, request, result):
        self.put({"jsonrpc": "2.0", "id": request, "result": result})

    def put(self, message):
        body = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def wait(self, wanted, what):
        for i, message in enumerate(self.stashed):
            if wanted(message):
                return self.stashed.pop(i)
        while True:
            try:
                message = self.messages.get(timeout=TIMEOUT)
            except queue.Empty:
                sys.exit(f"the server sent no {what} within {TIMEOUT} s")
            if message is None:
                sys.exit(f"the server ended before its {what}")
            if wanted(message):
                return message
            self.stashed.append(message)

    def request(self, method, params):
        self.send(method, params, request=True)
        wanted = self.next_id
        reply = self.wait(lambda m: m.get("id") == wanted and "method" not in m, f"{method} reply")
        if "error" in reply:
            sys.exit(f"{method}: {reply['error']['message']}")
        return reply["result"]

    def diagnostics(self, uri, version):
        def wanted(m):
            return (m.get("method") == "textDocument/publishDiagnostics" and
                    m["params"]["uri"] == uri and m["params"].get("version") == version)
        return self.wait(wanted, f"diagnostics of version {version}")["params"]["diagnostics"]


def show_place(place):
    return f"{place['line'] + 1}:{place['character'] + 1}"


def show(diagnostics, links=False):
    for d in diagnostics:
        print(f"{show_place(d['range']['start'])}-{show_place(d['range']['end'])}: "
              f"{LEVELS[d['severity']]}: {d['source']}: {d.get('code', '')}: {d['message'].splitlines()[0]}")
        if links and (link := d.get("codeDescription", {}).get("href")):
            print(f"  page: {link}")
        for related in d.get("relatedInformation", []):
            print(f"  {show_place(related['location']['range']['start'])}: {related['message']}")
    if not diagnostics:
        print("no findings")


def apply(text, edits):
    lines = text.splitlines(keepends=True)

    def offset(place):
        return sum(map(len, lines[:place["line"]])) + place["character"]
    for edit in sorted(edits, key=lambda e: offset(e["range"]["start"]), reverse=True):
        start, end = (offset(edit["range"][k]) for k in ("start", "end"))
        text = text[:start] + edit["newText"] + text[end:]
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("server")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--hover", metavar="LINE:COLUMN", help="also show the hover there")
    parser.add_argument("--links", action="store_true", help="also show where codes lead")
    parser.add_argument("--findings-only", action="store_true", help="ask for no fixes")
    parser.add_argument("--elsewhere", action="store_true",
                        help="open a copy in a folder below which there is no project")
    options = parser.parse_args()

    path = options.file.resolve()
    if options.elsewhere:
        with tempfile.TemporaryDirectory() as folder:
            talk(options, pathlib.Path(shutil.copy(path, folder)))
    else:
        talk(options, path)


def talk(options, path):
    uri, text = path.as_uri(), path.read_text()
    server = Server([options.server, "--background-index=false", "--log=error"])
    try:
        converse(server, path, uri, text, options)
    finally:
        server.process.kill()


def converse(server, path, uri, text, options):
    capabilities = {"textDocument": {
        "publishDiagnostics": {"relatedInformation": True, "codeDescriptionSupport": True, "versionSupport": True},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}}}
    server.request("initialize", {"processId": None, "rootUri": path.parent.as_uri(),
                                  "capabilities": capabilities})
    server.send("initialized", {})
    server.send("textDocument/didOpen", {"textDocument": {
        "uri": uri, "languageId": "cuda" if path.suffix == ".cu" else "cpp",
        "version": 1, "text": text}})
    diagnostics = server.diagnostics(uri, 1)
    show(diagnostics, options.links)

    if options.hover:
        line, column = (int(n) - 1 for n in options.hover.split(":"))
        hover = server.request("textDocument/hover", {
            "textDocument": {"uri": uri}, "position": {"line": line, "character": column}})
        print("hover:", hover["contents"]["value"].splitlines()[0] if hover else "nothing")

    if diagnostics and not options.findings_only:
        actions = server.request("textDocument/codeAction", {
            "textDocument": {"uri": uri}, "range": diagnostics[0]["range"],
            "context": {"diagnostics": diagnostics[:1]}})
        fixes = [a for a in actions if a.get("kind") == "quickfix"]
        for action in fixes:
            print("quick fix:", action["title"])
        if fixes:
            text = apply(text, fixes[0]["edit"]["changes"][uri])
            server.send("textDocument/didChange", {
                "textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": text}]})
            print("after the first:")
            show(server.diagnostics(uri, 2))

    server.request("shutdown", None)
    server.send("exit", None)
    code = server.process.wait(timeout=TIMEOUT)
    if code:
        sys.exit(f"the server ended with {code}")


if __name__ == "__main__":
    main()
