#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import Endpoints
    import Foundation

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

    /// How long the phases of connecting have taken, in nanoseconds; `nil` for a phase that did not take place, or has not ended.
    struct ConnectTimings {
        var lookup: UInt64?
        var connect: UInt64?
        var proxy: UInt64?
        var tls: UInt64?
    }

    extension LoopTransfer {
        /// Returns the timings of the transfer up to `now`.
        func timings(_ now: UInt64) -> TransferTimings {
            let (connectionTimings, bytesSent) =
                carrier?.progress(of: self) ?? (exchange.connectionTimings, Int64(upload.offset))
            let waiting = launched == 0 || launched < entered ? now - min(now, entered) : 0
            let times = connectionTimings.connecting ?? ConnectTimings()
            return TransferTimings(
                queued: .nanoseconds(queued + waiting),
                nameLookup: times.lookup.map { .nanoseconds($0) },
                connect: times.connect.map { .nanoseconds($0) },
                proxy: times.proxy.map { .nanoseconds($0) },
                tls: times.tls.map { .nanoseconds($0) },
                send: sendingTime(connectionTimings, now),
                firstByte: exchange.firstByte == 0
                    ? nil : .nanoseconds(exchange.firstByte - min(connectionTimings.readyAt, exchange.firstByte)),
                total: .nanoseconds(now - min(now, submitted)),
                redirects: redirects,
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
        var phase: TransportError.Phase { carrier?.phase(of: self) ?? .queued }
    }

    extension LoopTransfer {
        /// The reason for an error when no byte was sent or received for the idle timeout.
        var idleLateness: String { timeLimits.idleLateness(request.timeouts.idle ?? context.configuration.idleTimeout) }

        /// Creates the error for a time limit that was exceeded.
        func lateness(_ what: String, phase: TransportError.Phase?, _ now: UInt64) -> TransportError {
            let milliseconds = (now - min(now, submitted)) / 1_000_000
            var error = TransportError(
                .timedOut, "\(what), \(milliseconds) ms after the attempt began", phase: phase, request: request)
            if phase == .queued { error.timings = timings(now) }
            return error
        }

        /// The error of a request that was lost with its connection and is not sent again.
        var lostConnection: TransportError {
            let reason = request.isIdempotent ? "it was already repeated" : "its method is not idempotent"
            return TransportError(
                .connectionLost, "a reused connection was lost before a response arrived; not sent again because \(reason)",
                phase: .firstByte, request: request)
        }
    }
#endif
