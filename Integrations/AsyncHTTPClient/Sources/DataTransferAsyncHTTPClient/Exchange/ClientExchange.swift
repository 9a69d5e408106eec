import AsyncHTTPClient
import Endpoints
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NetworkCore
@_spi(SessionManagers) import NetworkTransport

/// One request and its response over async-http-client, without redirects.
///
/// The client calls the delegate's methods on one event loop. The response is passed on by a ``ResponsePipe``, which stops the client when its reader is
/// slow, and the body of the request is produced by a task that waits for the client.
final class ClientExchange: HTTPClientResponseDelegate {
    typealias Response = Void

    private struct State {
        var task: HTTPClient.Task<Void>?
        var upload: Task<Void, Never>?
        /// Whether the client waits for the sequence that produces the body, so that the connection cannot be idle.
        var isProducing = false
        var lastActivity = NIODeadline.now()
        var timer: Scheduled<Void>?
        var times = ExchangeTimes()
        var stopReason: TransportError?
        var isOver = false
    }

    let pipe: ResponsePipe
    private let driver: CallDriver
    private let request: NetworkRequest
    private let control: CallControl
    private let loop: any EventLoop
    private let announcedBytes: Int64?
    private let state = NIOLockedValueBox(State())

    /// - Parameters:
    ///   - loop: The event loop on which the client calls the delegate.
    ///   - announcedBytes: The number of bytes of the request's body; `nil` if it is not known.
    init(
        _ driver: CallDriver, _ request: NetworkRequest, _ control: CallControl, on loop: any EventLoop, announcedBytes: Int64?
    ) {
        self.driver = driver
        self.request = request
        self.loop = loop
        self.control = control
        self.announcedBytes = announcedBytes
        pipe = ResponsePipe()
    }

    /// The moments and byte counts of the exchange so far.
    var times: ExchangeTimes { state.withLockedValue(\.times) }

    /// Starts the exchange.
    ///
    /// - Parameter onEnd: Called once, when the client has nothing to do with it any more.
    func start(_ client: ClientBox, _ request: HTTPClient.Request, onEnd: @escaping @Sendable () -> Void) {
        control.begin(.connect) { [weak self] in self?.stop($0) }
        // Before the client calls the delegate, which replaces this timer by that of the idle timeout.
        setTimer(
            loop.scheduleTask(in: TimeAmount(driver.connectTimeout)) { [weak self] in
                guard let self, times.ready == nil else { return }
                stop(control.timeout("no connection within the connect timeout", in: .connect))
            })
        let task = client.client.execute(request: request, delegate: self, eventLoop: .delegate(on: loop))
        // The client is released, and with it its connections, when its last exchange has ended.
        task.futureResult.whenComplete { _ in
            withExtendedLifetime(client) { onEnd() }
        }
        let reason = state.withLockedValue { state in
            state.task = task
            return state.stopReason
        }
        if let reason { task.fail(reason: reason) }
    }

    /// Ends the exchange, unless its response is complete: its readers receive the error, and its connection is closed.
    func stop(_ error: TransportError) {
        if pipe.finish(.failure(error)) { cancel(error) }
    }

    private func cancel(_ error: TransportError) {
        let task: HTTPClient.Task<Void>? = state.withLockedValue { state in
            if state.stopReason == nil { state.stopReason = error }
            return state.task
        }
        task?.fail(reason: error)
        end()
    }

    /// Ends the exchange after the head of its response was received, whose body nobody needs: it has a moment to arrive, so that the connection can be
    /// used again.
    func discardBody() {
        pipe.discard()
        loop.scheduleTask(in: .milliseconds(100)) { [self] in
            stop(TransportError(.cancelled, "the body of a redirect was not needed", request: request))
        }
    }

    private func end() {
        let (timer, upload): (Scheduled<Void>?, Task<Void, Never>?) = state.withLockedValue { state in
            state.isOver = true
            defer { (state.timer, state.upload) = (nil, nil) }
            return (state.timer, state.upload)
        }
        timer?.cancel()
        upload?.cancel()
    }

    // MARK: Time without a byte

    private func setTimer(_ timer: Scheduled<Void>) {
        let old: Scheduled<Void>? = state.withLockedValue { state in
            guard !state.isOver else { return timer }
            defer { state.timer = timer }
            return state.timer
        }
        old?.cancel()
    }

    private func watch(at deadline: NIODeadline) {
        setTimer(loop.scheduleTask(deadline: deadline) { [weak self] in if let self { checkIdleness() } })
    }

    private func checkIdleness() {
        let idle = TimeAmount(driver.idleTimeout)
        let isPaused = pipe.isFull
        let (due, hasHead, isSending): (NIODeadline, Bool, Bool) = state.withLockedValue { state in
            if isPaused || state.isProducing { state.lastActivity = .now() }
            return (state.lastActivity + idle, state.times.head != nil, state.times.sent == nil)
        }
        if due > .now() { return watch(at: due) }
        let phase: TransportError.Phase = hasHead ? .receive : isSending ? .send : .firstByte
        stop(control.timeout("no byte was transferred within the idle timeout", in: phase))
    }

    private func note(_ change: (inout ExchangeTimes) -> Void = { _ in }) {
        state.withLockedValue { state in
            state.lastActivity = .now()
            change(&state.times)
        }
    }

