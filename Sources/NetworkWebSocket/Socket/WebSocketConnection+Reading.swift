import Foundation
import NetworkCore
import NetworkSupport

// Reading messages and chunks, on the task of the user.
extension WebSocketConnection {
    /// Returns the next message; `nil` after an orderly end.
    package func receive() async throws(WebSocketError) -> WebSocketMessage? {
        if let message = try beginReceiving() { return message }
        return try await finishReceiving()
    }

    /// Returns the next message if it was received as a whole. Otherwise claims the right to receive, for ``finishReceiving()``.
    package func beginReceiving() throws(WebSocketError) -> WebSocketMessage? {
        let (isFree, event, resumes) = state.withLock { state -> (Bool, Event?, Bool) in
            guard !state.isClaimed else { return (false, nil, false) }
            // The rest of a message that is read as a stream is skipped first.
            guard !isReadingMessage, state.isNextWhole, let event = state.takeEvent() else {
                state.isClaimed = true
                return (true, nil, false)
            }
            return (true, event, Self.mayResume(&state))
        }
        if resumes { transport.resumeReading() }
        guard isFree else { throw .concurrentReceive }
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
        let (event, resumes) = state.withLock { state -> (Event?, Bool) in
            guard !isReadingMessage, state.isNextWhole, let event = state.takeEvent() else { return (nil, false) }
            state.isClaimed = false
            return (event, Self.mayResume(&state))
        }
        if resumes { transport.resumeReading() }
        if let event { return try whole(event) }
        return try await collect()
    }

    /// Returns the message of an event that is one by itself.
    func whole(_ event: Event) throws(WebSocketError) -> WebSocketMessage {
        switch event {
        case .text(let text):
            guard text.utf8.count <= limits.maximumMessageBytes else { throw tooLarge() }
            return .text(text)
        case .message(let kind, let data, _): return try message(kind, data)
        case .begin, .part: throw WebSocketError(.invalidFragmentation, "a part of a message was received outside of one")
        }
    }

    private func collect() async throws(WebSocketError) -> WebSocketMessage? {
        defer { unclaim() }
        try skipRead()
        while let event = try await nextEvent() {
            switch event {
            case .text, .message(_, _, isCompressed: false):
                isReadingMessage = false
                return try whole(event)
            case .message(let kind, let data, _):
                isReadingMessage = false
                content.begin(kind, isCompressed: true)
                var body = Data()
                try read(data, isLast: true, into: &body)
                return text(kind, body)
            case .begin(let kind, let isCompressed, let announced):
                isReadingMessage = false
                if !isCompressed, announced > limits.maximumMessageBytes { throw tooLarge() }
                content.begin(kind, isCompressed: isCompressed)
                var body = Data()
                while case .part(let data, let isLast)? = try await nextEvent() {
                    try read(data, isLast: isLast, into: &body)
                    if isLast { return text(kind, body) }
                }
                // The message is incomplete.
                return nil
            case .part(let data, let isLast): try skip(data, isLast: isLast)
            }
        }
        return nil
    }

    func message(_ kind: Kind, _ data: Data) throws(WebSocketError) -> WebSocketMessage {
        guard data.count <= limits.maximumMessageBytes else { throw tooLarge() }
        if kind == .binary { return .binary(data) }
        guard let text = data.withUnsafeBytes({ String(validUTF8: $0) }) else { throw violated(.invalidUTF8) }
        return .text(text)
    }

    func text(_ kind: Kind, _ body: Data) -> WebSocketMessage {
        kind == .binary ? .binary(body) : .text(String(decoding: body, as: UTF8.self))
    }

    private func tooLarge() -> WebSocketError { violated(.messageTooLarge(limits.maximumMessageBytes)) }

    func read(_ payload: Data, isLast: Bool, into body: inout Data) throws(WebSocketError) {
        content.append(payload, isLast: isLast)
        // Blocks without content could follow each other without end; what deflate adds to content is far less than twice its size.
        guard content.received / 2 <= limits.maximumMessageBytes else { throw tooLarge() }
        do throws(WebSocketViolation) {
            while let piece = try content.next() {
                guard body.count + piece.count <= limits.maximumMessageBytes else {
                    throw .messageTooLarge(limits.maximumMessageBytes)
                }
                body.append(piece)
            }
        } catch {
            throw violated(error)
        }
    }

    func violated(_ violation: WebSocketViolation) -> WebSocketError {
        let error = violation.error
        // What follows is not received.
        state.withLock { state in
            state.events = []
            (state.first, state.buffered) = (0, 0)
            state.end = .failed(error)
            state.isOver = true
        }
        content.begin(.binary, isCompressed: false)
        lastPartWasRead = false
        fail(error)
        return error
    }

