#if os(Linux)
    import NetworkTransport
    import CCurl
    import Endpoints
    import NetworkSupport

    // HTTP/3 in place of a version over TCP, and the way back to TCP.
    extension HTTP3Streams {
        /// How long a connection over QUIC may take before TCP is used instead.
        private static let headStart: UInt64 = 300_000_000

        /// Sends a request over HTTP/3 if its origin may speak it.
        ///
        /// - Returns: `false` if it is to be sent over TCP.
        func launchAlternative(_ transfer: LoopTransfer, _ trust: CurlTrust) -> Bool {
            guard LibraryQuirks.current.speaksHTTP3, !transfer.hasFallenBack, transfer.versionRule == .any,
                transfer.request.parsedURL.isSecure,
                // libcurl sends no trailers over HTTP/3.
                transfer.request.body?.trailers == nil,
                (try? route(for: transfer))?.isDirect == true
            else { return false }
            let origin = transfer.origin
            let own = OriginParts(origin).port
            let tried = transfer.allowedVersions == .http3Preferred ? own : nil
            guard
                let service = context.session.alternatives.withLock({ [now = context.now] in
                    $0.service(of: origin, orAt: tried, at: now)
                })
            else {
                return false
            }
            // Enough is left for TCP.
            let rest = transfer.timeLimits.connect - min(context.now, transfer.timeLimits.connect)
            transfer.timeLimits.fallback = context.now &+ min(Self.headStart, rest / 2)
            launch(transfer, trust, port: service.port == own ? nil : service.port, sharesConnections: service.isProven)
            return true
        }

        /// Whether a request whose attempt over HTTP/3 has failed may be sent over TCP: no byte of it was sent, or it was lost with a kept
        /// connection that could not be made anew, and may be repeated.
        func mayFallBack(_ transfer: LoopTransfer, _ easy: HTTP3Handle) -> Bool {
            guard transfer.allowedVersions.mayUseHTTP3 else { return false }
            if !easy.isReady || easy.lostHTTP3 { return true }
            return easy.isConnecting && transfer.mayRepeat(after: transfer.exchange.fate, wasReused: true)
        }

        /// Sends a request over TCP, because the connection over QUIC failed or is not ready in time.
        ///
        /// - Parameter isOver: Whether libcurl has finished the attempt. Otherwise it continues: if it succeeds later, HTTP/3 is used for the
        ///   next request.
        func fallBack(_ transfer: LoopTransfer, _ easy: HTTP3Handle, isOver: Bool) {
            let origin = transfer.origin
            context.session.alternatives.withLock { [now = context.now] in $0.fail(origin, at: now) }
            guard prepareToSendAgain(transfer) else { return }
            if transfer.sending.wasSent { transfer.sending.repeatOnFreshConnection() }
            transfer.hasFallenBack = true
            transfer.timeLimits.fallback = .max
            transfer.launched = context.now
            if !isOver, easy.keepConnecting(without: transfer) { transfer.carrier = nil }
            if transfer.carrier != nil { detach(transfer, easy) }
            launch(transfer)
        }

        /// Handles the end of a connection attempt by libcurl that no transfer waits for.
        func finishAttempt(_ easy: HTTP3Handle) {
            if easy.isReady {
                let origin = easy.origin
                context.session.alternatives.withLock { [now = context.now] in $0.succeed(origin, at: now) }
            }
            release(easy)
        }
    }

    extension LoopTransfer {
        /// Records that the origin speaks HTTP/3, and where it offers it.
        func noteAlternatives(in head: ResponseHead, status: Int, at now: UInt64) {
            let origin = origin
            let isOverQUIC = carrier?.isOverQUIC == true
            // RFC 7838 §6: the server at the other port is not responsible for the origin, and its field is ignored.
            if status == 421 {
                guard isOverQUIC else { return }
                return context.alternatives.withLock { alternatives in
                    alternatives.receive(.none, from: origin, at: now)
                    alternatives.fail(origin, at: now)
                }
            }
            if isOverQUIC { context.alternatives.withLock { $0.succeed(origin, at: now) } }
            guard allowedVersions == .http3Advertised, LibraryQuirks.current.speaksHTTP3, trust?.isVerified == true,
                let value = head.value(for: "alt-svc")
            else { return }
            let age = head.value(for: "age").flatMap(Int.init) ?? 0
            let field = AlternativeServicesField(value, host: OriginParts(origin).host, age: age)
            context.alternatives.withLock { $0.receive(field, from: origin, at: now) }
        }
    }
#endif
