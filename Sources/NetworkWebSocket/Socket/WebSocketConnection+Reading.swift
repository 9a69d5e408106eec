import Foundation
import NetworkCore
import NetworkSupport

/// What is known of the message that is being read. Only the task that has claimed the right to receive uses it.
final class MessageReading {
    let content: MessageContent
    /// Whether the message is read as a stream, and has not ended.
    var isStream = false
    /// Whether its last part was read.
    var isComplete = false

    init(_ compression: AgreedCompression?) {
        content = MessageContent(compression)
    }
}

// Reading messages and chunks, on the task of the user.
extension WebSocketConnection {
    /// Returns the next message if it was received as a whole. Otherwise claims the right to receive, for ``finishReceiving()``.
    package func beginReceiving() throws(WebSocketError) -> WebSocketMessage? {
        let claim = access { held in
            // The rest of a message that is read as a stream is skipped first.
            held.reading.isStream ? held.state.claim(takesEvent: false) : held.state.claimUnlessWhole()
        }
        guard case .claimed(let event) = claim else { throw .concurrentReceive }
        return try event.map(whole)
    }

    /// Waits for the next message after ``beginReceiving()`` has returned none.
    package func finishReceiving() async throws(WebSocketError) -> WebSocketMessage? {
        // As in `nextEvent()`: each call of an async function costs a switch of executors.
        await withTaskCancellationHandler {
            await withUnsafeContinuation { wait($0) }
        } onCancel: {
            cancel()
        }
        let event = access { held -> SocketEvent? in
            guard !held.reading.isStream, let event = held.state.takeWhole() else { return nil }
            held.state.unclaim()
            return event
        }
        if let event { return try whole(event) }
        return try await collect()
    }

    /// Returns the message of an event that is one by itself.
    private func whole(_ event: SocketEvent) throws(WebSocketError) -> WebSocketMessage {
        switch event {
        case .text(let text):
            guard text.utf8.count <= limits.maximumMessageBytes else { throw tooLarge() }
            return .text(text)
        case .message(let kind, let data, _):
            guard data.count <= limits.maximumMessageBytes else { throw tooLarge() }
            if kind == .binary { return .binary(data) }
            guard let text = data.withUnsafeBytes({ String(validUTF8: $0) }) else { throw violated(.invalidUTF8) }
            return .text(text)
        case .begin, .part: throw WebSocketError(.invalidFragmentation, "a part of a message was received outside of one")
        }
    }

    private func collect() async throws(WebSocketError) -> WebSocketMessage? {
        defer { unclaim() }
        let reading = access(wakes: false) { $0.reading }
        try skipRead(reading)
        while let event = try await nextEvent() {
            switch event {
            case .text, .message(_, _, isCompressed: false):
                reading.isStream = false
                return try whole(event)
            case .message(let kind, let data, _):
                reading.isStream = false
                reading.content.begin(kind, isCompressed: true)
                var body = Data()
                try read(data, isLast: true, reading, into: &body)
                return text(kind, body)
            case .begin(let kind, let isCompressed, let announced):
                reading.isStream = false
                if !isCompressed, announced > limits.maximumMessageBytes { throw tooLarge() }
                reading.content.begin(kind, isCompressed: isCompressed)
                var body = Data()
                while case .part(let data, let isLast)? = try await nextEvent() {
                    try read(data, isLast: isLast, reading, into: &body)
                    if isLast { return text(kind, body) }
                }
                // The message is incomplete.
                return nil
            case .part(let data, let isLast): try skip(data, isLast: isLast, reading)
            }
        }
        return nil
    }

    private func text(_ kind: WebSocketMessage.Kind, _ body: Data) -> WebSocketMessage {
        kind == .binary ? .binary(body) : .text(String(decoding: body, as: UTF8.self))
    }

    private func tooLarge() -> WebSocketError { violated(.messageTooLarge(limits.maximumMessageBytes)) }

    private func read(_ payload: Data, isLast: Bool, _ reading: MessageReading, into body: inout Data) throws(WebSocketError) {
        reading.content.append(payload, isLast: isLast)
        // Blocks without content could follow each other without end; what deflate adds to content is far less than twice its size.
        guard reading.content.received / 2 <= limits.maximumMessageBytes else { throw tooLarge() }
        do throws(WebSocketViolation) {
            while let piece = try reading.content.next() {
                guard body.count + piece.count <= limits.maximumMessageBytes else {
                    throw .messageTooLarge(limits.maximumMessageBytes)
                }
                body.append(piece)
            }
        } catch {
            throw violated(error)
        }
    }

