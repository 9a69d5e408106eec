import Endpoints
import Foundation
import Testing

@testable import NetworkTesting

@Suite(.timeLimit(.minutes(10))) struct LoopbackFaultTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n\r\n"
    private static let hello = LoopbackResponse.text("hello")
    private static let chunks = LoopbackResponse.chunked([Data("abc".utf8), Data("defg".utf8)])
    private static let chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    /// The first bytes of a text. `String.prefix` would count CRLF as one character.
    private static func prefix(_ text: String, _ bytes: Int) -> String {
        String(decoding: text.utf8.prefix(bytes), as: UTF8.self)
    }

    /// Starts a server that returns the same response to every request, and a client that has sent one request.
    private static func startExchange(_ response: LoopbackResponse) throws -> (LoopbackServer, RawSocketClient) {
        let server = try LoopbackServer { _ in response }
        return (server, try RawSocketClient(server).get("/"))
    }

    @Test(arguments: [0, 1, 9, 30])
    func `with a truncated head, the connection closes after the given number of bytes`(count: Int) throws {
        let (server, client) = try Self.startExchange(Self.hello.fault(.truncateHead(after: count)))
        #expect(client.readToEnd() == (Self.prefix(Self.head, count), .closed))
        withExtendedLifetime(server) {}
    }

    @Test(arguments: [0, 3, 5, 9])
    func `with a truncated body, the connection closes after the given number of bytes`(count: Int) throws {
        let (server, client) = try Self.startExchange(Self.hello.fault(.truncateBody(after: count)))
        #expect(client.readToEnd() == (Self.head + "hello".prefix(count), .closed))
        withExtendedLifetime(server) {}
    }

    @Test(arguments: [
        (0, ""), (2, "3\r\nab"), (3, "3\r\nabc"), (4, "3\r\nabc\r\n4\r\nd"), (7, "3\r\nabc\r\n4\r\ndefg"),
        (8, "3\r\nabc\r\n4\r\ndefg\r\n"),
    ])
    func `the given length of a truncated chunked body counts content, and not framing`(count: Int, body: String) throws {
        let (server, client) = try Self.startExchange(Self.chunks.fault(.truncateBody(after: count)))
        #expect(client.readToEnd() == (Self.chunkedHead + body, .closed))
        withExtendedLifetime(server) {}
    }

    @Test func `a reset is sent before any byte of the response`() throws {
        let (server, client) = try Self.startExchange(Self.hello.fault(.reset))
        #expect(client.readToEnd() == ("", .reset))
        withExtendedLifetime(server) {}
    }

    @Test func `a reset inside the head is sent after the given number of bytes`() throws {
        let (server, client) = try Self.startExchange(Self.hello.fault(.resetHead(after: 12)))
        #expect(client.readToEnd() == ("HTTP/1.1 200", .reset))
        withExtendedLifetime(server) {}
    }

    @Test(arguments: [3, 1_000_000])
    func `a reset inside the body is sent after the given number of bytes`(count: Int) throws {
        let body = Data(repeating: 0x61, count: 2_000_000)
        let (server, client) = try Self.startExchange(LoopbackResponse(body: body).fault(.resetBody(after: count)))
        let (text, end) = client.readToEnd()
        #expect(end == .reset)
        #expect(text.utf8.count == "HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n".utf8.count + count)
        withExtendedLifetime(server) {}
    }

    @Test(arguments: [LoopbackFault.stall, .stallHead(after: 0), .stallHead(after: 20), .stallBody(after: 2)])
    func `a stalled response ends when the client disconnects`(fault: LoopbackFault) async throws {
        let (server, client) = try Self.startExchange(Self.hello.fault(fault))
        let count =
            switch fault {
            case .stallHead(after: 20): 20
            case .stallBody(after: 2): Self.head.utf8.count + 2
            default: 0
            }
        #expect(client.readText(count) == Self.prefix(Self.head + "hello", count))
        await server.waitForRequests(count: 1)
        #expect(!client.hasBytesWaiting && server.openConnectionCount == 1)
        client.disconnect()
        #expect(await server.waitForOpenConnections(count: 0))
    }

    @Test func `a stalled response ends when the server is stopped`() async throws {
        let (server, client) = try Self.startExchange(Self.hello.fault(.stallBody(after: 2)))
        #expect(client.readText(Self.head.utf8.count + 2) == Self.head + "he")
        server.stop()
        #expect(client.readToEnd() == ("", .closed))
        #expect(server.openConnectionCount == 0)
    }

    @Test func `a delayed response is sent after its delay, also with an interim response`() throws {
        let clock = ContinuousClock()
        let start = clock.now
        let (server, client) = try Self.startExchange(Self.hello.interim(103).delayed(by: .milliseconds(80)))
        #expect(client.readResponse().head == "HTTP/1.1 103 Early Hints\r\n\r\n")
        #expect(client.readResponse().body == "hello")
        #expect(clock.now - start >= .milliseconds(80))
        withExtendedLifetime(server) {}
    }

    @Test func `a client that disconnects during a delay is detected`() async throws {
        let (server, client) = try Self.startExchange(Self.hello.delayed(by: .seconds(1_000_000_000_000)))
        await server.waitForRequests(count: 1)
        client.disconnect()
        #expect(await server.waitForOpenConnections(count: 0))
    }

    @Test func `a malformed status line is sent unchanged`() throws {
        let (server, client) = try Self.startExchange(LoopbackResponse.status(200).fault(.malformedStatusLine))
        #expect(client.readResponse().head == "HTTP/1.1 banana\r\nContent-Length: 0\r\n\r\n")
        let (other, second) = try Self.startExchange(LoopbackResponse.status(200).fault(.statusLine(Data("ICY".utf8))))
        #expect(second.readResponse().head == "ICY\r\nContent-Length: 0\r\n\r\n")
        withExtendedLifetime((server, other)) {}
    }

    @Test func `a long header line has the given size`() throws {
        let (server, client) = try Self.startExchange(LoopbackResponse.status(200).fault(.headerLine(bytes: 300_000)))
        let lines = client.readResponse().head.components(separatedBy: "\r\n")
        #expect(lines.map(\.utf8.count) == [15, 17, 300_000, 0, 0])
        withExtendedLifetime(server) {}
    }

    @Test func `additional header lines have the given count`() throws {
        let (server, client) = try Self.startExchange(LoopbackResponse.status(200).fault(.headerLines(count: 5000)))
        let lines = client.readResponse().head.components(separatedBy: "\r\n")
        #expect(lines.filter { $0.hasPrefix("X-Filler-") }.count == 5000)
        #expect(lines[lines.count - 3] == "X-Filler-5000: 5000")
        withExtendedLifetime(server) {}
    }

    @Test func `a response can have Content-Length fields that contradict each other and the body`() throws {
        let (server, client) = try Self.startExchange(
            LoopbackResponse(body: Data("hello".utf8)).fault(.contentLengths("4", "7")).fault(.closeAfter))
        #expect(client.readToEnd() == ("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 7\r\n\r\nhello", .closed))
        withExtendedLifetime(server) {}
    }

    @Test func `a bad chunk size replaces the first one`() throws {
        let (server, client) = try Self.startExchange(Self.chunks.fault(.badChunkSize()).fault(.closeAfter))
        #expect(client.readToEnd() == (Self.chunkedHead + "xyz\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n", .closed))
        let (other, second) = try Self.startExchange(
            LoopbackResponse(body: Data("hi".utf8)).fault(.badChunkSize("-1")).fault(.closeAfter))
        #expect(second.readToEnd() == (Self.chunkedHead + "-1\r\nhi\r\n0\r\n\r\n", .closed))
        withExtendedLifetime((server, other)) {}
    }

    @Test func `garbage is the same for each request, and the connection closes after it`() throws {
        let (server, client) = try Self.startExchange(Self.hello.fault(.garbage(bytes: 1000)))
        let first = client.readDataToEnd()
        let second = try RawSocketClient(server).get("/").readDataToEnd()
        #expect(first.data.count == 1000 && first.end == .closed && first.data == second.data)
        #expect(Set(first.data).count > 100)
    }

    @Test func `raw bytes are sent unchanged, and the connection can stay open`() throws {
        let (server, client) = try Self.startExchange(.raw(Data("HELO\r\n".utf8)))
        #expect(client.readToEnd() == ("HELO\r\n", .closed))
        let (other, second) = try Self.startExchange(.raw(Data("one".utf8), thenClose: false))
        #expect(second.readText(3) == "one")
        #expect(try second.get("/").readText(3) == "one")
        withExtendedLifetime((server, other)) {}
    }

    @Test func `a connection can close after a response that does not announce it`() throws {
        let (server, client) = try Self.startExchange(Self.hello.fault(.closeAfter))
        #expect(client.readToEnd() == (Self.head + "hello", .closed))
        withExtendedLifetime(server) {}
    }

    @Test func `an endless body ends only when the client disconnects`() async throws {
        let (server, client) = try Self.startExchange(LoopbackResponse(body: Data("0123456789".utf8)).fault(.endlessBody))
        #expect(client.readResponse().head == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        let bytes = client.read(5_000_000)
        #expect(bytes.count == 5_000_000 && bytes.suffix(10) == Data("0123456789".utf8))
        // Other requests are served at the same time.
        let other = try RawSocketClient(server).get("/")
        #expect(other.readResponse().head == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        client.disconnect()
        other.disconnect()
        #expect(await server.waitForOpenConnections(count: 0))
    }

    @Test func `an endless chunked body repeats its chunks`() throws {
        let (server, client) = try Self.startExchange(Self.chunks.fault(.endlessBody))
        #expect(client.readResponse().head == Self.chunkedHead)
        let chunks = "3\r\nabc\r\n4\r\ndefg\r\n"
        #expect(client.readText(chunks.utf8.count * 10_000) == String(repeating: chunks, count: 10_000))
        withExtendedLifetime(server) {}
    }

    @Test func `a dripping body pauses before each portion except the first`() throws {
        let clock = ContinuousClock()
        let start = clock.now
        let (server, client) = try Self.startExchange(Self.hello.fault(.drip(bytes: 2, every: .milliseconds(30))))
        #expect(client.readText(Self.head.utf8.count) == Self.head)
        #expect(client.readText(5) == "hello")
        #expect(clock.now - start >= .milliseconds(60))
        try client.get("/")
        #expect(client.readResponse().body == "hello")
        withExtendedLifetime(server) {}
    }

    @Test func `a dripping head pauses between portions, starting with the status line`() throws {
        let clock = ContinuousClock()
        let start = clock.now
        let (server, client) = try Self.startExchange(
            LoopbackResponse.status(204).fault(.dripHead(bytes: 9, every: .milliseconds(20))))
        #expect(client.readText(27) == "HTTP/1.1 204 No Content\r\n\r\n")
        #expect(clock.now - start >= .milliseconds(40))
        withExtendedLifetime(server) {}
    }

    @Test func `several faults can be combined`() throws {
        let response = Self.hello.fault(.malformedStatusLine).fault(.headerLines(count: 1)).fault(.truncateBody(after: 1))
        let (server, client) = try Self.startExchange(response)
        let head = "HTTP/1.1 banana\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\nX-Filler-1: 1\r\n\r\n"
        #expect(client.readToEnd() == (head + "h", .closed))
        withExtendedLifetime(server) {}
    }
}
