#if os(Linux)
    import Foundation
    import NetworkCore
    import NetworkSupport
    import NetworkWebSocket
    import TransferTestSupport
    import Testing

    /// Compressed messages that are read as streams, wholly or in part.
    @Suite(.timeLimit(.minutes(10))) struct CompressedStreamTests {
        private static let words = (0..<40_000).map { "word \($0 &* 7919 % 1000)" }.joined(separator: " ")

        /// Returns the frames of messages that refer to each other's content, in two fragments each.
        private static func frames(of messages: Int) throws -> [TestFrame] {
            let deflater = MessageDeflater(AgreedCompression())
            var frames: [TestFrame] = []
            for _ in 0..<messages {
                var text = words
                let payload = try text.withUTF8 { try deflater.payload(UnsafeRawBufferPointer($0), isLast: true) }
                frames.append(TestFrame(1, Array(payload.prefix(1000)), isFinal: false, reserved: 4))
                frames.append(TestFrame(0, Array(payload.dropFirst(1000))))
            }
            return frames
        }

        @Test(arguments: [100, 70_000]) func `a stream can begin before its first byte is received`(pieces: Int) async throws {
            let scripted = try ScriptedSocket(compression: AgreedCompression())
            let frames = try Self.frames(of: 1)
            scripted.feed(frames[0], pieces: pieces)
            var streams = scripted.socket.streams.makeAsyncIterator()
            let stream = try #require(try await streams.next())
            scripted.feed(frames[1], pieces: pieces)
            var content = Data()
            for try await chunk in stream { content.append(chunk) }
            #expect(content == Data(Self.words.utf8))
        }

        @Test(arguments: [100, 1500, 70_000], [0, 1, 2])
        func `later messages refer to the content of those that were skipped`(pieces: Int, chunks: Int) async throws {
            let scripted = try ScriptedSocket(compression: AgreedCompression())
            scripted.feed(try Self.frames(of: 4), pieces: pieces)
            scripted.feed(.close(1000))
            var streams = scripted.socket.streams.makeAsyncIterator()
            for _ in 0..<2 {
                let stream = try #require(try await streams.next())
                var iterator = stream.makeAsyncIterator()
                for _ in 0..<chunks { _ = try await iterator.next() }
            }
            #expect(try await scripted.socket.receive() == .text(Self.words))
            #expect(try await scripted.socket.receive() == .text(Self.words))
            #expect(try await scripted.socket.receive() == nil)
        }

        @Test func `after a damaged message, nothing more is received`() async throws {
            for reads in [true, false] {
                let scripted = try ScriptedSocket(compression: AgreedCompression())
                scripted.feed(TestFrame(1, [0xC3, 0x28]), .text("hello"))
                var streams = scripted.socket.streams.makeAsyncIterator()
                for _ in 0..<2 {
                    let error = await #expect(throws: WebSocketError.self) {
                        guard reads else { return _ = try await scripted.socket.receive() }
                        guard let stream = try await streams.next() else { return }
                        for try await _ in stream {}
                    }
                    #expect(error?.code == .invalidUTF8)
                }
            }
        }

        @Test func `what is dropped after closing has no gaps`() async throws {
            let scripted = try ScriptedSocket()
            let closing = Task { await scripted.socket.close() }
            _ = await scripted.transport.frames(count: 1)
            let messages = (0..<12).map { WebSocketMessage.binary(Data(repeating: UInt8($0), count: 50_000)) }
            for message in messages.prefix(8) { scripted.feed(.binary(Array(message.data))) }
            // Makes room for further ones, which follow those that were dropped.
            for message in messages.prefix(3) { #expect(try await scripted.socket.receive() == message) }
            for message in messages.dropFirst(8) { scripted.feed(.binary(Array(message.data))) }
            scripted.feed(.close(1000))
            await closing.value
            let (rest, error) = await scripted.socket.collected()
            #expect(error == nil && rest == Array(messages.dropFirst(3).prefix(rest.count)) && !rest.isEmpty)
        }

        @Test func `many empty final blocks are decoded without recursion`() async throws {
            let scripted = try ScriptedSocket(compression: AgreedCompression())
            let blocks = [[UInt8]](repeating: [0x03, 0x00], count: 100_000).flatMap { $0 }
            scripted.feed(TestFrame(2, blocks, reserved: 4))
            #expect(try await scripted.socket.receive() == .binary(Data()))
        }

        @Test func `a connection that ends while a task sends is lost, not cancelled`() async throws {
            let scripted = try ScriptedSocket()
            scripted.transport.setFull(true)
            let sending = Task { try await scripted.socket.send(.text("waits")) }
            await scripted.transport.state.wait { !$0.waiting.isEmpty }
            scripted.transport.failWaiting(TransportError(.connectionLost, "the peer has reset the connection"))
            let error = await #expect(throws: WebSocketError.self) { try await sending.value }
            #expect(error?.code == .connectionLost)
        }
    }

    extension ScriptedTransport {
        /// Fails those that wait for room, before the receiver is notified.
        fileprivate func failWaiting(_ error: TransportError) {
            let waiting = state.withLock { state in
                state.failure = error
                defer { state.waiting = [] }
                return state.waiting
            }
            for promise in waiting { promise.resolve(error) }
        }
    }
#endif
