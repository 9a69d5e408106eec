#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import NetworkTransport

    /// The part of a transfer that belongs to the loop that it was admitted to, and is used only while the lock of that loop is held.
    ///
    /// Before, it belongs to the thread that starts the transfer; while the transfer is in the queue, it belongs to no thread. Other threads
    /// pass it on without using it.
    // Sendable although unchecked: its variables are passed on with the locks of the queue and of the loop's inbox.
    final class LoopTransfer: Transfer, @unchecked Sendable {
        /// Which versions of HTTP a request may be sent over.
        enum VersionRule {
            case any
            /// HTTP/1.1 only: the server has refused the request over HTTP/2 (RFC 9113 §7, `HTTP_1_1_REQUIRED`).
            case http1
            /// HTTP/2 only: the server has refused a connection that offered only HTTP/1.1.
            case http2
        }

        /// The current request: that of the caller, or of the latest redirect.
        var request: NetworkRequest {
            @inline(__always) get { current.value }
            set { current = TransferRequest(newValue) }
        }
        private var current: TransferRequest
        /// The trust policy for the host of the current request.
        var trust: CurlTrust?
        /// The redirects that were followed.
        @exclusivity(unchecked) var redirects = RedirectTrail()
        /// Whether the current request was sent, and whether it may be sent again.
        @exclusivity(unchecked) var sending = SendRule()
        /// Which versions of HTTP the configuration allows for the host of the current request.
        var allowedVersions = HTTPVersionRule.automatic
        /// Which of these versions the current request may be sent over, after what its server has done so far.
        var versionRule = VersionRule.any
        /// Whether HTTP/3 was tried for the current request, and is not tried again.
        var hasFallenBack = false
        @exclusivity(unchecked) var timeLimits = TimeLimits()
        /// When the current request asked for admission.
        var entered: UInt64
        /// The time in the queue so far, over all redirects, in nanoseconds.
        var queued: UInt64 = 0
        /// When the current request was started in its loop.
        var launched: UInt64 = 0
        /// Whether the loop has started it and it has not ended there.
        var isHere = false
        /// What carries the current request after it was admitted; `nil` before, and after an exchange has ended.
        var carrier: (any RequestCarrier)?
        /// The current request on its connection, and its response.
        @exclusivity(unchecked) var exchange = TransferExchange()
        /// The body of the current request, as far as it was sent.
        @exclusivity(unchecked) var upload: TransferUpload
        /// When a byte was last sent or received.
        var lastActivity: UInt64 = 0
        var isReceivePaused = false
        /// Whether the head of a streamed response was delivered, so that the body goes to `download`.
        var isStreaming = false
        /// Whether it is in the list of transfers with new content (see ``Arrivals``).
        var hasArrivals = false
        /// Why a callback of libcurl stopped the transfer.
        var failure: TransportError?

        init(
            _ request: TransferRequest, bodyLength: Int64?, _ context: SessionContext, _ dispatcher: any TransferDispatcher
        ) {
            current = request
            upload = TransferUpload(length: bodyLength)
            entered = 0
            super.init(request, context, dispatcher)
            entered = submitted
        }

        override func submit() {
            dispatcher.start(self)
        }

        override func withdraw() {
            dispatcher.cancel(self)
        }

        override func resume() {
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
