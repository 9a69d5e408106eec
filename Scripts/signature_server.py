"""Says whether a request is signed as botocore (AWS Signature Version 4) or http-message-signatures (RFC 9421) would sign it.

The key `AKID` or `key` has the secret `secret of the server`. `/s3/…` is S3, everything else another service.
"""

import hashlib
import json
import re
from types import SimpleNamespace
from urllib.parse import quote, unquote_to_bytes

from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from http_message_signatures import HTTPMessageVerifier, HTTPMessageSignaturesException, HTTPSignatureKeyResolver
from http_message_signatures.algorithms import HMAC_SHA256

SECRET = "secret of the server"


class Keys(HTTPSignatureKeyResolver):
    def resolve_public_key(self, key_id):
        return {"key": SECRET.encode()}[key_id]

    resolve_private_key = resolve_public_key


def app(environ, start_response):
    body = environ["wsgi.input"].read()
    fields = {name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name.startswith("HTTP_")}
    for name in ("CONTENT_TYPE", "CONTENT_LENGTH"):
        if environ.get(name):
            fields[name.replace("_", "-").lower()] = environ[name]
    try:
        if "signature-input" in fields:
            verify_message(environ, fields, body)
        elif "X-Amz-Signature=" in environ["RAW_URI"]:
            verify_presigned(environ, fields)
        else:
            verify_aws(environ, fields, body)
        status, result = "200 OK", {"signed": True}
    except (KeyError, ValueError, HTTPMessageSignaturesException) as error:
        status, result = "403 Forbidden", {"signed": False, "error": repr(error)}
    text = json.dumps(result).encode()
    start_response(status, [("Content-Type", "application/json"), ("Content-Length", str(len(text)))])
    return [text]


def items(query):
    """The names and values of a query. A plus sign is one."""
    pairs = (item.partition("=") for item in query.split("&") if item)
    return [(unquote_to_bytes(name), unquote_to_bytes(value)) for name, _, value in pairs]


def signer(path, scope):
    _, region, service, _ = scope.split("/", 3)
    kind = S3SigV4Auth if service.startswith("s3") else SigV4Auth
    return kind(Credentials("AKID", SECRET), service, region), quote(unquote_to_bytes(path), safe="/~") if kind is S3SigV4Auth else path


def canonical_query(pairs):
    encoded = sorted((quote(name, safe="-_.~"), quote(value, safe="-_.~")) for name, value in pairs)
    return "&".join(f"{name}={value}" for name, value in encoded)


def signature(environ, auth, path, pairs, headers, body, timestamp, payload=None):
    url = "http://" + environ["HTTP_HOST"] + path + ("?" + canonical_query(pairs) if pairs else "")
    request = AWSRequest(method=environ["REQUEST_METHOD"], url=url, data=body, headers=headers)
    request.context["timestamp"] = timestamp
    canonical = auth.canonical_request(request)
    if payload is not None:
        canonical = canonical.rsplit("\n", 1)[0] + "\n" + payload
    return auth.signature(auth.string_to_sign(request, canonical), request), canonical


def verify_aws(environ, fields, body):
    match = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=AKID/(\S+), SignedHeaders=(\S+), Signature=(\w+)", fields["authorization"])
    if not match:
        raise ValueError("the Authorization field is malformed")
    scope, names, found = match.groups()
    path, _, query = environ["RAW_URI"].partition("?")
    payload = fields.get("x-amz-content-sha256")
    if payload not in (None, "UNSIGNED-PAYLOAD", hashlib.sha256(body).hexdigest()):
        raise ValueError("the body is another one")
    auth, path = signer(path, scope)
    headers = {name: fields[name] for name in names.split(";")}
    expected, canonical = signature(environ, auth, path, items(query), headers, body, fields["x-amz-date"])
    if found != expected:
        raise ValueError(canonical)


def verify_presigned(environ, fields):
    path, _, query = environ["RAW_URI"].partition("?")
    pairs = [(name, value) for name, value in items(query) if name != b"X-Amz-Signature"]
    values = dict(items(query))
    auth, path = signer(path, values[b"X-Amz-Credential"].decode().partition("/")[2])
    payload = "UNSIGNED-PAYLOAD" if isinstance(auth, S3SigV4Auth) else hashlib.sha256().hexdigest()
    expected, canonical = signature(
        environ, auth, path, pairs, {"host": fields["host"]}, b"", values[b"X-Amz-Date"].decode(), payload
    )
    if values[b"X-Amz-Signature"].decode() != expected:
        raise ValueError(canonical)


def verify_message(environ, fields, body):
    verifier = HTTPMessageVerifier(signature_algorithm=HMAC_SHA256, key_resolver=Keys())
    message = SimpleNamespace(
        method=environ["REQUEST_METHOD"], url="http://" + environ["HTTP_HOST"] + environ["RAW_URI"], headers=fields
    )
    results = verifier.verify(message, body=body if "content-digest" in fields else None)
    if len(results) != 1:
        raise ValueError("there is not exactly one signature")
