#if os(Linux)
    import CCurl
    import Endpoints
    import Foundation

    /// One request on its connection, and the response to it. It is replaced as a whole before another request of the transfer is sent.
    ///
    /// Over HTTP/1.1, the connection has the parser of the response and the bytes of the request that are still to be sent
    /// (``HTTP1Connection``); over HTTP/2, libcurl has them.
    struct TransferExchange {
        /// The timings and the protocol of the connection.
        var connectionTimings = ConnectionTimings()
        /// When the last byte of the request's body was sent; 0 before.
        var sentAt: UInt64 = 0
        /// When the first byte of the response was received; 0 before.
        var firstByte: UInt64 = 0
        /// The number of bytes that libcurl had sent when the idle timeout was last checked.
        var uploadedAtLastCheck: Int64 = 0
        /// The number of interim responses, of a request over HTTP/2.
        var interimResponses = 0
        var status = 0
        var head = ResponseHead()
        var body = Data()
        /// The value of `Content-Length`, when progress is reported.
        var announcedLength: Int64?
        /// The number of bytes of the body that were received, before content decoding.
        var bytesReceived: Int64 = 0
        /// The decoder of the content coding; `nil` when the body is passed on as it is received.
        var decoder: ContentDecoder?
        /// Content that was received while the reader had no room for it.
        var held: [UInt8] = []
        /// The number of bytes of `held` that the decoder has consumed.
        var heldOffset = 0
        /// Whether the decoder has more output than the reader has room for.
        var isDecoderFull = false
        /// The request that a redirect leads to, or the reason why it cannot be followed; `nil` if the response is returned.
        var redirect: Result<NetworkRequest, TransportError>?
        /// Whether the response is a redirect that is not returned, so that its body is not needed.
        var isBodyUnwanted: Bool { redirect != nil }
        /// Whether the body was received to its end, bytes in `held` included.
        var isBodyComplete = false

        /// Makes room for a body of the announced length, up to 1 MiB, and for the padding that decoders need.
        mutating func reserveBody(_ length: Int64) {
            guard length > 0, body.isEmpty else { return }
            body.reserveCapacity(Int(min(length, 1 << 20)) + JSONText.paddingCount)
        }
    }

    /// The body of a request, as far as it was passed to the connection.
    struct TransferUpload {
        /// The length of the body in bytes; `nil` for a stream of unknown length.
        var length: Int64?
        /// The number of bytes that were passed to the connection.
        var offset = 0
        /// Whether a body of unknown length was sent to its end.
        var isSent = false
        /// The trailer fields, once the body was sent to its end.
        var trailers = HeaderFields()
        /// Whether there is nothing to send yet.
        var isPaused = false
        /// The body writer: reads the body from its file or sequence into a pipe.
        var writer: BodyWriter?

        init(length: Int64?) {
            self.length = length
        }

        /// Stops the body writer and releases its file or sequence. A later read starts at the beginning of the body.
        mutating func stop() {
            writer?.stop()
            self = TransferUpload(length: length)
        }
    }

    /// The time limits of a transfer, as deadlines in nanoseconds of the monotonic clock.
    struct TimeLimits {
        /// When the total timeout ends.
        private(set) var total = UInt64.max
        /// The idle timeout, in nanoseconds.
        private(set) var idleNanoseconds: UInt64 = 0
        /// When the connect timeout ends.
        var connect = UInt64.max
        /// Until when the body of a request with `Expect: 100-continue` waits for a 100.
        var continuation = UInt64.max
        /// The limit of the time until the head of a streamed response is received, and after that of the time without a byte.
        private var headBound: Deadline?
        /// The `total` of a streamed response from when its head was received.
        private var totalOfBody = UInt64.max

        /// Creates limits that have no effect.
        init() {}

        /// Creates the limits of a request that was submitted at that time.
        init(of request: NetworkRequest, _ configuration: SessionConfiguration, submitted: UInt64) {
            let timeouts = request.timeouts
            if let limit = timeouts.total ?? configuration.totalTimeout { total = submitted &+ limit.boundedNanoseconds }
            idleNanoseconds = (timeouts.idle ?? configuration.idleTimeout).boundedNanoseconds
            guard let deadline = request.headDeadline else { return }
            headBound = deadline
            totalOfBody = total
            total = min(total, monotonicNanoseconds() &+ deadline.remaining.boundedNanoseconds)
            idleNanoseconds = min(idleNanoseconds, deadline.limit.boundedNanoseconds)
        }

        /// Ends the limit of the time until the head, when the head of a streamed response was received.
        mutating func endHeadBound() {
            guard headBound != nil else { return }
            total = totalOfBody
        }

        /// The reason for an error when `total` has passed.
        var totalLateness: String {
            headBound != nil && total < totalOfBody ? Deadline.headLateness : "the total timeout ran out"
        }

        /// Returns the reason for an error when no byte was sent or received for the idle timeout.
        func idleLateness(_ timeout: Duration) -> String { Deadline.idleLateness(timeout, headBound) }
    }

    /// The timings and the protocol of the connection that one request used.
    struct ConnectionTimings {
        /// When the connection was ready for the request; 0 before.
        var readyAt: UInt64 = 0
        /// The timings of making the connection; `nil` for a reused one.
        var connecting: ConnectTimings?
        var isReused: Bool?
        var protocolName: String?
        /// The address that the connection was made to.
        var serverAddress: NetworkResponse.ServerAddress?
    }

    extension LoopTransfer {
        /// Returns the timings of the transfer up to `now`.
        func timings(_ now: UInt64) -> TransferTimings {
            var connectionTimings = exchange.connectionTimings
            var bytesSent = bytesSent
            switch carrier {
            case .http2(let easy):
                connectionTimings = easy.connectionTimings(of: self)
                bytesSent = easy.offset(CCURLINFO_SIZE_UPLOAD_T)
            case .connecting(let handle):
                connectionTimings.connecting = handle.timings
            case .none, .awaitingVersion, .http1: break
            }
            let waiting = launched == 0 || launched < entered ? now - min(now, entered) : 0
            let times = connectionTimings.connecting ?? ConnectTimings()
            return TransferTimings(
                queued: .nanoseconds(queued + waiting),
                nameLookup: times.lookup == 0 ? nil : .microseconds(times.lookup),
                connect: times.connect == 0 ? nil : .microseconds(max(times.connect - times.lookup, 0)),
                tls: times.tls == 0 ? nil : .microseconds(max(times.tls - times.connect, 0)),
                send: sendingTime(connectionTimings, now),
                firstByte: exchange.firstByte == 0
                    ? nil : .nanoseconds(exchange.firstByte - min(connectionTimings.readyAt, exchange.firstByte)),
                total: .nanoseconds(now - min(now, submitted)),
                redirects: redirects.count,
                bytesSent: bytesSent,
                bytesReceived: exchange.bytesReceived,
                protocolName: connectionTimings.protocolName,
                isReusedConnection: connectionTimings.isReused,
                attempt: sending.isRepeated ? 2 : 1,
                serverAddress: connectionTimings.serverAddress
            )
        }

        /// Returns how long sending the body has taken so far; `nil` without a body, and before sending has begun.
        private func sendingTime(_ connectionTimings: ConnectionTimings, _ now: UInt64) -> Duration? {
            guard request.sendsBody, connectionTimings.isReused != nil, connectionTimings.readyAt != 0 else { return nil }
            let end = exchange.sentAt != 0 ? exchange.sentAt : now
            return .nanoseconds(
                max(exchange.firstByte == 0 ? end : min(end, exchange.firstByte), connectionTimings.readyAt)
                    - connectionTimings.readyAt)
        }

        /// The phase of the current request.
        var phase: TransportError.Phase {
            switch carrier {
            case .none: .queued
            case .awaitingVersion: .connect
            case .connecting(let handle): handle.phase
            case .http2(let easy): easy.phase(of: self)
            case .http1(let connection):
                if connection.parser.hasReceivedBytes { .receive } else { connection.sending.isComplete ? .firstByte : .send }
            }
        }

        /// The number of bytes of the request's body that were sent.
        private var bytesSent: Int64 {
            guard case .http1(let connection) = carrier else { return Int64(upload.offset) }
            return connection.sentBodyBytes
        }

        /// Reports progress after bytes were sent or received.
        func reportProgress(_ now: UInt64) {
            guard let progress else { return }
            progress.report(at: now) { progress in
                let timings = timings(now)
                progress.bytesSent = timings.bytesSent
                progress.totalBytesToSend = upload.length
                progress.bytesReceived = exchange.bytesReceived
                progress.totalBytesToReceive = exchange.announcedLength
            }
        }

        /// The reason for an error when no byte was sent or received for the idle timeout.
        var idleLateness: String { timeLimits.idleLateness(request.timeouts.idle ?? limits.idleTimeout) }

        /// Creates the error for a time limit that was exceeded.
        func lateness(_ what: String, phase: TransportError.Phase?, _ now: UInt64) -> TransportError {
            let milliseconds = (now - min(now, submitted)) / 1_000_000
            var error = TransportError(
                .timedOut, "\(what), \(milliseconds) ms after the call", phase: phase, request: request)
            if phase == .queued { error.timings = timings(now) }
            return error
        }
    }

    extension TransferProgress {
        /// Sets the final numbers of bytes if the transfer has succeeded.
        mutating func complete(with outcome: CurlTransfer.Outcome) {
            guard case .success(let response) = outcome else { return }
            bytesSent = response.timings.bytesSent
            totalBytesToSend = bytesSent
            bytesReceived = response.timings.bytesReceived
            totalBytesToReceive = bytesReceived
        }
    }
#endif