    /// Begins the next message, of which the rest of the last one is skipped. Returns `nil` after an orderly end.
    package func nextStream() async throws(WebSocketError) -> WebSocketMessage.Kind? {
        var next = try claim()
        defer { unclaim() }
        try skipRead()
        if next == nil { next = try await nextEvent() }
        while let event = next {
            switch event {
            case .text(let text):
                content.begin(.text, isCompressed: false)
                content.append(Data(text.utf8), isLast: true)
                isReadingMessage = true
                lastPartWasRead = true
                return .text
            case .message(let kind, let data, let isCompressed):
                content.begin(kind, isCompressed: isCompressed)
                content.append(data, isLast: true)
                isReadingMessage = true
                lastPartWasRead = true
                return kind
            case .begin(let kind, let isCompressed, _):
                content.begin(kind, isCompressed: isCompressed)
                isReadingMessage = true
                lastPartWasRead = false
                return kind
            case .part(let data, let isLast): try skip(data, isLast: isLast)
            }
            next = try await nextEvent()
        }
        return nil
    }

    /// Skips what has been received of the message that ``nextStream()`` has begun.
    private func skipRead() throws(WebSocketError) {
        guard isReadingMessage, content.keepsContext else { return }
        do throws(WebSocketViolation) {
            try content.skip()
        } catch {
            throw violated(error)
        }
    }

    /// Skips a part of that message. It is decoded if the next message may refer to it.
    func skip(_ data: Data, isLast: Bool) throws(WebSocketError) {
        guard isReadingMessage, content.keepsContext else { return }
        content.append(data, isLast: isLast)
        try skipRead()
    }

    /// Returns the next chunk of the message that ``nextStream()`` has begun; `nil` at its end.
    package func nextChunk() async throws(WebSocketError) -> Data? {
        let claimed = try claim(takesEvent: false)
        assert(claimed == nil)
        defer { unclaim() }
        guard isReadingMessage else { return nil }
        while true {
            do throws(WebSocketViolation) {
                if let piece = try content.next() { return piece }
            } catch {
                throw violated(error)
            }
            if lastPartWasRead {
                isReadingMessage = false
                return nil
            }
            guard case .part(let data, let isLast)? = try await nextEvent() else {
                isReadingMessage = false
                throw WebSocketError(.connectionLost, "the connection has ended within a message")
            }
            content.append(data, isLast: isLast)
            lastPartWasRead = isLast
        }
    }

    /// Claims the right to receive, and takes the next event if there is one.
    func claim(takesEvent: Bool = true) throws(WebSocketError) -> Event? {
        let (isFree, event, resumes) = state.withLock { state -> (Bool, Event?, Bool) in
            guard !state.isClaimed else { return (false, nil, false) }
            state.isClaimed = true
            guard takesEvent, let event = state.takeEvent() else { return (true, nil, false) }
            return (true, event, Self.mayResume(&state))
        }
        if resumes { transport.resumeReading() }
        guard isFree else { throw .concurrentReceive }
        return event
    }

    func unclaim() {
        state.withLock { $0.isClaimed = false }
    }

    static func mayResume(_ state: inout State) -> Bool {
        guard state.isPaused, state.buffered < capacity / 2 else { return false }
        state.isPaused = false
        return true
    }

    /// Returns the next event, and suspends until there is one; `nil` after an orderly end.
    private func nextEvent() async throws(WebSocketError) -> Event? {
        while true {
            let (event, end, resumes) = state.withLock { state -> (Event?, End?, Bool) in
                guard let event = state.takeEvent() else { return (nil, state.end, false) }
                return (event, nil, Self.mayResume(&state))
            }
            if resumes { transport.resumeReading() }
            if let event { return event }
            switch end {
            case .orderly: return nil
            case .failed(let error): throw error
            case nil: break
            }
            await withTaskCancellationHandler {
                await withUnsafeContinuation { wait($0) }
            } onCancel: {
                cancel()
            }
        }
    }

    /// Resumes the continuation when there is an event, or the end.
    func wait(_ continuation: UnsafeContinuation<Void, Never>) {
        let isReady = state.withLock { state in
            if !state.isReadable { state.reader = continuation }
            return state.isReadable
        }
        if isReady { continuation.resume() }
    }
}

extension WebSocketError {
    fileprivate static var concurrentReceive: WebSocketError {
        WebSocketError(.concurrentReceive, "two tasks receive from one WebSocket at the same time")
    }
}
