"""As much of a registry as npm asks when it installs: packages from a folder, on this machine."""

import base64
import contextlib
import hashlib
import http.server
import json
import tarfile
import threading
import urllib.parse


def described(archive):
    with tarfile.open(archive) as opened:
        return json.load(opened.extractfile("package/package.json"))


@contextlib.contextmanager
def registry(archives):
    """The address of one that serves the archives while the context lasts."""
    known = {described(archive)["name"]: archive for archive in archives}

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            path = urllib.parse.unquote(self.path).lstrip("/")
            if path in known:
                self.answer(json.dumps(self.metadata(path)).encode(), "application/json")
            elif path.startswith("-/"):
                self.answer(known[path[2:]].read_bytes(), "application/octet-stream")
            else:
                self.send_error(404)

        def metadata(self, name):
            package = described(known[name])
            sum512 = hashlib.sha512(known[name].read_bytes()).digest()
            package["dist"] = {
                "tarball": f"http://{self.headers['Host']}/-/{urllib.parse.quote(name, safe='')}",
                "integrity": "sha512-" + base64.b64encode(sum512).decode()}
            version = package["version"]
            return {"name": name, "dist-tags": {"latest": version}, "versions": {version: package}}

        def answer(self, body, kind):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