    // MARK: The body of the request

    /// The body for the client, in chunks; `nil` if there is none.
    func requestBody(_ body: NetworkBody?) -> HTTPClient.Body? {
        guard let body, announcedBytes != 0 else { return nil }
        return .stream(contentLength: announcedBytes) { [self] writer in
            let promise = loop.makePromise(of: Void.self)
            if let data = body.data {
                let pieces = data.pieces
                loop.execute { [self] in send(pieces[...], to: writer, promise) }
            } else {
                send(body.chunksToSend(), to: writer, promise)
            }
            return promise.futureResult
        }
    }

    /// Sends a body in memory without leaving the event loop, so that the request is sent to its end before its response can arrive.
    private func send(_ pieces: ArraySlice<Data>, to writer: HTTPClient.Body.StreamWriter, _ promise: EventLoopPromise<Void>) {
        guard let piece = pieces.first else { return promise.succeed(()) }
        writer.write(.byteBuffer(ByteBuffer(bytes: piece))).whenComplete { [self] result in
            guard case .success = result else { return promise.completeWith(result) }
            note { $0.bytesSent += Int64(piece.count) }
            send(pieces.dropFirst(), to: writer, promise)
        }
    }

    private func send(_ chunks: NetworkBody, to writer: HTTPClient.Body.StreamWriter, _ promise: EventLoopPromise<Void>) {
        let upload = Task {
            do {
                var chunks = chunks.makeAsyncIterator()
                while let chunk = try await produced({ () async throws(TransportError) in try await chunks.next() }) {
                    for piece in chunk.pieces {
                        try await writer.write(.byteBuffer(ByteBuffer(bytes: piece))).get()
                        let count = Int64(piece.count)
                        note { $0.bytesSent += count }
                    }
                }
                promise.succeed(())
            } catch {
                promise.fail(error)
            }
        }
        let isOver = state.withLockedValue { state in
            if !state.isOver { state.upload = upload }
            return state.isOver
        }
        if isOver { upload.cancel() }
    }

    private func produced(_ next: () async throws(TransportError) -> Data?) async throws(TransportError) -> Data? {
        state.withLockedValue { $0.isProducing = true }
        defer {
            state.withLockedValue { state in
                state.isProducing = false
                state.lastActivity = .now()
            }
        }
        return try await next()
    }

    // MARK: Events of the client

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
        note { $0.ready = .now() }
        if control.phase == .connect { control.phase = announcedBytes == 0 ? .firstByte : .send }
        watch(at: .now() + TimeAmount(driver.idleTimeout))
    }

    func didSendRequestPart(task: HTTPClient.Task<Void>, _ part: IOData) {
        note()
        report()
    }

    func didSendRequest(task: HTTPClient.Task<Void>) {
        note { $0.sent = .now() }
        if control.phase == .send { control.phase = .firstByte }
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        note { $0.head = .now() }
        control.phase = .receive
        pipe.receive(head)
        finishEarly()
        return loop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let count = Int64(buffer.readableBytes)
        note { $0.bytesReceived += count }
        report()
        let room = pipe.receive(buffer, on: loop)
        finishEarly()
        return room
    }

    /// Ends the response when all announced bytes were received but the request was not sent to its end: the client would wait for that.
    private func finishEarly() {
        let times = times
        guard times.sent == nil, announcedBytes != 0, let length = pipe.announcedBytes, times.bytesReceived >= length else {
            return
        }
        pipe.finish(.success(()))
        loop.scheduleTask(in: .milliseconds(100)) { [self] in
            if self.times.end == nil { cancel(TransportError(.cancelled, "the response was complete", request: request)) }
        }
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) throws {
        note { $0.end = .now() }
        pipe.finish(.success(()))
        end()
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        let times = times
        let hasHead = times.head != nil
        let phase: TransportError.Phase =
            hasHead ? .receive : times.ready == nil ? .connect : times.sent == nil && announcedBytes != 0 ? .send : .firstByte
        pipe.finish(.failure(ExchangeErrors.transportError(error, .init(phase: phase, hasHead: hasHead), request)))
        end()
    }

    private func report() {
        driver.reportProgress { [self] in measure(&$0) }
    }

    /// Sets the counts of bytes.
    func measure(_ progress: inout TransferProgress) {
        let times = times
        progress.bytesSent = times.bytesSent
        progress.totalBytesToSend = announcedBytes
        progress.bytesReceived = times.bytesReceived
        progress.totalBytesToReceive = times.end == nil ? pipe.announcedBytes : times.bytesReceived
    }
}

/// The moments and byte counts of an exchange.
struct ExchangeTimes: Sendable {
    /// When the head of the request was sent: the connection was ready.
    var ready: NIODeadline?
    /// When the whole request was sent.
    var sent: NIODeadline?
    /// When the head of the response was received.
    var head: NIODeadline?
    /// When the whole response was received.
    var end: NIODeadline?
    var bytesSent: Int64 = 0
    var bytesReceived: Int64 = 0
}

extension Data {
    /// The bytes in pieces of at most 64 KiB.
    fileprivate var pieces: [Data] {
        guard count > 64 << 10 else { return [self] }
        return stride(from: startIndex, to: endIndex, by: 64 << 10).map { self[$0..<Swift.min($0 + (64 << 10), endIndex)] }
    }
}
