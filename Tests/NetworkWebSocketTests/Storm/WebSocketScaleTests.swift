#if os(Linux)
    import Foundation
    import NetworkCore
    import NetworkTesting
    import NetworkWebSocket
    import TransferTestSupport
    import Testing

    /// Many open sockets, and many bytes through one: descriptors, threads, and memory.
    ///
    /// `DATA_TRANSFER_SOCKETS` sets the number of sockets, for which the process needs twice as many descriptors and a few more, and
    /// `DATA_TRANSFER_MEBIBYTES` the number of bytes.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct WebSocketScaleTests {
        private static let environment = ProcessInfo.processInfo.environment
        private static let sockets = environment["DATA_TRANSFER_SOCKETS"].flatMap { Int($0) }
        private static let mebibytes = environment["DATA_TRANSFER_MEBIBYTES"].flatMap { Int($0) }

        @Test func `sockets use one descriptor each, no threads, and little memory, until they are closed in any order`()
            async throws
        {
            let count = Self.sockets ?? (isSanitized ? 40 : 200)
            let server = try LoopbackServer {
                LoopbackRoute.webSocket("/echo") { socket, _ in
                    for try await message in socket.messages { try await socket.send(message) }
                }
            }
            let session = SocketSessionManager(
                configuration: SessionConfiguration {
                    $0.maximumUpgradedConnections = count
                    $0.maximumConnectionsPerHost = 64
                })
            // Everything that is allocated once.
            await (try session.webSocket(for: server.url("/echo"))).close()
            await server.waitForOpenConnections(count: 0)
            let (threads, memory) = (ProcessUsage.threads, ProcessUsage.residentBytes)
            let sockets = try await withThrowingTaskGroup(of: WebSocket.self) { group in
                var sockets: [WebSocket] = []
                for index in 0..<count {
                    if index >= 64, let socket = try await group.next() { sockets.append(socket) }
                    group.addTask {
                        let socket = try await session.webSocket(for: server.url("/echo"))
                        try await socket.send(.text("\(index)"))
                        #expect(try await socket.receive() == .text("\(index)"))
                        return socket
                    }
                }
                for try await socket in group { sockets.append(socket) }
                return sockets
            }
            #expect(await session.connectionCounts().total.upgraded == count)
            let grown = ProcessUsage.residentBytes - memory
            if Self.sockets != nil {
                // Both sides are in this process.
                print(
                    "\(count) sockets: \(grown / count / 1024) KiB each for both sides, \(ProcessUsage.threads - threads) more threads"
                )
            }
            // In a run of all tests, others use memory at the same time.
            if Self.sockets != nil, !isSanitized { #expect(grown / count < 64 << 10, "bytes per socket, for both sides") }
            var random = SeededGenerator(seed: 1)
            let shuffled = sockets.shuffled(using: &random)
            await withTaskGroup(of: Void.self) { group in
                for socket in shuffled.dropLast(count / 4) { group.addTask { await socket.close() } }
            }
            for socket in shuffled.suffix(count / 8) { socket.cancel() }
            #expect(await server.waitForOpenConnections(count: count / 4 - count / 8))
            for socket in shuffled.suffix(count / 4).prefix(count / 4 - count / 8) { await socket.close() }
            #expect(await server.waitForOpenConnections(count: 0))
            while await session.connectionCounts().total.upgraded > 0, !Task.isCancelled { await Task.yield() }
        }

        @Test(arguments: [false, true])
        func `many bytes through one socket need little memory, in either direction`(compresses: Bool) async throws {
            let count = Self.mebibytes ?? (isSanitized ? 1 : 2)
            let compression = compresses ? WebSocketCompression() : nil
            var random = SeededGenerator(seed: 2)
            let block = Data((0..<(1 << 16)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
            let (fromServer, toServer) = (Watched(0), Watched(0))
            // Longer than a busy machine needs to read what was sent before a close frame.
            let serverOptions = WebSocketOptions {
                $0.pingInterval = nil
                $0.closeTimeout = .seconds(600)
            }
            let server = try LoopbackServer {
                LoopbackRoute.webSocket("/down", compression: compression, options: serverOptions) { socket, _ in
                    for _ in 0..<(count * 16) { try await socket.send(.binary(block)) }
                }
                LoopbackRoute.webSocket("/up", compression: compression, options: serverOptions) { socket, _ in
                    while let message = try await socket.receive() { toServer.withLock { $0 += message.data.count } }
                }
            }
            let session = SocketSessionManager()
            let options = WebSocketOptions {
                $0.compression = compression
                $0.closeTimeout = .seconds(600)
            }
            let before = ProcessUsage.residentBytes
            let down = try await session.webSocket(for: server.url("/down"), options: options)
            while let message = try await down.receive() { fromServer.withLock { $0 += message.data.count } }
            #expect(fromServer.withLock { $0 } == count << 20)
            let up = try await session.webSocket(for: server.url("/up"), options: options)
            for _ in 0..<(count * 16) { try await up.send(.binary(block)) }
            await up.close()
            #expect(await server.waitForOpenConnections(count: 0))
            // The handler may still read what was received before the end.
            await toServer.wait { $0 == count << 20 }
            let grown = ProcessUsage.peakBytes - before
            if Self.mebibytes != nil { print("\(count) MiB in each direction: at most \(grown / 1024) KiB more, for both sides") }
            // In a run of all tests, others use memory at the same time.
            if Self.mebibytes != nil, !isSanitized { #expect(grown < 16 << 20) }
        }
    }

    /// What this process uses.
    private enum ProcessUsage {
        static var residentBytes: Int { kibibytes("VmRSS:") << 10 }
        /// The maximum of ``residentBytes`` so far.
        static var peakBytes: Int { kibibytes("VmHWM:") << 10 }
        static var threads: Int { kibibytes("Threads:") }

        /// Returns a number of /proc/self/status.
        private static func kibibytes(_ name: String) -> Int {
            guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
                let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) })
            else { return 0 }
            return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
        }
    }
#endif
