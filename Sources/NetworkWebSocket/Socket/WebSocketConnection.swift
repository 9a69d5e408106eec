import Foundation
import NetworkCore
import NetworkLogging

/// One side of an established WebSocket connection (RFC 6455): frames, pings and the close handshake, over any transport.
///
/// The transport calls it with received bytes. It parses the frames, responds to pings and close frames, and queues the content of messages for
/// one reader, which decodes them (``MessageContent``). If about 256 KiB are queued, the transport is not read.
package final class WebSocketConnection: UpgradedReceiver {
    typealias Kind = WebSocketMessage.Kind

    /// What the reader receives.
    enum Event {
        /// A short text in one piece, which was validated when it was received.
        case text(String)
        /// A message in one piece.
        case message(Kind, Data, isCompressed: Bool)
        case begin(Kind, isCompressed: Bool)
        case part(Data, isLast: Bool)

        var byteCount: Int {
            switch self {
            case .text(let text): text.utf8.count + 64
            case .message(_, let data, _), .part(let data, _): data.count + 64
            case .begin: 64
            }
        }

        /// Whether it is a message that needs no other event, and no decoding.
        var isWhole: Bool {
            switch self {
            case .text, .message(_, _, isCompressed: false): true
            case .message, .begin, .part: false
            }
        }
    }

    /// How the connection has ended.
    enum End {
        case orderly
        case failed(WebSocketError)
    }

    private struct Ping {
        var payload: [UInt8]
        var sentAt: Duration
        var promise: Promise<Result<Duration, WebSocketError>>
    }

    private struct State {
        var parser: WebSocketFrameParser
        var events: [Event] = []
        /// The index of the next event.
        var first = 0
        var buffered = 0
        var isPaused = false
        /// Whether nothing more is queued, because something was dropped: what is received is always a beginning of what was sent.
        var isDropping = false
        /// The message whose frames are being received. Its bytes are those that were received with the current read.
        var current: (kind: Kind, isCompressed: Bool, hasBegun: Bool, bytes: Data)?
        var reader: UnsafeContinuation<Void, Never>?
        /// Whether a task receives.
        var isClaimed = false
        /// Whether a close frame was sent, or is about to be.
        var isClosing = false
        /// Whether this side has begun the close handshake.
        var hasClosedFirst = false
        /// Whether received bytes are ignored.
        var isOver = false
        var end: End?
        var closeStatus: (code: WebSocketCloseCode, reason: String)?
        var pings: [Ping] = []
        var closeWaiters: [Promise<Void>] = []
        var keepAlive: KeepAlive
        var keepAliveTask: Task<Void, any Error>?

        /// Copies a part of the payload that was received, and empties it.
        mutating func keep(_ part: inout UnsafeRawBufferPointer) {
            guard !part.isEmpty else { return }
            if current?.bytes.isEmpty == true {
                current?.bytes = Data(part)
            } else {
                current?.bytes.append(contentsOf: part)
            }
            part = UnsafeRawBufferPointer(start: nil, count: 0)
        }

        /// Whether the current message is a text of which nothing was kept, and this is all of it.
        func isShortText(_ part: UnsafeRawBufferPointer) -> Bool {
            guard !part.isEmpty, part.count <= WebSocketConnection.shortBytes, let current else { return false }
            return current.kind == .text && !current.isCompressed && !current.hasBegun && current.bytes.isEmpty
        }

        var isReadable: Bool { first < events.count || end != nil }

        mutating func append(_ event: Event) {
            // After this side has closed, what nobody reads is dropped, so that the peer's close frame is found; and with it all that follows, so that
            // no message is received without its middle.
            if isClosing, buffered >= WebSocketConnection.capacity { isDropping = true }
            if isDropping { return }
            events.append(event)
            buffered += event.byteCount
        }

        var isNextWhole: Bool { first < events.count && events[first].isWhole }

        mutating func takeEvent() -> Event? {
            guard first < events.count else { return nil }
            let event = events[first]
            first += 1
            buffered -= event.byteCount
            if first == events.count {
                events.removeAll(keepingCapacity: events.count <= 256)
                first = 0
            } else if first == 1024 {
                events.removeFirst(first)
                first = 0
            }
            return event
        }
    }

    /// What is used only by the transport's lock, in the order in which frames are sent.
    private final class Outgoing: @unchecked Sendable {
        @exclusivity(unchecked) var masks = WebSocketMaskSource()
        /// Whether the close frame was sent, after which nothing is (RFC 6455 §5.5.1).
        var isClosed = false
    }

    /// The number of queued bytes at which the transport is not read.
    static let capacity = 256 << 10
    /// The number of bytes of a frame in which larger messages are sent.
    static let fragmentBytes = 256 << 10
    /// The maximum number of bytes of a text that is validated when it is received, rather than by the task that reads it.
    private static let shortBytes = 16 << 10

    private let role: WebSocketFrameParser.Role
    private let transport: any UpgradedTransport
    /// Keeps the connection open until the transport releases this receiver.
    private let handle: UpgradedConnection?
    private let limits: WebSocketOptions
    let time: TimeSource
    private let measuresTime: Bool
    private let state: Locked<State>
    private let outgoing = Outgoing()
    let turn = SendingTurn()
    /// The compression of the messages that are sent. Used by the holder of the turn.
    // Sendable although not checked: only the holder of the turn uses it.
    nonisolated(unsafe) private let deflater: MessageDeflater?
    // Only the task that has claimed the right to receive uses it.
    nonisolated(unsafe) private let content: MessageContent
    nonisolated(unsafe) private var isReadingMessage = false

    /// Creates a connection, which receives nothing before ``start()``.
    package init(
        _ role: WebSocketFrameParser.Role, transport: any UpgradedTransport, handle: UpgradedConnection? = nil,
        options: WebSocketOptions,
        compression: AgreedCompression?
    ) {
        self.role = role
        self.transport = transport
        self.handle = handle
        limits = options
        time = TimeSource(options.clock)
        var keepAlive = KeepAlive()
        keepAlive.pingInterval = options.pingInterval
        keepAlive.pingTimeout = options.pingTimeout
        keepAlive.idleTimeout = options.idleTimeout
        keepAlive.totalTimeout = options.totalTimeout
        measuresTime = !keepAlive.isIdle
        state = Locked(
            State(
                parser: WebSocketFrameParser(
                    role, maximumFrameBytes: options.maximumFrameBytes, allowsCompression: compression != nil),
                keepAlive: keepAlive))
        deflater = compression.map(MessageDeflater.init)
        content = MessageContent(compression)
    }

    /// Begins to receive and to send pings.
    package func start() {
        transport.start(self)
        guard measuresTime else { return }
        let time = time
        let task = Task { [weak self] in
            while let pause = self?.checkTimes() { try await time.sleep(for: pause) }
        }
        let isOver = state.withLock { state in
            state.keepAliveTask = task
            return state.end != nil
        }
        if isOver { task.cancel() }
    }

    // MARK: Receiving, on the transport's thread

    package func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let now = measuresTime ? time.elapsed : .zero
        var replies: [(WebSocketOpcode, [UInt8])] = []
        var measured: [Ping] = []
        let (wantsMore, failure, isOver): (Bool, WebSocketViolation?, Bool) = state.withLock { state in
            guard !state.isOver else { return (true, nil, false) }
            state.keepAlive.received(at: now)
            do throws(WebSocketViolation) {
                try parse(bytes, &state, now, &replies, &measured)
            } catch {
                return (true, error, false)
            }
            if state.buffered >= Self.capacity, !state.isClosing { state.isPaused = true }
            return (!state.isPaused, nil, state.isOver)
        }
        for (opcode, payload) in replies { reply(opcode, payload) }
        for ping in measured { ping.promise.resolve(.success(time.elapsed - ping.sentAt)) }
        if let failure { fail(failure.error) }
        // The close frame has determined how the connection has ended.
        if isOver { finish(.orderly) }
        return wantsMore
    }

    private func parse(
        _ bytes: UnsafeRawBufferPointer, _ state: inout State, _ now: Duration, _ replies: inout [(WebSocketOpcode, [UInt8])],
        _ measured: inout [Ping]
    ) throws(WebSocketViolation) {
        var offset = 0
        // The payload in these bytes that was not copied yet.
        var part = UnsafeRawBufferPointer(start: nil, count: 0)
        while true {
            switch try state.parser.next(bytes, at: &offset) {
            case .needsMore:
                state.keep(&part)
                flushPart(&state, isLast: false)
                return
            case .data(let head):
                guard head.opcode != .continuation else { continue }
                state.current = (Kind(head.opcode), head.isCompressed, false, Data())
            case .payload(let range):
                state.keep(&part)
                part = UnsafeRawBufferPointer(rebasing: bytes[range])
                // The buffer of a read belongs to the transport, and is not read again.
                if role == .server { state.parser.unmask(UnsafeMutableRawBufferPointer(mutating: part)) }
            case .end(let isLast):
                guard isLast else { continue }
                state.keepAlive.lastMessage = now
                if state.isShortText(part) {
                    guard let text = String(validUTF8: part) else { throw .invalidUTF8 }
                    state.append(.text(text))
                    part = UnsafeRawBufferPointer(start: nil, count: 0)
                } else {
                    state.keep(&part)
                    flushPart(&state, isLast: true)
                }
                state.current = nil
            case .control(.ping, let payload): replies.append((.pong, payload))
            case .control(.pong, let payload):
                // A pong responds to all pings before (RFC 6455 §5.5.3).
                guard let index = state.pings.firstIndex(where: { $0.payload == payload }) else { continue }
                measured += state.pings[...index]
                state.pings.removeSubrange(...index)
            case .control(_, let payload):
                let (code, reason) = try WebSocketClosePayload.parse(payload)
                state.closeStatus = (code, reason)
                state.isOver = true
                if !state.isClosing { replies.append((.close, Array(payload.prefix(2)))) }
                state.isClosing = true
                let isOrderly = code.isOrderly || state.hasClosedFirst
                if state.end == nil { state.end = isOrderly ? .orderly : .failed(closedError(code, reason)) }
                replies.append((.continuation, []))
                return
            }
        }
    }

    private func flushPart(_ state: inout State, isLast: Bool) {
        guard var current = state.current, isLast || !current.bytes.isEmpty else { return }
        let bytes = current.bytes
        if isLast, !current.hasBegun {
            state.append(.message(current.kind, bytes, isCompressed: current.isCompressed))
            return
        }
        if !current.hasBegun { state.append(.begin(current.kind, isCompressed: current.isCompressed)) }
        state.append(.part(bytes, isLast: isLast))
        current.hasBegun = true
        current.bytes = Data()
        state.current = current
    }

    /// Sends a pong or a close frame. The opcode of a continuation ends the connection instead: the close handshake is complete.
    private func reply(_ opcode: WebSocketOpcode, _ payload: [UInt8]) {
        if opcode == .continuation { return transport.close(awaitsPeer: role == .client) }
        // If the peer does not read, it gets no more pongs: they would need memory without bound.
        _ = try? sendFrame(opcode, payload, maximumQueued: opcode == .pong ? 64 << 10 : .max)
    }

    package func flush() {
        let reader = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard state.isReadable else { return nil }
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
    }

    package func connectionDidEnd(_ error: TransportError?) {
        finish(.failed(WebSocketError(error)))
    }

    package func sessionWillClose() {
        beginClosing(.goingAway, "")
    }

    // MARK: The end

    /// Records the end, unless there was one, and wakes everything that waits.
    private func finish(_ end: End) {
        let (reader, pings, waiters, task, final) = state.withLock { state in
            if state.end == nil { state.end = end }
            state.isOver = true
            let taken = (state.reader, state.pings, state.closeWaiters, state.keepAliveTask, state.end ?? end)
            state.reader = nil
            state.pings = []
            state.closeWaiters = []
            state.keepAliveTask = nil
            return taken
        }
        task?.cancel()
        reader?.resume()
        for waiter in waiters { waiter.resolve(()) }
        guard !pings.isEmpty else { return }
        let error = if case .failed(let error) = final { error } else { closedError() }
        for ping in pings { ping.promise.resolve(.failure(error)) }
    }

    /// Ends the connection because of an error, which is reported to the peer.
    func fail(_ error: WebSocketError) {
        sendClose(error.closeCode ?? .goingAway, error.closeCode == nil ? "" : error.message)
        var error = error
        error.closeCode = error.closeCode ?? .goingAway
        finish(.failed(error))
        transport.close(awaitsPeer: true)
    }

    /// Ends the connection at once.
    package func cancel() {
        sendClose(.goingAway, "")
        finish(.failed(.cancelled))
        transport.close(awaitsPeer: false)
    }

    /// Ends the connection after its user has released it.
    package func abandon() {
        let isOver = state.withLock { $0.end != nil }
        guard !isOver else { return transport.close(awaitsPeer: true) }
        sendClose(.goingAway, "")
        finish(.failed(.cancelled))
        transport.close(awaitsPeer: true)
    }

    private func beginClosing(_ code: WebSocketCloseCode, _ reason: String) {
        let isPaused = state.withLock { state in
            if !state.isClosing { state.hasClosedFirst = true }
            state.isClosing = true
            defer { state.isPaused = false }
            return state.isPaused
        }
        sendClose(code, reason)
        if isPaused { transport.resumeReading() }
    }

    private func sendClose(_ code: WebSocketCloseCode, _ reason: String) {
        state.withLock { $0.isClosing = true }
        let payload = WebSocketClosePayload.make(code, reason)
        _ = try? sendFrame(.close, payload)
    }

    /// Sends a close frame, and waits for that of the peer, for at most the close timeout.
    package func close(_ code: WebSocketCloseCode, _ reason: String) async {
        beginClosing(code, reason)
        let promise = Promise<Void>()
        let isOver = state.withLock { state in
            if state.end == nil { state.closeWaiters.append(promise) }
            return state.end != nil
        }
        if !isOver {
            let limit = limits.closeTimeout
            await promise.value(within: { limit }, on: time, lateness: {}, cancellation: {})
        }
        finish(.orderly)
        transport.close(awaitsPeer: role == .client)
    }

    /// The code and the reason of the peer's close frame.
    package var closeStatus: (code: WebSocketCloseCode, reason: String)? { state.withLock(\.closeStatus) }

    private func closedError(_ code: WebSocketCloseCode? = nil, _ reason: String = "") -> WebSocketError {
        guard let code else { return WebSocketError(.closed, "the WebSocket is closed", closeCode: closeStatus?.code) }
        return WebSocketError(
            .closed, "the peer has closed the WebSocket with the code \(code.rawValue)" + (reason.isEmpty ? "" : ": \(reason)"),
            closeCode: code)
    }

    /// The error of a call after the end.
    private var endError: WebSocketError {
        if case .failed(let error) = state.withLock(\.end) { error } else { closedError() }
    }

    // MARK: Sending

    /// Sends a frame.
    ///
    /// - Parameter maximumQueued: The number of bytes before it that may wait to be sent; with more, it is dropped.
    /// - Returns: Whether there is room for another frame.
    @discardableResult
    private func sendFrame(
        _ opcode: WebSocketOpcode, _ payload: UnsafeRawBufferPointer, isFinal: Bool = true, isCompressed: Bool = false,
        maximumQueued: Int = .max
    ) throws(WebSocketError) -> Bool {
        var isClosed = false
        let hasRoom: Bool
        do throws(TransportError) {
            hasRoom = try transport.send { buffer in
                isClosed = outgoing.isClosed
                if isClosed || buffer.count > maximumQueued { return }
                if opcode == .close { outgoing.isClosed = true }
                let mask = role == .client ? outgoing.masks.next() : nil
                WebSocketFrameHead(opcode, length: payload.count, isFinal: isFinal, isCompressed: isCompressed, mask: mask)
                    .append(payload, to: &buffer)
            }
        } catch {
            throw sendingError(error)
        }
        if isClosed { throw endError }
        return hasRoom
    }

    @discardableResult
    private func sendFrame(
        _ opcode: WebSocketOpcode, _ payload: [UInt8], isFinal: Bool = true, isCompressed: Bool = false, maximumQueued: Int = .max
    ) throws(WebSocketError) -> Bool {
        let result = payload.withUnsafeBytes { payload in
            Result { () throws(WebSocketError) in
                try sendFrame(opcode, payload, isFinal: isFinal, isCompressed: isCompressed, maximumQueued: maximumQueued)
            }
        }
        return try result.get()
    }

    /// The error of sending over a connection that has failed, of which this side may not have been notified yet.
    private func sendingError(_ error: TransportError) -> WebSocketError {
        state.withLock { $0.end == nil } ? WebSocketError(error) : endError
    }

    /// Sends a message, or a part of one. The caller has the turn to send.
    func send(
        _ bytes: UnsafeRawBufferPointer, as opcode: WebSocketOpcode, isCompressed: Bool, isLast: Bool
    ) throws(WebSocketError) -> Bool {
        if measuresTime {
            let now = time.elapsed
            state.withLock { $0.keepAlive.lastMessage = max($0.keepAlive.lastMessage, now) }
        }
        guard isCompressed, let deflater else { return try sendFrame(opcode, bytes, isFinal: isLast) }
        let payload = try deflater.payload(bytes, isLast: isLast)
        return try sendFrame(opcode, payload, isFinal: isLast, isCompressed: opcode != .continuation)
    }

    /// Whether a message of that size is compressed.
    func compresses(_ count: Int) -> Bool { deflater?.compresses(count) ?? false }

    /// Suspends while the transport has no room.
    func waitForRoom() async throws(WebSocketError) {
        do throws(TransportError) {
            try await transport.waitForRoom()
        } catch {
            guard error.code == .cancelled, Task.isCancelled else { throw sendingError(error) }
            cancel()
            throw .cancelled
        }
    }

    /// Sends a ping, and returns the time until its pong.
    package func ping(within limit: Duration) async throws(WebSocketError) -> Duration {
        let promise = Promise<Result<Duration, WebSocketError>>()
        var generator = SystemRandomNumberGenerator()
        let payload = withUnsafeBytes(of: generator.next() as UInt64) { Array($0) }
        let now = time.elapsed
        let isOver = state.withLock { state in
            if state.end == nil { state.pings.append(Ping(payload: payload, sentAt: now, promise: promise)) }
            return state.end != nil
        }
        if isOver { throw endError }
        defer { state.withLock { state in state.pings.removeAll { $0.payload == payload } } }
        try sendFrame(.ping, payload)
        let result = await promise.value(
            within: { limit }, on: time, lateness: { .failure(.pingTimeout(limit)) }, cancellation: { .failure(.cancelled) })
        return try result.get()
    }

    /// Sends pings and enforces time limits.
    ///
    /// - Returns: The time until the next check; `nil` after the end.
    private func checkTimes() -> Duration? {
        let now = time.elapsed
        let action = state.withLock { state in state.end == nil ? state.keepAlive.next(at: now) : nil }
        switch action {
        case nil: return nil
        case .sleep(let until): return max(until - now, .milliseconds(1))
        case .ping:
            _ = try? sendFrame(.ping, [UInt8]())
            return .zero
        case .fail(.ping): fail(.pingTimeout(limits.pingTimeout))
        case .fail(.idle): fail(WebSocketError(.idleTimeout, "no message for \(limits.idleTimeout ?? .zero) (idleTimeout)"))
        case .fail(.total):
            fail(WebSocketError(.totalTimeout, "the connection has lasted \(limits.totalTimeout ?? .zero) (totalTimeout)"))
        }
        return nil
    }

    // MARK: Reading

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
    private func whole(_ event: Event) throws(WebSocketError) -> WebSocketMessage {
        switch event {
        case .text(let text):
            guard text.utf8.count <= limits.maximumMessageBytes else {
                throw violated(.messageTooLarge(limits.maximumMessageBytes))
            }
            return .text(text)
        case .message(let kind, let data, _): return try message(kind, data)
        case .begin, .part: preconditionFailure("a part of a message is not a message")
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
            case .begin(let kind, let isCompressed):
                isReadingMessage = false
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

    private func message(_ kind: Kind, _ data: Data) throws(WebSocketError) -> WebSocketMessage {
        guard data.count <= limits.maximumMessageBytes else { throw violated(.messageTooLarge(limits.maximumMessageBytes)) }
        if kind == .binary { return .binary(data) }
        guard let text = data.withUnsafeBytes({ String(validUTF8: $0) }) else { throw violated(.invalidUTF8) }
        return .text(text)
    }

    private func text(_ kind: Kind, _ body: Data) -> WebSocketMessage {
        kind == .binary ? .binary(body) : .text(String(decoding: body, as: UTF8.self))
    }

    private func read(_ payload: Data, isLast: Bool, into body: inout Data) throws(WebSocketError) {
        content.append(payload, isLast: isLast)
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

    private func violated(_ violation: WebSocketViolation) -> WebSocketError {
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
            case .begin(let kind, let isCompressed):
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

    // Only the task that has claimed the right to receive uses it.
    nonisolated(unsafe) private var lastPartWasRead = false

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
    private func skip(_ data: Data, isLast: Bool) throws(WebSocketError) {
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
    private func claim(takesEvent: Bool = true) throws(WebSocketError) -> Event? {
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

    private func unclaim() {
        state.withLock { $0.isClaimed = false }
    }

    private static func mayResume(_ state: inout State) -> Bool {
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
    private func wait(_ continuation: UnsafeContinuation<Void, Never>) {
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

    static func pingTimeout(_ limit: Duration) -> WebSocketError {
        WebSocketError(.pingTimeout, "nothing was received for \(limit) after a ping (pingTimeout)")
    }
}
