"""An HTTP/3 server (aioquic) whose responses are asked for by their paths.

    http3_server.py PORT [--certificate FILE --key FILE] [option…]

It listens at 127.0.0.1, and writes a line when it does. Without a certificate it makes one for `localhost` and 127.0.0.1, which
`--write-certificate` stores.

    GET  /bytes/N       N bytes: the position of each, modulo 251
    POST /echo          the body of the request, as it arrives
    POST /count         the number of bytes of the body, when it has ended
    *    /status/N      a response with this status, and one line as its body
    GET  /trailers      a body and a trailer section
    GET  /early-hints   two interim responses with status 103, and then the response
    GET  /delay/N       a response after N milliseconds
    GET  /reset         the beginning of a body, and then RESET_STREAM with H3_INTERNAL_ERROR
    GET  /refuse        RESET_STREAM with H3_REQUEST_REJECTED, before any response
    POST /stop          STOP_SENDING with H3_NO_ERROR, and a complete response
    GET  /goaway        GOAWAY, which names this request's stream plus four, and then the response
    GET  /close/N       CONNECTION_CLOSE with N as the application's error code
    GET  /vanish        nothing: from here on this connection neither receives nor sends
    GET  /flood/KIND    what no client should accept without end, or at all: see `flood`
    GET  /connection    how many requests this connection has had, whether the session was resumed, and the client's address
"""
import argparse
import asyncio
import datetime
import ipaddress

from aioquic.asyncio import QuicConnectionProtocol, serve
from aioquic.buffer import encode_uint_var
from aioquic.h3.connection import H3_ALPN, ErrorCode, FrameType, H3Connection, encode_frame
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.h3.exceptions import H3Error
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, ProtocolNegotiated, StopSendingReceived, StreamReset

PATTERN = bytes(index % 251 for index in range(251 * 264))


class Request:
    def __init__(self, headers, stream):
        fields = dict(headers)
        self.stream = stream
        self.method = fields.get(b":method", b"").decode()
        self.path, _, self.query = fields.get(b":path", b"/").decode().partition("?")
        self.count = 0
        self.has_ended = False
        self.task = None


