#if os(Linux)
    import Endpoints
    import Foundation

    /// A response as the loop delivers it. Its head is parsed on the receiver's thread, not on the loop's.
    struct RawResponse: Sendable {
        var status: Int
        var head: ResponseHead
        var body: Data
        var url: URL
        var timings: TransferTimings

        var parsed: NetworkResponse {
            NetworkResponse(
                statusCode: status, headers: head.headers, trailers: head.trailers, body: body, url: url, timings: timings)
        }
    }

    /// One call of the session manager, from the request to the response, over all redirects and both versions of HTTP.
    ///
    /// Its outcome is delivered once: by the loop, or by `cancel()`, whichever is first. Everything else in it is used only by the loop that
    /// it belongs to, or by the queue.
    // Sendable although unchecked: `delivery` is protected by its mutex, `station` by that of the queue, and each `let` is immutable. Each
    // `var` below the mark is used by the thread that starts the transfer, then by the holder of the queue's lock while it waits, then by
    // the holder of the engine's lock after the loop's inbox has passed the transfer on.
    final class CurlTransfer: NetworkCancellable, DeadlineMember, @unchecked Sendable {
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

        /// Where the transfer is, as the queue sees it.
        enum Station {
            /// It has not entered the queue yet, or is between two requests.
            case outside
            /// It waits in the queue with that ticket.
            case waiting(UInt64)
            /// It belongs to the loop of that number, and may still be in its inbox.
            case inside(Int)
            /// It has ended or was cancelled, and is not admitted again.
            case gone
        }

        /// What carries the current request after it was admitted.
        enum Carrier {
            case none
            /// It waits while another transfer finds out which version of HTTP the origin speaks.
            case awaitingVersion
            case connecting(ConnectHandle)
            case http1(HTTP1Connection)
            case http2(HTTP2Handle)
        }

        /// Which versions of HTTP a request may be sent over.
        enum VersionRule {
            case any
            /// HTTP/1.1 only: the server has refused the request over HTTP/2 (RFC 9113 §7, `HTTP_1_1_REQUIRED`).
            case http1
            /// HTTP/2 only: the server has refused a connection that offered only HTTP/1.1.
            case http2
        }

        private let delivery = Locked(Delivery.idle)
        private let loops: CurlLoops
        var limits: SessionConfiguration { loops.configuration }
        /// The request of the caller, before any redirect.
        private let original: NetworkRequest
        /// When the transfer was created.
        let submitted = monotonicNanoseconds()
        /// The pipe for the body of a streamed response; `nil` when the body is collected in memory.
        private(set) var download: DownloadPipe?
        /// Reports progress; `nil` when the request has no observer.
        let progress: ProgressReporter?
        var station = Station.outside

        // MARK: Used by the loop only

        /// The current request: that of the caller, or of the latest redirect.
        var request: NetworkRequest
        /// The origin of the current request.
        var origin: String
        /// The trust policy for the host of the current request.
        var trust: CurlTrust?
        /// The number of redirects that were followed.
        var redirects = 0
        /// Whether the current request was sent, and whether it may be sent again.
        var sending = SendRule()
        var carrier = Carrier.none
        /// Which versions of HTTP the current request may be sent over.
        var versionRule = VersionRule.any
        /// Whether the loop has started it and it has not ended there.
        var isHere = false
        /// When the current request asked for admission.
        var entered: UInt64
        /// The time in the queue so far, over all redirects, in nanoseconds.
        var queued: UInt64 = 0
        /// When the current request was started in its loop.
        var launched: UInt64 = 0
        /// When a byte was last sent or received.
        var lastActivity: UInt64 = 0
        /// When the last byte of the request's body was sent; 0 before.
        var sentAt: UInt64 = 0
        /// When the first byte of the response was received; 0 before.
        var firstByte: UInt64 = 0
        /// The number of bytes that libcurl had sent when the idle timeout was last checked.
        var uploadedAtLastCheck: Int64 = 0
        /// When the total timeout ends.
        var totalDeadline = UInt64.max
        /// The limit of the time until the head of a streamed response is received, and after that of the time without a byte.
        var headBound: Deadline?
        /// The `totalDeadline` of a streamed response from when its head was received.
        var bodyDeadline = UInt64.max
        /// When the connect timeout ends.
        var connectDeadline = UInt64.max
        /// Until when the body of a request with `Expect: 100-continue` waits for a 100.
        var continueDeadline = UInt64.max
        /// The idle timeout, in nanoseconds.
        var idleNanoseconds: UInt64 = 0
        /// When the transfer is next checked for time limits.
        var deadline = UInt64.max
        var heapIndex = -1
        /// The timings and the protocol of the connection of the current request.
        var connectionTimings = ConnectionTimings()
        var status = 0
        var head = ResponseHead()
        var body = Data()
        /// The decoder of the content coding; `nil` when the body is passed on as it is received.
        var decoder: ContentDecoder?
        /// Content that was received while the reader had no room for it.
        var held: [UInt8] = []
        /// The number of bytes of `held` that the decoder has consumed.
        var heldOffset = 0
        /// Whether the decoder has more output than the reader has room for.
        var isDecoderFull = false
        /// Whether the response is a redirect that is followed, so that its body is not needed.
        var isBodyUnwanted = false
        /// Whether the body was received to its end, bytes in `held` included.
        var isBodyComplete = false
        /// The number of bytes of the current response's body that were received, before content decoding.
        var bytesReceived: Int64 = 0
        /// The number of bytes of the current request's body that were passed to the connection.
        var bodyOffset = 0
        /// The length of the request's body in bytes; `nil` for a stream of unknown length.
        var bodyLength: Int64?
        /// Whether a body of unknown length was sent to its end.
        var isBodySent = false
        /// The body writer: reads the body from its file or sequence into a pipe.
        var bodyWriter: BodyWriter?
        var isSendPaused = false
        var isReceivePaused = false
        /// Whether the head of a streamed response was delivered, so that the body goes to `download`.
        var isStreaming = false
        /// Whether it is in the list of transfers with new content (see ``Arrivals``).
        var hasArrivals = false
        /// The value of `Content-Length`, when progress is reported.
        var announcedLength: Int64?
        /// Why a callback of the engine stopped the transfer.
        var failure: TransportError?

        /// Creates a transfer without sending anything.
        ///
        /// - Parameters:
        ///   - bodyLength: The length of the request's body in bytes; `nil` for a stream of unknown length.
        ///   - isStreamed: Whether the outcome is delivered when the head of the response was received.
        init(_ request: NetworkRequest, bodyLength: Int64? = 0, isStreamed: Bool = false, loops: CurlLoops) {
            self.request = request
            self.bodyLength = bodyLength
            self.loops = loops
            original = request
            entered = submitted
            origin = request.origin
            progress = ProgressReporter(request.progress, submitted: submitted)
            if isStreamed { download = DownloadPipe { [weak self] in self?.resume() } }
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
            loops.start(self)
        }

        /// Cancels the transfer and delivers the error, unless an outcome was delivered before. Ends a streamed body.
        func cancel() {
            let receiver = take()
            if receiver != nil || download != nil { progress?.finish() }
            if let receiver { deliver(.failure(cancellation), to: receiver) }
            if let download, !download.cancel(cancellation) { return }
            loops.cancel(self)
        }

        /// Continues the transfer after a pause: the reader has room, or there is something to send.
        func resume() {
            loops.resume(self)
        }

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
            original.progress.whenSettled { download.finish(end) }
        }

        /// Delivers the head of a streamed response, while the transfer continues.
        func deliverHead(_ response: RawResponse) {
            if let receiver = take() { Self.hand(.success(response), to: receiver) }
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
            if original.progress == nil { return Self.hand(outcome, to: receiver) }
            original.progress.whenSettled { Self.hand(outcome, to: receiver) }
        }

        private static func hand(_ outcome: Outcome, to receiver: Receiver) {
            switch receiver {
            case .continuation(let continuation):
                continuation.resume(returning: outcome)
            case .completion(let completion):
                // Not on the loop's thread, because the caller's closure may block.
                BackgroundThreads.completions.run { completion(outcome) }
            }
        }

        private var cancellation: TransportError {
            TransportError(.cancelled, "the request was cancelled", request: original)
        }
    }
#endif
