#if os(Linux)
    import NetworkTransport
    import Endpoints
    import Foundation
    import NetworkSupport

    /// A response as the loop delivers it. Its head is parsed on the receiver's thread, not on the loop's.
    ///
    /// A class, because it passes through many calls and is not changed.
    final class RawResponse: Sendable {
        let status: Int
        let head: ResponseHead
        let body: PaddedBytes
        let lazyURL: LazyURL
        let timings: TransferTimings
        /// The connection, if it was switched to another protocol.
        let upgraded: UpgradedConnection?

        init(
            status: Int, head: ResponseHead, body: PaddedBytes, lazyURL: LazyURL, timings: TransferTimings,
            upgraded: UpgradedConnection? = nil
        ) {
            self.status = status
            self.head = head
            self.body = body
            self.lazyURL = lazyURL
            self.timings = timings
            self.upgraded = upgraded
        }
    }

    /// A request of a transfer. A class, so that reading a part of it does not copy the others.
    final class TransferRequest: Sendable {
        let value: NetworkRequest

        init(_ value: NetworkRequest) {
            self.value = value
        }
    }

    /// One call of the session manager, from the request to the response, over all redirects and both versions of HTTP.
    ///
    /// This class is the part that every thread may use: what is constant, the delivery of the outcome, and cancellation. The other parts
    /// have one owner at a time:
    ///
    /// - ``place`` belongs to the queue in front of the loops. Only ``AdmissionQueue`` can read it, under the lock of the queue.
    /// - ``deadline`` and ``heapIndex`` belong to the heap that the transfer is in: that of the queue, under its lock, or that of its loop,
    ///   under the lock of the loop.
    /// - ``LoopTransfer`` belongs to the thread that starts the transfer, then to the loop that it was admitted to.
    ///
    /// The outcome is delivered once: by the loop, or by `cancel()`, whichever is first.
    // Sendable although unchecked: `delivery` is protected by its mutex, each `let` is immutable, `download` is set by the initializer
    // only, and the other variables are protected as listed above. Inherited by `LoopTransfer` alone.
    class Transfer: NetworkCancellable, DeadlineMember, @unchecked Sendable {
        typealias Outcome = Result<RawResponse, TransportError>

        /// What receives the outcome.
        enum Receiver {
            case continuation(UnsafeContinuation<Outcome, Never>)
            case completion(@Sendable (Outcome) -> Void)
        }

        /// The state of the delivery of the outcome.
        private enum Delivery {
            /// The transfer has not begun.
            case idle
            case awaited(Receiver)
            /// The outcome was delivered, or the transfer was cancelled before it began.
            case delivered
        }

        private let delivery = Locked(Delivery.idle)
        let context: SessionContext
        /// The event loops of the session manager.
        let dispatcher: any TransferDispatcher
        var configuration: SessionConfiguration { context.configuration }
        /// The request of the caller, before any redirect.
        private let original: TransferRequest
        /// When the transfer was created.
        let submitted = monotonicNanoseconds()
        /// The pipe for the body of a streamed response; `nil` when the body is collected in memory.
        private(set) var download: ResponseBodyPipe?
        /// Reports progress; `nil` when the request has no observer.
        let progress: ProgressReporter?
        /// Where the transfer is, as the queue sees it.
        @exclusivity(unchecked) var place = QueuePlace()
        var deadline = UInt64.max
        var heapIndex = -1

        /// Creates a transfer without sending anything.
        ///
        /// - Parameters:
        ///   - bodyLength: The length of the request's body in bytes; `nil` for a stream of unknown length.
        static func make(
            _ request: NetworkRequest, bodyLength: Int64? = 0, _ context: SessionContext, _ dispatcher: any TransferDispatcher
        ) -> Transfer {
            LoopTransfer(TransferRequest(request), bodyLength: bodyLength, context, dispatcher)
        }

        init(_ request: TransferRequest, _ context: SessionContext, _ dispatcher: any TransferDispatcher) {
            self.context = context
            self.dispatcher = dispatcher
            original = request
            progress = ProgressReporter(request.value.progress, submitted: submitted)
            if request.value.isStreamed { download = ResponseBodyPipe { [weak self] in self?.resume() } }
        }

        /// Sets the receiver of the outcome, and starts the transfer unless it was already cancelled.
        func begin(_ receiver: Receiver) {
            let isCancelled = delivery.withLock { delivery in
                guard case .idle = delivery else { return true }
                delivery = .awaited(receiver)
                return false
            }
            if isCancelled {
                progress?.finish()
                return deliver(.failure(cancellation), to: receiver)
            }
            submit()
        }

        /// Returns the outcome as the caller receives it. The body of a streamed response cancels the transfer when it is released.
        func response(_ outcome: RawResponse) -> NetworkResponse {
            if let upgraded = outcome.upgraded {
                return NetworkResponse(
                    statusCode: outcome.status, headers: outcome.head.headers, body: NetworkBody(upgraded),
                    lazyURL: outcome.lazyURL,
                    timings: outcome.timings)
            }
            guard let download else {
                return NetworkResponse(
                    statusCode: outcome.status, headers: outcome.head.headers, trailers: outcome.head.trailers,
                    body: NetworkBody(source: .data(outcome.body)), lazyURL: outcome.lazyURL, timings: outcome.timings)
            }
            return NetworkResponse(
                statusCode: outcome.status, headers: outcome.head.headers,
                body: NetworkBody(next: download.next, end: { download.end }, stop: cancel),
                lazyURL: outcome.lazyURL,
                timings: outcome.timings)
        }

        /// Cancels the transfer and delivers the error, unless an outcome was delivered before. Ends a streamed body.
        func cancel() {
            let wasOpen = stop(cancellation)
            if download == nil || wasOpen { withdraw() }
        }

        /// Delivers an error, unless an outcome was delivered before. Ends a streamed body, whose bytes that were not read are dropped.
        ///
        /// - Returns: `false` if an outcome was delivered before, and the body of a streamed response had ended.
        func stop(_ error: TransportError) -> Bool {
            let receiver = take()
            if receiver != nil || download != nil { progress?.finish() }
            if let receiver { deliver(.failure(error), to: receiver) }
            return download?.cancel(error) ?? (receiver != nil)
        }

        // What only the part for the loop can do, which the dispatcher is given. ``LoopTransfer`` overrides these.

        /// Gives the transfer to the dispatcher.
        func submit() {}
        /// Takes the transfer back from the dispatcher after it was cancelled.
        func withdraw() {}
        /// Continues the transfer after a pause: the reader has room, or there is something to send.
        func resume() {}

        /// Whether the outcome was delivered, or the transfer was cancelled.
        var isDelivered: Bool {
            delivery.withLock { if case .delivered = $0 { true } else { false } }
        }

        /// Delivers the outcome, and ends the body of a streamed response. Further calls have no effect.
        func end(_ outcome: Outcome) {
            // The last progress event is reported before the outcome is delivered.
            let receiver = take()
            if receiver != nil || download != nil { progress?.finish { $0.complete(with: outcome) } }
            if let receiver { deliver(outcome, to: receiver) }
            guard let download else { return }
            let end = outcome.map { StreamEnd(trailers: $0.head.trailers, timings: $0.timings) }
            original.value.progress.whenSettled { download.finish(end) }
        }

        /// Delivers the head of a streamed response, while the transfer continues.
        func deliverHead(_ response: RawResponse) {
            if let receiver = take() { hand(.success(response), to: receiver) }
        }

        /// Removes and returns the receiver; `nil` when there was none or it was already taken.
        private func take() -> Receiver? {
            delivery.withLock { delivery in
                defer { delivery = .delivered }
                if case .awaited(let receiver) = delivery { return receiver }
                return nil
            }
        }

        /// Delivers an outcome after the last progress event was reported.
        private func deliver(_ outcome: Outcome, to receiver: Receiver) {
            if original.value.progress == nil { return hand(outcome, to: receiver) }
            original.value.progress.whenSettled { self.hand(outcome, to: receiver) }
        }

        private func hand(_ outcome: Outcome, to receiver: Receiver) {
            switch (receiver, configuration.completions) {
            case (.continuation(let continuation), _): continuation.resume(returning: outcome)
            case (.completion(let completion), .inBackground): BackgroundThreads.completions.run { completion(outcome) }
            case (.completion(let completion), .onEventLoop): dispatcher.run { completion(outcome) }
            }
        }

        private var cancellation: TransportError {
            TransportError(.cancelled, "the request was cancelled", request: original.value)
        }
    }
#endif
