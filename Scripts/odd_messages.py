"""Messages that are the same over HTTP/1.1 and HTTP/2, and the requests of a storm. For Scripts/odd-servers."""
import gzip
import json
import threading
import urllib.parse
import zlib

# Status, fields, body, and its end: "whole" by its length, "close" with the connection in order, "cut" with the connection and nothing else,
# "open" never. A field that is None is left out.

text = b"".join(b"line %d\n" % number for number in range(2000))
coded = gzip.compress(text, mtime=0)
GIGABYTE = 1 << 30
messages = {
    "/text": (200, {}, text, "whole"),
    "/gzip": (200, {"content-encoding": "gzip"}, coded, "whole"),
    "/gzip-members": (200, {"content-encoding": "gzip"}, gzip.compress(text[:5000]) + gzip.compress(text[5000:]), "whole"),
    "/gzip-short": (200, {"content-encoding": "gzip"}, coded[:-9], "whole"),
    "/gzip-empty": (200, {"content-encoding": "gzip"}, b"", "whole"),
    "/gzip-damaged": (200, {"content-encoding": "gzip"}, coded[:500] + b"\0" * 20 + coded[520:], "whole"),
    "/deflate-short": (200, {"content-encoding": "deflate"}, zlib.compress(text)[:-9], "whole"),
    "/unknown-coding": (200, {"content-encoding": "aws-chunked"}, text, "whole"),
    "/unknown-coding-500": (500, {"content-encoding": "utf-8"}, text, "whole"),
    "/slice": (206, {"content-encoding": "gzip", "content-range": "bytes 0-99/1000"}, coded[:100], "whole"),
    "/cut": (200, {"content-length": str(len(text))}, text[:5000], "cut"),
    "/gzip-cut": (200, {"content-length": str(len(coded)), "content-encoding": "gzip"}, coded[:1000], "cut"),
    "/until-close": (200, {"content-length": None}, text, "close"),
    "/until-cut": (200, {"content-length": None}, text, "cut"),
    "/announced": (200, {"content-length": str(GIGABYTE)}, text[:100], "open"),
    "/redirect": (302, {"location": "/text"}, text, "whole"),
    "/redirect-open": (302, {"location": "/text", "content-length": str(GIGABYTE)}, text, "open"),
    "/redirect-cut": (302, {"location": "/text", "content-length": str(GIGABYTE)}, text, "cut"),
    "/redirect-broken": (302, {"location": "/text", "content-encoding": "gzip"}, text, "whole"),
    "/redirect-name": (302, {"location": "//name:password@HOST/text"}, b"", "whole"),
    "/redirect-twice": (302, {"location": ("/text", "/gzip")}, b"", "whole"),
    "/redirect-port": (302, {"location": "http://127.0.0.1:99999/"}, b"", "whole"),
}


def fields(message, host):
    status, fields, body, end = message
    named = {"content-length": str(len(body))} | fields
    return [
        (name, value.replace("HOST", host))
        for name, values in named.items() if values is not None for value in ([values] if isinstance(values, str) else values)]


# A request of a storm names its id, the size of the content that it wants, and what is to become of it each time it arrives.

lock = threading.Lock()
arrivals = {}


def is_storm(path):
    return path.startswith("/storm?")


def arrive(path):
    """Returns the request's id, its fate and its content."""
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(path).query))
    name, fates = query["id"], query["fates"].split(",")
    with lock:
        seen = arrivals.setdefault(name, [])
        fate = fates[min(len(seen), len(fates) - 1)]
        seen.append(fate)
    piece = f"{name}.".encode()
    size = int(query["size"])
    return name, fate, (piece * (size // len(piece) + 1))[:size]


def redirection(name, content):
    """Where a request is sent whose fate is to be redirected: it goes well there."""
    return f"/storm?id={name}r&size={len(content)}&fates=ok"


def report(path):
    """What has arrived of a run, as JSON: the fates by id."""
    run = urllib.parse.urlsplit(path).query
    with lock:
        return json.dumps({name: fates for name, fates in arrivals.items() if name.startswith(run + "-")}).encode()
