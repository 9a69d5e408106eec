"""Says how werkzeug's parser reads a form: one object for each part, in their order, with the SHA-256 of its content."""

import hashlib
import json

from werkzeug.datastructures import FileStorage, MultiDict
from werkzeug.exceptions import HTTPException
from werkzeug.formparser import MultiPartParser
from werkzeug.http import parse_options_header
from werkzeug.wsgi import get_input_stream


def app(environ, start_response):
    media_type, options = parse_options_header(environ.get("CONTENT_TYPE"))
    length = environ.get("CONTENT_LENGTH")
    try:
        # In memory up to 500 kB a part, the rest in files.
        form, files = MultiPartParser(max_form_memory_size=None).parse(
            get_input_stream(environ), options.get("boundary", "").encode("latin-1"), int(length) if length else None
        )
        result = {"parts": list(parts(form, files)), "mediaType": media_type, "length": int(length) if length else None}
        status = "200 OK"
    except (ValueError, HTTPException) as error:
        result, status = {"error": str(error)}, "400 Bad Request"
    body = json.dumps(result).encode()
    start_response(status, [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
    return [body]


def parts(form: MultiDict, files: MultiDict):
    """Fields first, then files: the parser keeps the order of each kind."""
    for name, value in form.items(multi=True):
        content = value.encode()
        yield part(name, None, None, hashlib.sha256(content), len(content))
    for name, file in files.items(multi=True):
        yield read(name, file)


def read(name: str, file: FileStorage):
    digest, size = hashlib.sha256(), 0
    while chunk := file.stream.read(1 << 20):
        digest.update(chunk)
        size += len(chunk)
    return part(name, file.filename, file.content_type, digest, size)


def part(name, file_name, content_type, digest, size):
    return {"name": name, "fileName": file_name, "contentType": content_type, "sha256": digest.hexdigest(), "bytes": size}