class Server(QuicConnectionProtocol):
    def __init__(self, *arguments, options, **others):
        super().__init__(*arguments, **others)
        self.options = options
        self.http = None
        self.requests = {}
        self.count = 0
        self.has_vanished = False
        self.has_sent = asyncio.Event()
        # Not to be had otherwise (aioquic 1.7).
        limit = self._quic._local_max_streams_bidi
        limit.value = limit.sent = options.max_streams

    # MARK: Events

    def datagram_received(self, data, address):
        if not self.has_vanished:
            super().datagram_received(data, address)
            self.has_sent.set()

    def transmit(self):
        if not self.has_vanished:
            super().transmit()
            self.has_sent.set()

    def quic_event_received(self, event):
        if self.options.trace:
            print(event, flush=True)
        match event:
            case ProtocolNegotiated():
                self.http = H3Connection(self._quic)
            case StreamReset() | StopSendingReceived():
                self.forget(event.stream_id)
            case ConnectionTerminated():
                for stream in list(self.requests):
                    self.forget(stream)
        if self.http is None:
            return
        for received in self.http.handle_event(event):
            match received:
                case HeadersReceived():
                    self.headers_received(received)
                case DataReceived():
                    self.data_received(received.stream_id, received.data, received.stream_ended)

    def headers_received(self, event):
        request = self.requests.get(event.stream_id)
        if request is None:
            self.count += 1
            request = self.requests[event.stream_id] = Request(event.headers, event.stream_id)
            if request.path == "/echo":
                self.respond(request, 200)
            elif request.path != "/count":
                request.task = asyncio.ensure_future(self.perform(request))
        # Otherwise these are trailers.
        if event.stream_ended:
            self.data_received(event.stream_id, b"", True)

    def data_received(self, stream, data, is_end):
        request = self.requests.get(stream)
        if request is None:
            return
        request.count += len(data)
        request.has_ended = is_end
        if request.path == "/echo":
            self.http.send_data(stream, data, is_end)
        elif request.path == "/count" and is_end:
            self.respond(request, 200, str(request.count).encode())
        if is_end and request.task is None:
            self.forget(stream)

    def forget(self, stream):
        request = self.requests.pop(stream, None)
        if request is not None and request.task is not None:
            request.task.cancel()

    # MARK: Responses

    def respond(self, request, status, body=None, fields=()):
        """Sends the header section, and the body if there is one."""
        fields = [(b":status", str(status).encode()), (b"server", b"aioquic"), *fields]
        if body is not None:
            fields.append((b"content-length", str(len(body)).encode()))
        self.http.send_headers(request.stream, fields, end_stream=False)
        if body is not None:
            self.http.send_data(request.stream, body if request.method != "HEAD" else b"", end_stream=True)
        self.transmit()

    async def perform(self, request):
        try:
            await self.send_response(request)
        except (H3Error, AssertionError, ValueError):
            # The client has ended the stream or the connection meanwhile.
            pass
        finally:
            self.requests.pop(request.stream, None)
            self.transmit()

    async def send_response(self, request):
        stream = request.stream
        match request.path.split("/")[1:]:
            case ["bytes", count]:
                await self.send_bytes(request, int(count))
            case ["status", status]:
                self.respond(request, int(status), b"" if status in ("204", "304") else f"status {status}\n".encode())
            case ["trailers"]:
                self.respond(request, 200, fields=[(b"trailer", b"x-checksum")])
                self.http.send_data(stream, b"before the trailers\n", end_stream=False)
                self.http.send_headers(stream, [(b"x-checksum", b"12345")], end_stream=True)
            case ["early-hints"]:
                for link in (b"</a.css>; rel=preload", b"</b.js>; rel=preload"):
                    self.http.send_headers(stream, [(b":status", b"103"), (b"link", link)])
                    self.transmit()
                    await asyncio.sleep(0.01)
                self.respond(request, 200, b"after two hints\n")
            case ["delay", milliseconds]:
                await asyncio.sleep(int(milliseconds) / 1000)
                self.respond(request, 200, b"late\n")
            case ["reset"]:
                self.respond(request, 200, fields=[(b"content-length", b"1000")])
                self.http.send_data(stream, bytes(100), end_stream=False)
                self.transmit()
                # A reset may overtake what was sent before it.
                await asyncio.sleep(0.05)
                self._quic.reset_stream(stream, ErrorCode.H3_INTERNAL_ERROR)
            case ["refuse"]:
                self._quic.reset_stream(stream, ErrorCode.H3_REQUEST_REJECTED)
                self._quic.stop_stream(stream, ErrorCode.H3_REQUEST_REJECTED)
            case ["stop"]:
                self._quic.stop_stream(stream, ErrorCode.H3_NO_ERROR)
                self.respond(request, 413, b"that is enough\n")
            case ["goaway"]:
                frame = encode_frame(FrameType.GOAWAY, encode_uint_var(stream + 4))
                self._quic.send_stream_data(self.http._local_control_stream_id, frame)
                self.respond(request, 200, b"going away\n")
            case ["close", code]:
                self._quic.close(error_code=int(code, 0), reason_phrase="as asked for")
            case ["flood", kind]:
                await self.flood(request, kind)
            case ["vanish"]:
                self.has_vanished = True
            case ["connection"]:
                address = self._quic.get_peer_address()
                text = f"requests {self.count}\nresumed {self._quic.tls.session_resumed}\nclient {address[0]}:{address[1]}\n"
                self.respond(request, 200, text.encode())
            case _:
                self.respond(request, 404, b"not found\n")

    async def flood(self, request, kind):
        """Sends what breaks a rule of HTTP/3, or frames without end."""
        stream, quic, http = request.stream, self._quic, self.http
        target, piece = stream, encode_frame(0x21, b"")
        match kind:
            case "frames":
                pass
            case "control":
                target = http._local_control_stream_id
            case "data":
                self.respond(request, 200)
                piece = encode_frame(FrameType.DATA, b"")
            case "interim":
                while True:
                    http.send_headers(stream, [(b":status", b"103")])
                    self.transmit()
                    await asyncio.sleep(0)
            case "fields":
                return self.respond(request, 200, b"", [(b"x-%d" % number, b"") for number in range(3000)])
            case "head":
                return self.respond(request, 200, b"", [(b"x-%d" % number, bytes([65 + number % 26]) * 4000) for number in range(100)])
            case "streams":
                while True:
                    quic.send_stream_data(quic.get_next_available_stream_id(is_unidirectional=True), encode_uint_var(0x21), True)
                    self.transmit()
                    await asyncio.sleep(0)
            case "settings":
                return quic.send_stream_data(http._local_control_stream_id, encode_frame(FrameType.SETTINGS, b""))
            case "push":
                return quic.send_stream_data(stream, encode_frame(FrameType.PUSH_PROMISE, b"\0\0\0"))
            case "table":
                # An entry of a dynamic table (RFC 9204 §4.3.3), of which the client permits none.
                return quic.send_stream_data(http._local_encoder_stream_id, b"\x41a\x01b")
            case "bytes":
                return quic.send_stream_data(stream, bytes([5, 255, 1, 2, 3, 0, 0]), True)
        while stream in self.requests:
            quic.send_stream_data(target, piece * 500)
            self.transmit()
            while target in quic._streams and not quic._streams[target].sender.buffer_is_empty:
                self.has_sent.clear()
                await self.has_sent.wait()

    async def send_bytes(self, request, count):
        self.respond(request, 200, fields=[(b"content-length", str(count).encode())])
        position = 0
        while position < count or count == 0:
            size = min(count - position, 1 << 16)
            start = position % 251
            position += size
            self.http.send_data(request.stream, PATTERN[start:start + size], end_stream=position >= count)
            self.transmit()
            if count == 0:
                break
            # The next piece follows when this one is on its way, so that a large body does not fill the memory.
            while position < count and not self._quic._streams[request.stream].sender.buffer_is_empty:
                self.has_sent.clear()
                await self.has_sent.wait()


