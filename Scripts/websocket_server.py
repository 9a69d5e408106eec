"""WebSocket servers of two independent implementations: `websockets`, and aiohttp.

    websocket_server.py CERTIFICATES UNIX_SOCKET PLAIN_PORT FORGETTING_PORT NARROW_PORT SECURE_PORT MUTUAL_PORT AIOHTTP_PORT

The first five ports, and the Unix socket, are those of `websockets`: with compression, with compression without context takeover in both
directions, with windows of 512 bytes, over TLS, and over TLS with a required client certificate.
"""
import asyncio
import contextlib
import json
import ssl
import sys
import urllib.parse

import aiohttp
from aiohttp import web
from websockets.asyncio.server import serve, unix_serve
from websockets.exceptions import ConnectionClosed
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory

LIMIT = 64 << 20
SUBPROTOCOLS = ("superchat", "chat")
# The close codes of sockets of /watched/ID, for those of /seen/ID.
seen = {}


def record(name):
    return seen.setdefault(name, asyncio.get_running_loop().create_future())


# `websockets`.

async def count(socket, number):
    for index in range(number):
        await socket.send(f"message {index}")


async def handle(socket):
    url = urllib.parse.urlsplit(socket.request.path)
    query = dict(urllib.parse.parse_qsl(url.query))
    match url.path.strip("/").split("/"):
        case ["echo"]:
            async for message in socket:
                await socket.send(message)
        case ["fragments"]:
            # Each message is sent back as fragments of at most `size` bytes or characters.
            size = int(query["size"])
            async for message in socket:
                await socket.send([message[i:i + size] for i in range(0, len(message), size)] or [message])
        case ["lengths"]:
            # What the received message was composed of.
            async for message in socket:
                text = isinstance(message, str)
                await socket.send(json.dumps({"text": text, "length": len(message.encode() if text else message)}))
        case ["pieces"]:
            with contextlib.suppress(ConnectionClosed):
                while True:
                    lengths = [len(piece) async for piece in socket.recv_streaming()]
                    await socket.send(json.dumps(lengths))
        case ["zeros"]:
            # One message of many fragments.
            async def zeros():
                for _ in range(int(query["count"])):
                    yield bytes(64 << 10)
            await socket.send(zeros())
        case ["close"]:
            await count(socket, int(query.get("after", 0)))
            await socket.close(int(query["code"]), query.get("reason", ""))
        case ["abort"]:
            await count(socket, int(query.get("after", 0)))
            await asyncio.sleep(0)
            socket.transport.write_eof() if "eof" in query else socket.transport.abort()
        case ["ping"]:
            # The number of pongs that were received for as many pings.
            pongs = [await socket.ping(f"ping {index}") for index in range(int(query["count"]))]
            await asyncio.gather(*pongs)
            await socket.send(str(len(pongs)))
        case ["watched", name]:
            await socket.send("watched")
            await socket.wait_closed()
            record(name).set_result(f"{socket.close_code} {socket.close_reason}")
        case ["seen", name]:
            await socket.send(await record(name))
        case ["raise"]:
            raise RuntimeError("as requested")


def choose_subprotocol(_, offered):
    return next((name for name in SUBPROTOCOLS if name in offered), None)


async def handle_quietly(socket):
    with contextlib.suppress(ConnectionClosed):
        await handle(socket)


# aiohttp.

async def switched(request):
    """Returns what comes after the response with status 101."""
    socket = web.WebSocketResponse(protocols=SUBPROTOCOLS, max_msg_size=LIMIT, compress="plain" not in request.query)
    await socket.prepare(request)
    if "headers" in request.query:
        await socket.send_str(json.dumps(dict(request.headers)))
    async for message in socket:
        if message.type == aiohttp.WSMsgType.TEXT:
            await socket.send_str(message.data)
        elif message.type == aiohttp.WSMsgType.BINARY:
            await socket.send_bytes(message.data)
    return socket


async def guarded(request):
    if request.headers.get("Authorization") != aiohttp.BasicAuth("user", "secret").encode():
        return web.Response(status=401, headers={"WWW-Authenticate": 'Basic realm="sockets"'}, text="credentials, please")
    return await switched(request)


async def forbidden(_):
    return web.json_response({"reason": "no seats left"}, status=403)


async def redirect(request):
    raise web.HTTPFound(request.query.get("to", "/echo"))


async def leave(request):
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    await socket.close(code=int(request.query["code"]), message=request.query.get("reason", "").encode())
    return socket


async def plain(_):
    return web.Response(text="no WebSocket here")


def application():
    app = web.Application()
    app.add_routes([
        web.get("/echo", switched), web.get("/guarded", guarded), web.get("/forbidden", forbidden),
        web.get("/redirect", redirect), web.get("/close", leave), web.get("/plain", plain),
    ])
    return app


def tls(certificates, mutual=False):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{certificates}/server.pem", f"{certificates}/server.key")
    if mutual:
        context.load_verify_locations(f"{certificates}/ca.pem")
        context.verify_mode = ssl.CERT_REQUIRED
    return context


async def main(certificates, unix_socket, *ports):
    plain_port, forgetting, narrow, secure, mutual, aiohttp_port = map(int, ports)
    options = dict(max_size=LIMIT, select_subprotocol=choose_subprotocol, subprotocols=SUBPROTOCOLS, ping_interval=None)
    window = dict(server_max_window_bits=9, client_max_window_bits=9)
    forgets = dict(server_no_context_takeover=True, client_no_context_takeover=True)
    async with contextlib.AsyncExitStack() as stack:
        for port, more in (
            (plain_port, {}),
            (forgetting, dict(compression=None, extensions=[ServerPerMessageDeflateFactory(**forgets)])),
            (narrow, dict(compression=None, extensions=[ServerPerMessageDeflateFactory(**window)])),
            (secure, dict(ssl=tls(certificates))),
            (mutual, dict(ssl=tls(certificates, mutual=True))),
        ):
            await stack.enter_async_context(serve(handle_quietly, "127.0.0.1", port, **options, **more))
        await stack.enter_async_context(unix_serve(handle_quietly, unix_socket, **options))
        runner = web.AppRunner(application())
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        await web.TCPSite(runner, "127.0.0.1", aiohttp_port).start()
        await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
