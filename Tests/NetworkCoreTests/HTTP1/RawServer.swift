#if os(Linux)
    import Foundation
    import Glibc
    import NetworkCore
    import NetworkTesting
    import Testing
    import TransferTestSupport

    /// A server that responds with the raw bytes that a test writes, well-formed or not.
    ///
    /// Listens on 127.0.0.1, on a free port. Each connection has its own thread, so that `serve` reads like a script. When the
    /// server is released, all its connections are shut down, which also ends calls that block on them.
    final class RawServer: Sendable {
        /// A received request head, and the number of its connection, counted from 0.
        struct Arrival: Sendable {
            var request: RawRequest
            var connection: Int
        }

        struct State: Sendable {
            var accepted = 0
            var open: [Int: Int32] = [:]
            var arrivals: [Arrival] = []
            var isStopped = false
            var keepsArrivals = true
        }

        let port: UInt16
        let url: URL
        private let listener: Int32
        private let state: Watched<State>

        /// - Parameters:
        ///   - sendBuffer: `SO_SNDBUF` of its connections, in bytes. Default: that of the system.
        ///   - keepsArrivals: Whether ``arrivals`` are kept.
        ///   - serve: Runs once per connection, in its thread. When it returns or throws, the connection is closed.
        init(sendBuffer: Int? = nil, keepsArrivals: Bool = true, serve: @escaping @Sendable (RawConnection) throws -> Void) throws
        {
            let (listener, port) = try LoopbackSocket.listen(backlog: 512, blocks: true)
            self.listener = listener
            self.port = port
            url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
            let state = Watched(State(keepsArrivals: keepsArrivals))
            self.state = state
            Thread.detachNewThread {
                while true {
                    let descriptor = accept(listener, nil, nil)
                    guard descriptor >= 0 else {
                        if [EINTR, ECONNABORTED].contains(errno) { continue }
                        break
                    }
                    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                    let number: Int? = state.withLock { state in
                        guard !state.isStopped else { return nil }
                        state.open[state.accepted] = descriptor
                        state.accepted += 1
                        return state.accepted - 1
                    }
                    guard let number else {
                        close(descriptor)
                        break
                    }
                    Thread.detachNewThread {
                        let connection = RawConnection(descriptor, number: number, server: state, sendBuffer: sendBuffer)
                        try? serve(connection)
                        connection.close()
                    }
                }
                close(listener)
            }
        }

        deinit {
            stop()
        }

        /// Shuts down all connections, and accepts no more.
        func stop() {
            let wasStopped = state.withLock { state in
                defer { state.isStopped = true }
                for descriptor in state.open.values { shutdown(descriptor, Int32(SHUT_RDWR)) }
                return state.isStopped
            }
            // After the first call, the number of the descriptor may belong to another socket.
            if !wasStopped { shutdown(listener, Int32(SHUT_RDWR)) }
        }

        /// Returns when all connections are closed.
        func waitUntilClosed() async {
            await state.wait { $0.open.isEmpty }
        }

        /// The number of accepted connections.
        var connections: Int { state.withLock(\.accepted) }
        /// The number of accepted connections that the server has not closed.
        var openConnections: Int { state.withLock(\.open.count) }
        /// All heads that were read, in the order of their arrival.
        var arrivals: [Arrival] { state.withLock(\.arrivals) }
        /// The targets of all heads that were read.
        var targets: [String] { arrivals.map(\.request.target) }
        /// The number of the connection of each request.
        var connectionNumbers: [Int] { arrivals.map(\.connection) }

        /// A request for a path of this server.
        func request(
            _ path: String, method: RequestMethod = .get, headers: HeaderFields = [:], body: Data? = nil,
            timeouts: RequestTimeouts = RequestTimeouts()
        ) -> NetworkRequest {
            let target = URL(string: "http://127.0.0.1:\(port)\(path)") ?? url
            return NetworkRequest(
                method: method, url: target, headers: headers, body: body.map(NetworkBody.data), timeouts: timeouts)
        }
    }

    /// The head of a request, read leniently.
    struct RawRequest: Sendable {
        var method: String
        /// The request target, byte for byte as received.
        var target: String
        /// The fields in the order of their arrival, with names in lower case.
        var fields: [(name: String, value: String)]
        /// The head as received, without the empty line.
        var text: String

        init(_ bytes: ArraySlice<UInt8>) {
            text = String(decoding: bytes, as: UTF8.self)
            let lines = text.split(separator: "\r\n", omittingEmptySubsequences: true)
            let words = (lines.first ?? "").split(separator: " ")
            method = words.first.map(String.init) ?? ""
            target = words.count > 1 ? String(words[1]) : ""
            fields = lines.dropFirst().map { line in
                let name = line.prefix { $0 != ":" }
                let value = line.dropFirst(name.count + 1).drop { $0 == " " }
                return (name.lowercased(), String(value))
            }
        }

        subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
        var length: Int { self["content-length"].flatMap { Int($0) } ?? 0 }
        var isChunked: Bool { self["transfer-encoding"]?.lowercased() == "chunked" }
    }
#endif
