#if os(Linux)
    import Endpoints
    import Foundation
    import Glibc
    import NetworkCore
    import TestSupport
    import Testing

    /// The idle timeout of uploads counts what the peer takes, not what the socket does.
    @Suite(.timeLimit(.minutes(30)))
    struct UploadTimeoutTests {
        private static let body = Data(count: 1 << 20)

        /// A server with a small receive buffer.
        private func server(_ read: @escaping @Sendable (RawConnection, RawRequest) throws -> Void) throws -> RawServer {
            try RawServer { connection in
                var bytes: Int32 = 16 << 10
                _ = setsockopt(connection.descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
                guard let head = try connection.head() else { return }
                try read(connection, head)
            }
        }

        @Test func `an upload that the server reads slowly, and no faster at its end, does not time out`() async throws {
            let length = try await withTimeouts(from: .milliseconds(1500)) { idle -> String? in
                // The reader is faster than the timeout, and the whole upload takes five times as long. No event marks a timeout that must not expire.
                let pause = idle / 12
                let server = try server { connection, head in
                    for _ in 0..<(Self.body.count >> 14) {
                        _ = try connection.take(16 << 10)
                        usleep(UInt32(pause / .microseconds(1)))
                    }
                    try connection.send(WireRuleTests.ok("\(head.length)"))
                }
                let request = server.request("/", method: .put, body: Self.body, timeouts: RequestTimeouts(idle: idle))
                do throws(TransportError) {
                    return String(decoding: try await SocketSessionManager().response(for: request).data, as: UTF8.self)
                } catch {
                    #expect(error.code == .timedOut)
                    return nil
                }
            }
            #expect(length == "\(Self.body.count)")
        }

        @Test func `an upload that the server stops reading times out, also when the socket has taken all of it`() async throws {
            for count in [Self.body.count, 128 << 10] {
                let server = try server { connection, _ in
                    if count == Self.body.count { _ = try connection.take(64 << 10) }
                    connection.waitForHangUp()
                }
                let limits = RequestTimeouts(idle: .milliseconds(700))
                let request = server.request("/", method: .put, body: Self.body.prefix(count), timeouts: limits)
                let error = await #expect(throws: TransportError.self) {
                    try await SocketSessionManager().response(for: request)
                }
                #expect(error?.code == .timedOut)
            }
        }
    }
#endif
