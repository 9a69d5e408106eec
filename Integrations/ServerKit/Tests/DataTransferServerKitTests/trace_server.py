"""A server that responds to each request with the trace context that it has received (W3C Trace Context level 1), as another program reads it.

It prints its port, and ends when its standard input ends.
"""
import http.server
import json
import re
import sys
import threading

TRACEPARENT = re.compile(r"^(?P<version>[0-9a-f]{2})-(?P<trace>[0-9a-f]{32})-(?P<parent>[0-9a-f]{16})-(?P<flags>[0-9a-f]{2})$")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        fields = self.headers.get_all("traceparent") or []
        match = TRACEPARENT.match(fields[0]) if len(fields) == 1 else None
        valid = match and match["version"] == "00" and match["trace"].strip("0") and match["parent"].strip("0")
        body = json.dumps({"trace": match["trace"], "parent": match["parent"]} if valid else {"fields": fields}).encode()
        self.send_response(200 if valid else 400)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
