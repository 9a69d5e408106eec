"""An application for hypercorn: HTTP/1.1 and HTTP/2, with WebSockets over both (RFC 8441), and DNS over HTTPS (RFC 8484).

    python -m hypercorn --bind 127.0.0.1:PORT --certfile … --keyfile … asgi_server:application

`/dns-query` responds for the names of dns_answers.py, and a POST to `/dns-names` changes one with a line as its body.
"""
import asyncio
import base64
import binascii
import hashlib
import json
import urllib.parse

import dns_answers

zone = dns_answers.Zone()


async def application(scope, receive, send):
    match scope["type"]:
        case "http":
            await respond(scope, receive, send)
        case "websocket":
            await converse(scope, receive, send)


async def respond(scope, receive, send):
    if scope["path"] in ("/dns-query", "/dns-names"):
        return await resolve(scope, receive, send)
    digest, count = hashlib.sha256(), 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        digest.update(message.get("body", b""))
        count += len(message.get("body", b""))
        if not message.get("more_body"):
            break
    query = dict(urllib.parse.parse_qsl(scope["query_string"].decode()))
    status = int(query.get("status", 200))
    body = json.dumps({
        "version": scope["http_version"], "method": scope["method"], "path": scope["path"],
        "headers": [[name.decode("latin-1"), value.decode("latin-1")] for name, value in scope["headers"]],
        "count": count, "sha256": digest.hexdigest(),
    }).encode()
    # A body in pieces, so that windows and pauses have an effect.
    if "zeros" in query:
        body = bytes(int(query["zeros"]))
    headers = [(b"content-type", b"application/json"), (b"x-received", str(count).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    for start in range(0, len(body), 64 << 10):
        await send({"type": "http.response.body", "body": body[start:start + (64 << 10)], "more_body": True})
    await send({"type": "http.response.body"})


async def resolve(scope, receive, send):
    async def finish(status, body=b"", **headers):
        fields = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": fields})
        await send({"type": "http.response.body", "body": body})

    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect" or len(body) > 65535:
            return
        body, more = body + message.get("body", b""), message.get("more_body")
    if scope["path"] == "/dns-names":
        try:
            zone.change(body.decode())
        except ValueError as error:
            return await finish(400, str(error).encode())
        return await finish(204)
    if scope["method"] == "GET":
        # RFC 8484 §4.1: base64url without padding.
        text = dict(urllib.parse.parse_qsl(scope["query_string"].decode())).get("dns", "")
        try:
            body = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
        except binascii.Error:
            return await finish(400)
    elif dict(scope["headers"]).get(b"content-type") != b"application/dns-message":
        return await finish(415)
    reply = zone.reply(body)
    if not reply:
        return await finish(400)
    if reply.delay is None:
        # Until the client cancels the request.
        while (await receive())["type"] != "http.disconnect":
            pass
        return
    await asyncio.sleep(reply.delay)
    kind = "text/html" if reply.name == "wrong-type.test" else "application/dns-message"
    status = 500 if reply.name == "status-500.test" else 200
    await finish(status, reply.message, content_type=kind, cache_control=f"max-age={reply.lifetime}")


async def converse(scope, receive, send):
    query = dict(urllib.parse.parse_qsl(scope["query_string"].decode()))
    await receive()
    await send({"type": "websocket.accept"})
    match scope["path"]:
        case "/zeros":
            await send({"type": "websocket.send", "bytes": bytes(int(query["count"]) << 16)})
        case "/close":
            for index in range(int(query["after"])):
                await send({"type": "websocket.send", "text": f"message {index}"})
            await send({"type": "websocket.close", "code": int(query["code"]), "reason": query["reason"]})
            return
        case _:
            while (message := await receive())["type"] == "websocket.receive":
                await send({"type": "websocket.send", "text": message.get("text"), "bytes": message.get("bytes")})
            return
    await send({"type": "websocket.close", "code": 1000})
