#!/usr/bin/env python3
"""Sends texts with the package `websockets` to a server that sends them back, one at a time on each socket.

    client.py URL LEVEL SECONDS BYTES

Prints messages per second, and microseconds of this process's user and system time per message, as `bench load` does. A fifth of the time
goes ahead unmeasured.
"""
import asyncio
import resource
import sys
import time

from websockets.asyncio.client import connect

completed = 0


async def echo(url, text):
    global completed
    async with connect(url, compression=None, proxy=None) as socket:
        while True:
            await socket.send(text)
            if len(await socket.recv()) != len(text):
                sys.exit("bench: a message of another length")
            completed += 1


async def wait(seconds, count):
    """Waits so long, and on a busy machine up to 20 seconds longer until more than so many messages were received."""
    await asyncio.sleep(seconds)
    for _ in range(400):
        if completed > count:
            return
        await asyncio.sleep(0.05)


def processor():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


async def main(url, level, seconds, size):
    sockets = [asyncio.create_task(echo(url, "x" * size)) for _ in range(level)]
    await wait(seconds / 5, 0)
    before = time.monotonic(), processor(), completed
    await wait(seconds, before[2])
    after = time.monotonic(), processor(), completed
    for socket in sockets:
        if socket.done():
            socket.result()
        socket.cancel()
    messages = after[2] - before[2]
    if messages == 0:
        sys.exit("bench: no message was received")
    print(messages / (after[0] - before[0]), (after[1] - before[1]) / messages * 1e6)


if len(sys.argv) != 5:
    sys.exit("URL LEVEL SECONDS BYTES")
asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])))
