"""An application for hypercorn: HTTP/1.1 and HTTP/2, with WebSockets over both (RFC 8441).

    python -m hypercorn --bind 127.0.0.1:PORT --certfile … --keyfile … asgi_server:application
"""
import hashlib
import json
import urllib.parse


async def application(scope, receive, send):
    match scope["type"]:
        case "http":
            await respond(scope, receive, send)
        case "websocket":
            await converse(scope, receive, send)


async def respond(scope, receive, send):
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
