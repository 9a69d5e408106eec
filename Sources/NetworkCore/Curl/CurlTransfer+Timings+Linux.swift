#if os(Linux)
    import CCurl
    import Endpoints

    /// The timings and the protocol of the connection that one request used.
    struct ConnectionTimings {
        /// When the connection was ready for the request; 0 before.
        var readyAt: UInt64 = 0
        /// The timings of making the connection; `nil` for a reused one.
        var connecting: ConnectTimings?
        var isReused: Bool?
        var protocolName: String?
    }

    extension CurlTransfer {
        /// Returns the timings of the transfer up to `now`.
        func timings(_ now: UInt64) -> TransferTimings {
            var connectionTimings = connectionTimings
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
                firstByte: firstByte == 0 ? nil : .nanoseconds(firstByte - min(connectionTimings.readyAt, firstByte)),
                total: .nanoseconds(now - min(now, submitted)),
                redirects: redirects,
                bytesSent: bytesSent,
                bytesReceived: bytesReceived,
                protocolName: connectionTimings.protocolName,
                isReusedConnection: connectionTimings.isReused,
                attempt: sending.isRepeated ? 2 : 1
            )
        }

        /// Returns how long sending the body has taken so far; `nil` without a body, and before sending has begun.
        private func sendingTime(_ connectionTimings: ConnectionTimings, _ now: UInt64) -> Duration? {
            guard request.sendsBody, connectionTimings.isReused != nil, connectionTimings.readyAt != 0 else { return nil }
            let end = sentAt != 0 ? sentAt : now
            return .nanoseconds(
                max(firstByte == 0 ? end : min(end, firstByte), connectionTimings.readyAt) - connectionTimings.readyAt)
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
            guard case .http1(let connection) = carrier else { return Int64(bodyOffset) }
            return connection.sentBodyBytes
        }

        /// Reports progress after bytes were sent or received.
        func reportProgress(_ now: UInt64) {
            guard let progress else { return }
            progress.report(at: now) { progress in
                let timings = timings(now)
                progress.bytesSent = timings.bytesSent
                progress.totalBytesToSend = bodyLength
                progress.bytesReceived = bytesReceived
                progress.totalBytesToReceive = announcedLength
            }
        }

        /// Applies a deadline to the time until the head of a streamed response, and to the time without a byte. Called before the start.
        func bound(by deadline: Deadline) {
            headBound = deadline
            bodyDeadline = totalDeadline
            totalDeadline = min(totalDeadline, monotonicNanoseconds() &+ deadline.remaining.boundedNanoseconds)
            idleNanoseconds = min(idleNanoseconds, deadline.limit.boundedNanoseconds)
        }

        /// Ends the limit of the time until the head, when the head of a streamed response was received.
        func endHeadBound() {
            guard headBound != nil else { return }
            totalDeadline = bodyDeadline
        }

        /// The reason for an error when `totalDeadline` has passed.
        var totalLateness: String {
            headBound != nil && totalDeadline < bodyDeadline ? Deadline.headLateness : "the total timeout ran out"
        }

        /// The reason for an error when no byte was sent or received for the idle timeout.
        var idleLateness: String { Deadline.idleLateness(request.timeouts.idle ?? limits.idleTimeout, headBound) }

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
