#if os(Linux)
    import Endpoints
    import Foundation
    import Glibc
    import NetworkCore
    import NetworkTesting
    import Testing
    import TransferTestSupport

    /// Counts the bytes of one body that the client buffers in memory: those that are queued neither on this side nor in the
    /// client's socket.
    struct HeldBytes {
        let connection: RawConnection

        /// - Parameter sent: The number of bytes written to the connection so far.
        func count(sent: Int) -> Int {
            sent - connection.unsent - unreadByClient()
        }

        /// The number of unread bytes in the client's socket. The socket can be found because both ends are in this process.
        private func unreadByClient() -> Int {
            let (own, peer) = (Self.port(connection.descriptor, getsockname), Self.port(connection.descriptor, getpeername))
            for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
                guard let descriptor = Int32(name), descriptor != connection.descriptor,
                    let local = Self.port(descriptor, getsockname), local == peer, Self.port(descriptor, getpeername) == own
                else { continue }
                var count: Int32 = 0
                return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
            }
            return 0
        }

        private typealias Name = (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32

        private static func port(_ descriptor: Int32, _ name: Name) -> UInt16? {
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(descriptor, $0, &length) }
            }
            return result == 0 && address.sin_family == sa_family_t(AF_INET) ? UInt16(bigEndian: address.sin_port) : nil
        }
    }

    extension WireRuleTests {
        @Test func `a cancelled reader never receives a part of the body as the complete body`() async throws {
            let server = try RawServer { connection in
                while try connection.request() != nil { try connection.send(Self.ok("hello")) }
            }
            let session = SocketSessionManager()
            for _ in 0..<20 {
                let response = try await session.stream(for: server.request("/"))
                // From here on, the whole body has arrived and can be read.
                while response.body.end == nil { await Task.yield() }
                let task = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await response.body.collected()
                }
                switch await task.result {
                case .success(let body): #expect(body == Data("hello".utf8))
                case .failure(let error): #expect((error as? TransportError)?.code == .cancelled)
                }
            }
        }
    }

    // Back-pressure: if the reader stops, the engine stops reading from the socket.
    extension WireRuleTests {
        /// The maximum number of buffered bytes: the pipe's capacity, and one read beyond it.
        static let maximumBufferedBytes = (256 + 128) << 10

        private static let body = Data.pattern(6 << 20)
        private static let payloads = ["length": body, "chunks": body, "gzip": StoredCoding.gzip.encoded(body)]

        @Test(arguments: ["length", "chunks", "gzip"], [0, 1_000_000])
        func `if the reader of a body stops, the engine buffers at most 256 KiB and one read`(
            framing: String, readFirst: Int
        ) async throws {
            let payload = try #require(Self.payloads[framing])
            let (measurements, measured) = AsyncStream.makeStream(of: Int.self)
            let server = try RawServer(sendBuffer: 32 << 10) { connection in
                _ = try connection.request()
                let fields = ["chunks": "Transfer-Encoding: chunked\r\n", "gzip": "Content-Encoding: gzip\r\n"][framing] ?? ""
                let length = framing == "chunks" ? "" : "Content-Length: \(payload.count)\r\n"
                try connection.send("HTTP/1.1 200 OK\r\n\(fields)\(length)\r\n")
                if framing == "chunks" { try connection.send("\(String(payload.count, radix: 16))\r\n") }
                var sent = 0
                while sent < payload.count {
                    let count = try connection.sendSome(payload[sent..<min(payload.count, sent + 65_536)])
                    sent += count
                    guard count == 0 else { continue }
                    var interest = pollfd(fd: connection.descriptor, events: Int16(POLLOUT), revents: 0)
                    if poll(&interest, 1, 300) == 0 {
                        measured.yield(HeldBytes(connection: connection).count(sent: sent))
                        poll(&interest, 1, 10_000)
                    }
                }
                // If the sockets have room for the whole body, sending never stopped.
                usleep(100_000)
                measured.yield(HeldBytes(connection: connection).count(sent: sent))
                if framing == "chunks" { try connection.send("\r\n0\r\n\r\n") }
                _ = try connection.request()
            }
            let response = try await SocketSessionManager().stream(for: server.request("/"))
            var received = Data()
            var chunks = response.body.makeAsyncIterator()
            while received.count < readFirst, let chunk = try await chunks.next() { received.append(chunk) }
            var reports = measurements.makeAsyncIterator()
            let held = try #require(await reports.next()) - received.count
            // What was sent may contain more than the body: the headers of compressed blocks.
            let overhead = payload.count - Self.body.count
            #expect(held <= Self.maximumBufferedBytes + overhead, "\(held) bytes are buffered")
            while let chunk = try await chunks.next() { received.append(chunk) }
            #expect(received == Self.body)
        }
    }
#endif