    private func violated(_ violation: WebSocketViolation) -> WebSocketError {
        let error = violation.error
        // What follows is not received.
        access { held in
            held.state.violate(error)
            held.reading.content.begin(.binary, isCompressed: false)
            held.reading.isComplete = false
        }
        fail(error)
        return error
    }

    /// Begins the next message, of which the rest of the last one is skipped. Returns `nil` after an orderly end.
    package func nextStream() async throws(WebSocketError) -> WebSocketMessage.Kind? {
        var (reading, next) = try claim(takesEvent: true)
        defer { unclaim() }
        try skipRead(reading)
        if next == nil { next = try await nextEvent() }
        while let event = next {
            switch event {
            case .text(let text):
                return begin(reading, .text, isCompressed: false, Data(text.utf8))
            case .message(let kind, let data, let isCompressed):
                return begin(reading, kind, isCompressed: isCompressed, data)
            case .begin(let kind, let isCompressed, _):
                return begin(reading, kind, isCompressed: isCompressed, nil)
            case .part(let data, let isLast): try skip(data, isLast: isLast, reading)
            }
            next = try await nextEvent()
        }
        return nil
    }

    /// Begins a stream, whose content is `whole` if that is known.
    private func begin(
        _ reading: MessageReading, _ kind: WebSocketMessage.Kind, isCompressed: Bool, _ whole: Data?
    ) -> WebSocketMessage.Kind {
        reading.content.begin(kind, isCompressed: isCompressed)
        if let whole { reading.content.append(whole, isLast: true) }
        reading.isStream = true
        reading.isComplete = whole != nil
        return kind
    }

    /// Skips what has been received of the message that ``nextStream()`` has begun.
    private func skipRead(_ reading: MessageReading) throws(WebSocketError) {
        guard reading.isStream, reading.content.keepsContext else { return }
        do throws(WebSocketViolation) {
            try reading.content.skip()
        } catch {
            throw violated(error)
        }
    }

    /// Skips a part of that message. It is decoded if the next message may refer to it.
    private func skip(_ data: Data, isLast: Bool, _ reading: MessageReading) throws(WebSocketError) {
        guard reading.isStream, reading.content.keepsContext else { return }
        reading.content.append(data, isLast: isLast)
        try skipRead(reading)
    }

    /// Returns the next chunk of the message that ``nextStream()`` has begun; `nil` at its end.
    package func nextChunk() async throws(WebSocketError) -> Data? {
        let (reading, _) = try claim(takesEvent: false)
        defer { unclaim() }
        guard reading.isStream else { return nil }
        while true {
            do throws(WebSocketViolation) {
                if let piece = try reading.content.next() { return piece }
            } catch {
                throw violated(error)
            }
            if reading.isComplete {
                reading.isStream = false
                return nil
            }
            guard case .part(let data, let isLast)? = try await nextEvent() else {
                reading.isStream = false
                throw WebSocketError(.connectionLost, "the connection has ended within a message")
            }
            reading.content.append(data, isLast: isLast)
            reading.isComplete = isLast
        }
    }

    /// Claims the right to receive, and takes the next event if there is one and it is wanted.
    private func claim(takesEvent: Bool) throws(WebSocketError) -> (MessageReading, SocketEvent?) {
        let (reading, claim) = access { held in (held.reading, held.state.claim(takesEvent: takesEvent)) }
        guard case .claimed(let event) = claim else { throw .concurrentReceive }
        return (reading, event)
    }

    private func unclaim() {
        access(wakes: false) { $0.state.unclaim() }
    }

    /// Returns the next event, and suspends until there is one; `nil` after an orderly end.
    private func nextEvent() async throws(WebSocketError) -> SocketEvent? {
        while true {
            switch access({ $0.state.queue.take() }) {
            case .piece(let event): return event
            case .end(.success): return nil
            case .end(.failure(let error)): throw error
            case .wait: break
            }
            await withTaskCancellationHandler {
                await withUnsafeContinuation { wait($0) }
            } onCancel: {
                cancel()
            }
        }
    }
}

extension WebSocketError {
    fileprivate static var concurrentReceive: WebSocketError {
        WebSocketError(.concurrentReceive, "two tasks receive from one WebSocket at the same time")
    }
}