# MARK: Certificates


def make_certificate(names):
    """A certificate that its own key signs, and the key, both in PEM."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, names[0])])
    now = datetime.datetime.now(datetime.timezone.utc)
    alternatives = [x509.DNSName(each) for each in names] + [x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + datetime.timedelta(days=30))
    builder = builder.add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    certificate = builder.sign(key, hashes.SHA256())
    encoding = serialization.Encoding.PEM
    return certificate, key, certificate.public_bytes(encoding), key.private_bytes(
        encoding, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption())


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("port", type=int)
    parser.add_argument("--certificate", help="PEM; the server's first")
    parser.add_argument("--key", help="PEM")
    parser.add_argument("--write-certificate", help="where to store the certificate that was made, for the client's authorities")
    parser.add_argument("--retry", action="store_true", help="validate the client's address first (RFC 9000 §8.1.2)")
    parser.add_argument("--max-streams", type=int, default=128, help="how many streams the client may have open")
    parser.add_argument("--idle-timeout", type=float, default=60, help="in seconds")
    parser.add_argument("--max-data", type=int, default=1 << 20, help="the windows of the connection and of each stream")
    parser.add_argument("--trace", action="store_true", help="write each event of QUIC to standard output")
    return parser.parse_args()


async def main():
    options = arguments()
    configuration = QuicConfiguration(
        alpn_protocols=H3_ALPN, is_client=False, idle_timeout=options.idle_timeout, max_data=options.max_data,
        max_stream_data=options.max_data)
    if options.certificate:
        configuration.load_cert_chain(options.certificate, options.key)
    else:
        configuration.certificate, configuration.private_key, pem, _ = make_certificate(["localhost"])
        if options.write_certificate:
            with open(options.write_certificate, "wb") as file:
                file.write(pem)
    tickets = {}
    await serve(
        "127.0.0.1", options.port, configuration=configuration, retry=options.retry,
        create_protocol=lambda *arguments, **others: Server(*arguments, options=options, **others),
        session_ticket_fetcher=lambda label: tickets.pop(label, None),
        session_ticket_handler=lambda ticket: tickets.update({ticket.ticket: ticket}))
    print(f"listening at 127.0.0.1:{options.port}", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
