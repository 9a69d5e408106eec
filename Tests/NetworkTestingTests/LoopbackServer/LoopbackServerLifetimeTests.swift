import Foundation
import Testing

@testable import NetworkTesting

/// Sockets, memory and waiting. The tests run one at a time, because descriptors are counted for the whole process.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LoopbackServerLifetimeTests {
    @Test func `stopping closes open connections and frees the port`() throws {
        let server = try LoopbackServer { _ in .text("x") }
        let client = try RawSocketClient(server).get("/")
        _ = client.readResponse()
        server.stop()
        server.stop()
        #expect(client.readToEnd().end == .closed)
        #expect(server.openConnectionCount == 0 && server.connectionCount == 1)
        #expect(throws: RawSocketClient.Failure.self) { try RawSocketClient(server) }
        let next = try LoopbackServer(port: UInt16(server.port)) { _ in .text("y") }
        #expect(next.port == server.port)
        #expect(throws: LoopbackServerError(operation: "bind", code: EADDRINUSE)) { try LoopbackServer(port: UInt16(next.port)) }
    }

    @Test func `a released server stops and releases its handlers`() throws {
        final class Token: Sendable {}
        weak var token: Token?
        weak var engine: LoopbackEngine?
        let client: RawSocketClient
        do {
            let strong = Token()
            token = strong
            let server = try LoopbackServer { _ in
                withExtendedLifetime(strong) { .text("x") }
            }
            engine = server.engine
            client = try RawSocketClient(server).get("/")
            _ = client.readResponse()
            try client.get("/")
            _ = client.readResponse()
        }
        #expect(client.readToEnd().end == .closed)
        #expect(token == nil && engine == nil)
    }

    @Test func `a handler can stop its own server`() throws {
        let box = Box()
        let server = try LoopbackServer { _ in
            box.server?.stop()
            return .text("never sent")
        }
        box.server = server
        #expect(try RawSocketClient(server).get("/").readToEnd().text == "")
        box.server = nil
    }

    @Test func `connections can be closed without stopping the server`() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let client = try RawSocketClient(server).get("/")
        _ = client.readResponse()
        server.closeConnections()
        #expect(client.readToEnd() == ("", .closed))
        #expect(try RawSocketClient(server).get("/").readResponse().body == "x")
    }

    @Test func `closing a connection cancels its handler`() async throws {
        let (cancellations, continuation) = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { _ in
            await withTaskCancellationHandler {
                let never = AsyncStream<Void> { _ in }
                for await _ in never {}
            } onCancel: {
                continuation.yield()
            }
            return .text("late")
        }
        let client = try RawSocketClient(server).get("/")
        await server.waitForRequests(count: 1)
        client.disconnect()
        var iterator = cancellations.makeAsyncIterator()
        #expect(await iterator.next() != nil)
        #expect(await server.waitForOpenConnections(count: 0))
    }

    @Test func `waiting calls return when the server stops or the task is cancelled`() async throws {
        let server = try LoopbackServer()
        let cancelled = Task { await server.waitForOpenConnections(count: 5) }
        cancelled.cancel()
        #expect(await cancelled.value == false)
        let stopped = Task { await server.waitForConnections(count: 5) }
        server.stop()
        #expect(await stopped.value == false)
        #expect(await server.waitForRequests(count: 1).isEmpty)
        #expect(await server.waitForOpenConnections(count: 0))
    }

    @Test func `a thousand connections stay open, and no descriptor leaks`() async throws {
        let before = openDescriptors()
        do {
            let server = try LoopbackServer { _ in .text("x") }
            let clients = try (0..<1000).map { _ in try RawSocketClient(server) }
            #expect(await server.waitForOpenConnections(count: 1000))
            for _ in 0..<2 {
                for client in clients { try client.get("/") }
                for client in clients where client.readResponse().body != "x" { Issue.record("no response") }
            }
            #expect(server.connectionCount == 1000 && server.requestCount == 2000)
            server.stop()
            #expect(openDescriptors() - before < 1100)
        }
        #expect(openDescriptors() - before < 100)
    }

    @Test func `a hundred megabytes are transferred in both directions`() throws {
        let server = try LoopbackServer { request in LoopbackResponse(body: request.body) }
        let client = try RawSocketClient(server, receiveTimeoutSeconds: 50)
        let size = 100 << 20
        try client.send("POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: \(size)\r\n\r\n")
        let piece = Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 % 251) })
        for _ in 0..<100 { try client.send(piece) }
        let head = client.readText("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\nConnection: close\r\n\r\n".utf8.count)
        #expect(head.hasSuffix("\r\n\r\n"))
        for _ in 0..<100 where client.read(1 << 20) != piece { Issue.record("the received bytes differ from those sent") }
        #expect(client.readToEnd() == ("", .closed))
    }

    @Test func `a server that never responds still records requests`() async throws {
        let server = try LoopbackServer(configuration: .init(behavior: .neverRespond))
        let client = try RawSocketClient(server).get("/quiet")
        #expect(await server.waitForRequests(count: 1).first?.path == "/quiet")
        let confused = try RawSocketClient(server).send("\u{16}\u{3}\u{1}\r\n\r\n")
        try client.get("/again")
        #expect(await server.waitForRequests(count: 2).map(\.path) == ["/quiet", "/again"])
        #expect(await server.waitForOpenConnections(count: 2))
        server.stop()
        #expect(client.readToEnd() == ("", .closed))
        #expect(confused.readToEnd() == ("", .closed))
    }

    @Test func `a server can close or reset connections when it accepts them`() throws {
        let closing = try LoopbackServer(configuration: .init(behavior: .closeOnAccept))
        #expect(try RawSocketClient(closing).readToEnd() == ("", .closed))
        let resetting = try LoopbackServer(configuration: .init(behavior: .resetOnAccept))
        #expect(try RawSocketClient(resetting).readToEnd() == ("", .reset))
        #expect(resetting.connectionCount == 1)
    }

    /// `@unchecked Sendable`: `content` is accessed only while `lock` is held.
    private final class Box: @unchecked Sendable {
        private let lock = NSLock()
        private var content: LoopbackServer?

        var server: LoopbackServer? {
            get { lock.withLock { content } }
            set { lock.withLock { content = newValue } }
        }
    }

    private func openDescriptors() -> Int {
        let folder = FileManager.default.fileExists(atPath: "/proc/self/fd") ? "/proc/self/fd" : "/dev/fd"
        return (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
    }
}
