"""A tus server (tuspyserver over uvicorn), and a relay to it that cuts connections after a random number of bytes.

    upload_server.py PORT CUTTING_PORT

Uploads are created at /files. /digest/ID is the SHA-256 of what the upload contains. The folder `uploads` of the current folder stores them.
"""

import asyncio
import hashlib
import os
import random
import sys

import uvicorn
from fastapi import FastAPI
from fastapi.responses import PlainTextResponse
from tuspyserver import create_tus_router

FOLDER = os.path.abspath("uploads")
os.makedirs(FOLDER, exist_ok=True)
app = FastAPI()
app.include_router(create_tus_router(prefix="files", files_dir=FOLDER, max_size=64 << 20))


@app.get("/digest/{upload}")
def digest(upload: str):
    with open(os.path.join(FOLDER, os.path.basename(upload)), "rb") as file:
        return PlainTextResponse(hashlib.sha256(file.read()).hexdigest())


async def relay(port, reader, writer):
    """Passes bytes on in both directions until the client has sent as many as are allowed."""
    left = random.choice((300, 64 << 10, 1 << 20, 4 << 20))
    left = random.randrange(left // 4, left)
    server_reader, server_writer = await asyncio.open_connection("127.0.0.1", port)

    async def responses():
        while data := await server_reader.read(64 << 10):
            writer.write(data)
            await writer.drain()

    returning = asyncio.ensure_future(responses())
    try:
        while left > 0 and (data := await reader.read(min(64 << 10, left))):
            left -= len(data)
            server_writer.write(data)
            await server_writer.drain()
    except OSError:
        pass
    # Half of the time, the server can still respond, and the response is lost on the way.
    if random.random() < 0.5:
        await asyncio.sleep(random.random() * 0.02)
    returning.cancel()
    for side in (server_writer, writer):
        side.transport.abort()


async def main(port, cutting_port):
    await asyncio.start_server(lambda reader, writer: relay(port, reader, writer), "127.0.0.1", cutting_port)
    await uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning")).serve()


asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
