#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    @_spi(SessionManagers) import NetworkTransport

    /// One call in the engine: an exchange on a connection for its request, and then for each redirect that is followed.
    ///
    /// The parts have one owner at a time:
    ///
    /// - `driver`, `context` and `dispatcher` may be used by every thread.
    /// - ``place`` belongs to the queue in front of the loops. Only ``AdmissionQueue`` can read it, under the lock of the queue.
    /// - ``deadline`` and ``heapIndex`` belong to the heap that the transfer is in: that of the queue, under its lock, or that of its loop,
    ///   under the lock of the loop.
    /// - Everything else belongs to the thread that starts the transfer, then to the loop that it was admitted to, under its lock. While the
    ///   transfer is in the queue, it belongs to no thread. Other threads pass it on without using it.
    // Sendable although unchecked: its variables are protected as listed above.
    final class LoopTransfer: Exchange, DeadlineMember, @unchecked Sendable {
        /// Which versions of HTTP a request may be sent over.
        enum VersionRule {
            case any
            /// HTTP/1.1 only: the server has refused the request over HTTP/2 (RFC 9113 §7, `HTTP_1_1_REQUIRED`).
            case http1
            /// HTTP/2 only: the server has refused a connection that offered only HTTP/1.1.
            case http2
        }

        let context: SessionContext
        /// The event loops of the session manager.
        let dispatcher: any TransferDispatcher
        let driver: CallDriver
        /// Where the transfer is, as the queue sees it.
        @exclusivity(unchecked) var place = QueuePlace()
        @exclusivity(unchecked) var deadline = UInt64.max
        @exclusivity(unchecked) var heapIndex = -1

        /// The current request: that of the caller, or of the latest redirect.
        @exclusivity(unchecked) var request: NetworkRequest
        /// The number of redirects that were followed.
        var redirects = 0
        /// The trust policy for the host of the current request.
        var trust: TLSPolicy?
        /// The stored cookies that the current request is sent with.
        var cookies: String?
        /// Whether the current request was sent, and whether it may be sent again.
        @exclusivity(unchecked) var sending = SendRule()
        /// Which versions of HTTP the configuration allows for the host of the current request.
        var allowedVersions = HTTPVersionRule.automatic
        /// Which of these versions the current request may be sent over, after what its server has done so far.
        var versionRule = VersionRule.any
        /// Whether the current request is sent over TCP, although HTTP/3 is preferred: it was not available in time.
        var avoidsHTTP3 = false
        /// When the current request is sent over TCP, if there is no connection over HTTP/3 by then; never if that is `UInt64.max`.
        @exclusivity(unchecked) var tcpDeadline = UInt64.max
        @exclusivity(unchecked) var timeLimits = TimeLimits()
        /// When the current request asked for admission.
        var entered: UInt64
        /// The time in the queue so far, over all redirects, in nanoseconds.
        var queued: UInt64 = 0
        /// When the current request was started in its loop.
        var launched: UInt64 = 0
        /// Whether the driver has sent its first request. Belongs to the driver, which sends one request at a time.
        private var isStarted = false
        /// Whether the loop has started it and it has not ended there.
        var isHere = false
        /// What carries the current request after it was admitted; `nil` before, and after an exchange has ended.
        var carrier: (any RequestCarrier)?
        /// The current request on its connection, and its response.
        @exclusivity(unchecked) var exchange = TransferExchange()
        /// The body of that response after content decoding, unless it is streamed.
        @exclusivity(unchecked) var body = PaddedBuffer()
        /// The body of the current request, as far as it was sent.
        @exclusivity(unchecked) var upload: TransferUpload
        /// When a byte was last sent or received.
        var lastActivity: UInt64 = 0
        var isReceivePaused = false
        /// Whether the head of a streamed response was delivered, so that the body goes to `download`.
        var isStreaming = false
        /// Whether it is in the list of transfers with new content (see ``Arrivals``).
        var hasArrivals = false
        /// Why the body of the request could not be read.
        var failure: TransportError?

        /// Creates a transfer without sending anything.
        ///
        /// - Parameters:
        ///   - request: The prepared request.
        ///   - bodyLength: The length of its body in bytes; `nil` for a stream of unknown length.
        init(
            _ request: NetworkRequest, bodyLength: Int64? = 0, _ context: SessionContext, _ dispatcher: any TransferDispatcher
        ) {
            self.context = context
            self.dispatcher = dispatcher
            self.request = request
            upload = TransferUpload(length: bodyLength)
            let reader = request.isStreamed ? StreamReader() : nil
            driver = CallDriver(
                request, rules: context.rules,
                download: reader.map { reader in ResponseBodyPipe { reader.transfer?.resume() } })
            entered = driver.submitted
            reader?.transfer = self
        }

        /// Refers to the transfer that is continued when the reader of a streamed response has room.
        // Sendable although unchecked: the reference is set before the transfer is shared.
        private final class StreamReader: @unchecked Sendable {
            weak var transfer: LoopTransfer?
        }

        /// When the call began, in nanoseconds of the monotonic clock.
        var submitted: UInt64 { driver.submitted }
        /// The pipe for the body of a streamed response; `nil` when the body is collected in memory.
        var download: ResponseBodyPipe? { driver.download }

        // MARK: For the driver, on any thread

        func send(_ request: NetworkRequest, cookies: String?) {
            guard !isStarted else { return dispatcher.follow(self, request, cookies: cookies) }
            isStarted = true
            self.cookies = cookies
            dispatcher.start(self)
        }

        func receiveBody() {
            dispatcher.receiveBody(self)
        }

        func withdraw() {
            dispatcher.cancel(self)
        }

        func run(_ completion: @escaping @Sendable () -> Void) {
            switch context.configuration.completions {
            case .inBackground: BackgroundThreads.completions.run(completion)
            case .onEventLoop: dispatcher.run(completion)
            }
        }

        // MARK: For the loop

        /// Forgets the response, before another request is sent.
        func resetExchange() {
            exchange = TransferExchange()
            body = PaddedBuffer()
        }

        /// Continues the transfer after a pause: the reader has room, or there is something to send.
        func resume() {
            dispatcher.resume(self)
        }

        /// Whether the engine may repeat the request (``SendRule``).
        func mayRepeat(after fate: SendRule.Fate, wasReused: Bool = false) -> Bool {
            sending.permitsRepetition(
                isIdempotent: request.isIdempotent, after: fate, wasReused: wasReused, canSendBodyAgain: canSendBodyAgain)
        }

        /// The origin of the current request.
        var origin: String { request.origin }
    }
#endif
