"""The built site over HTTP, compressed as GitHub Pages compresses it."""

import gzip
import mimetypes
import threading
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

COMPRESSED = {"text/html", "text/css", "text/javascript", "image/svg+xml"}


def kind_of(path):
    return mimetypes.guess_type(path.name)[0] or "application/octet-stream"


@cache
def body_of(path):
    """What goes over the line for this file."""
    return gzip.compress(path.read_bytes()) if kind_of(path) in COMPRESSED else path.read_bytes()


@contextmanager
def serving(site, asked=None):
    """Serve the folder `site`, and give the address; the files asked for are added to the set `asked`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            name = unquote(urlsplit(self.path).path).lstrip("/")
            if asked is not None:
                asked.add(name)
            path = site / name
            path = path / "index.html" if path.is_dir() else path
            found = path.is_file()
            body = body_of(path) if found else b""
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", kind_of(path))
            if found and kind_of(path) in COMPRESSED:
                self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
