import Foundation
import NetworkCore
import NetworkSupport

// Sending messages, on the task of the user.
extension WebSocketConnection: WebSocketChannel {
    /// Sends a message of one frame, unless another task has the turn. The turn is kept if there is no room for the next message.
    package func beginSending(_ message: WebSocketMessage) throws(WebSocketError) -> WebSocketSendingRest {
        guard isSentWhole(message), turn.take() else { return .message }
        var hasRoom = true
        defer { if hasRoom { turn.release() } }
        hasRoom = try sendWhole(message)
        return hasRoom ? .nothing : .room
    }

    package func finishSending(_ message: WebSocketMessage, _ rest: WebSocketSendingRest) async throws(WebSocketError) {
        if rest == .message { try await takeTurn() }
        defer { turn.release() }
        if rest == .message, let frames = transport.frames, !isSentWhole(message) {
            var parts = MessageParts(message.kind, isCompressed: frames.compresses(message.byteCount))
            return try await send(message.data, &parts, isLast: true, over: frames)
        }
        var hasRoom = false
        if rest == .message { hasRoom = try sendWhole(message) }
        if !hasRoom { try await waitForRoom() }
    }

    private func isSentWhole(_ message: WebSocketMessage) -> Bool {
        message.byteCount <= FrameTransport.fragmentBytes || transport.frames == nil
    }

    private func sendWhole(_ message: WebSocketMessage) throws(WebSocketError) -> Bool {
        noteMessage()
        do throws(SendingFailure) {
            return try transport.send(message)
        } catch {
            throw sendingError(error)
        }
    }

    private func noteMessage() {
        guard measuresTime else { return }
        let now = now
        access(wakes: false) { $0.state.keepAlive.lastMessage = max($0.state.keepAlive.lastMessage, now) }
    }

    /// What is known of a message that is sent in parts.
    private struct MessageParts {
        var opcode: WebSocketOpcode
        let isCompressed: Bool

        init(_ kind: WebSocketMessage.Kind, isCompressed: Bool) {
            opcode = kind.opcode
            self.isCompressed = isCompressed
        }
    }

    /// Sends a part of a message in frames of at most 256 KiB; one without bytes only if it is the last.
    private func send(
        _ part: Data, _ parts: inout MessageParts, isLast: Bool, over frames: FrameTransport
    ) async throws(WebSocketError) {
        var rest = part[...]
        while !rest.isEmpty || isLast {
            let fragment = rest.prefix(FrameTransport.fragmentBytes)
            rest = rest.dropFirst(fragment.count)
            let ends = isLast && rest.isEmpty
            noteMessage()
            let hasRoom: Bool
            do throws(SendingFailure) {
                hasRoom = try frames.sendPart(fragment, as: parts.opcode, isCompressed: parts.isCompressed, isLast: ends)
            } catch {
                throw sendingError(error)
            }
            parts.opcode = .continuation
            if !hasRoom { try await waitForRoom() }
            if ends { return }
        }
    }

    // MARK: Chunks

    package func send<Chunks: AsyncSequence>(
        _ chunks: Chunks, as kind: WebSocketMessage.Kind
    ) async throws(WebSocketError) where Chunks.Element == Data {
        try await takeTurn()
        defer { turn.release() }
        var iterator = chunks.makeAsyncIterator()
        guard let frames = transport.frames else { return try await sendCollected(&iterator, as: kind) }
        var parts = MessageParts(kind, isCompressed: frames.compresses(.max))
        while let chunk = try await nextChunk(&iterator) { try await send(chunk, &parts, isLast: false, over: frames) }
        try await send(Data(), &parts, isLast: true, over: frames)
    }

    /// Collects the chunks in memory for a transport that sends whole messages.
    private func sendCollected<Chunks: AsyncIteratorProtocol>(
        _ chunks: inout Chunks, as kind: WebSocketMessage.Kind
    ) async throws(WebSocketError) where Chunks.Element == Data {
        var content = Data()
        while let chunk = try await nextChunk(&chunks) { content.append(chunk) }
        var message = WebSocketMessage.binary(content)
        if kind == .text {
            guard let text = String(valid: content) else {
                throw WebSocketError(.coding, "the chunks of a text are not UTF-8; nothing was sent")
            }
            message = .text(text)
        }
        if try !sendWhole(message) { try await waitForRoom() }
    }

    /// Returns the next chunk of a message; `nil` at its end.
    ///
    /// - Throws: The error with which the connection was closed. The message has begun: another one must not follow.
    private func nextChunk<Chunks: AsyncIteratorProtocol>(
        _ chunks: inout Chunks
    ) async throws(WebSocketError) -> Data? where Chunks.Element == Data {
        var cause: (any Error)?
        do {
            if let chunk = try await chunks.next() { return chunk }
        } catch {
            cause = error
        }
        // Sequences end early, as if they were complete, when the task is cancelled.
        if Task.isCancelled {
            cancel()
            throw .cancelled
        }
        guard let cause else { return nil }
        let failure = WebSocketError(
            .coding, "the chunks of a message have failed", closeCode: .internalError, underlying: cause)
        fail(failure)
        throw failure
    }

    // MARK: Waiting

    private func takeTurn() async throws(WebSocketError) {
        if turn.take() { return }
        guard await turn.wait() else {
            cancel()
            throw .cancelled
        }
    }

    /// Suspends while the transport has no room.
    private func waitForRoom() async throws(WebSocketError) {
        do throws(TransportError) {
            try await transport.waitForRoom()
        } catch {
            guard error.code == .cancelled, Task.isCancelled else { throw sendingError(.lost(error)) }
            cancel()
            throw .cancelled
        }
    }

    /// The error of sending over a connection that has failed, of which this side may not have been notified yet.
    func sendingError(_ failure: SendingFailure) -> WebSocketError {
        switch failure {
        case .closed: endError
        case .lost(let error): access(wakes: false) { $0.state.queue.end == nil } ? WebSocketError(error) : endError
        case .failed(let error): error
        }
    }
}
