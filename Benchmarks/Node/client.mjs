#!/usr/bin/env node
// GET after GET with node's `http`, over as many connections as there are requests at a time.
//
//     client.mjs URL LEVEL SECONDS BODY-BYTES
//
// Prints requests per second, and microseconds of this process's user and system time per request, as `bench load` does. A fifth
// of the time goes ahead unmeasured.
import http from "node:http";

const [url, level, seconds, bytes] = [process.argv[2], ...process.argv.slice(3, 6).map(Number)];
if (process.argv.length !== 6) fail("URL LEVEL SECONDS BODY-BYTES");
const agent = new http.Agent({ keepAlive: true, maxSockets: level, maxFreeSockets: level });
const target = new URL(url);
let completed = 0;

// Sends one request after the other, indefinitely.
function send() {
    const request = http.get(target, { agent }, (response) => {
        const pieces = [];
        response.on("data", (piece) => pieces.push(piece));
        response.on("end", () => {
            const body = Buffer.concat(pieces);
            if (response.statusCode !== 200 || body.length !== bytes) fail(`status ${response.statusCode} with ${body.length} bytes`);
            completed += 1;
            send();
        });
    });
    request.on("error", (error) => fail(error.message));
}

// Waits so long, and on a busy machine up to 20 seconds longer until more than so many requests have ended.
async function wait(seconds, count) {
    const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    await pause(seconds * 1000);
    for (let round = 0; round < 400 && completed <= count; round++) await pause(50);
}

// The user and system time of this process so far, in microseconds.
function processor() {
    const usage = process.cpuUsage();
    return usage.user + usage.system;
}

function fail(message) {
    console.error(`bench: ${message}`);
    process.exit(1);
}

for (let number = 0; number < level; number++) send();
await wait(seconds / 5, 0);
const before = { time: process.hrtime.bigint(), processor: processor(), completed };
await wait(seconds, before.completed);
const elapsed = Number(process.hrtime.bigint() - before.time) / 1e9;
const requests = completed - before.completed;
if (requests === 0) fail("no request has ended");
console.log(`${requests / elapsed} ${(processor() - before.processor) / requests}`);
process.exit(0);
