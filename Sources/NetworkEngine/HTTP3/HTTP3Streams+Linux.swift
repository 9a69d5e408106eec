#if os(Linux)
    import NetworkTransport
    import CCurl
    import Endpoints
    import Foundation

    /// What streams of HTTP/3 ask of their event loop.
    protocol HTTP3StreamOwner: TransferOwner {
        /// Admits more requests to an origin whose connections carry several.
        func widen(_ origin: String)
        /// Closes connections that no request uses, so that a connection for HTTP/3 is within the limit.
        func makeRoomForStreams()
    }

    /// Sends the requests of an event loop that are sent over HTTP/3, which is implemented by libcurl.
    ///
    /// Used only while the lock of the loop is held.
    final class HTTP3Streams: TransferCarrying {
        let context: LoopContext
        let limits: ConnectionLimits
        let handshakes = HandshakeCells()
        /// The event loop, which owns this.
        unowned(unsafe) var owner: (any HTTP3StreamOwner)?
        var transferOwner: (any TransferOwner)? { owner }
        private let requestWriter: HTTP1RequestWriter
        /// Created with the first request. It is not that of the connector, because libcurl decides itself when to close the idle connections
        /// of this one.
        private var library: CurlMulti?
        private var handles = HandlePool<HTTP3Handle>()
        /// Handles whose transfer was cancelled while libcurl was making their connection.
        private var attempts: [ObjectIdentifier: HTTP3Handle] = [:]
        /// The route of requests to each origin, and until when it is used before it is decided again.
        private var routes: [String: (route: Route, until: UInt64)] = [:]
        /// The number of handles that are in use by libcurl.
        private(set) var count = 0

        init(_ context: LoopContext, _ limits: ConnectionLimits, _ requestWriter: HTTP1RequestWriter) {
            self.context = context
            self.limits = limits
            self.requestWriter = requestWriter
        }

        // MARK: For the loop

        /// The time at which libcurl has to be called even without an event.
        var deadline: UInt64 { library?.deadline ?? .max }

        /// Makes libcurl process its timers if one of them has expired.
        ///
        /// - Returns: Whether one had.
        func runTimers() -> Bool {
            guard let library, library.deadline <= context.now else { return false }
            library.runTimers()
            return true
        }

        /// Completes the streams that libcurl has finished.
        func finishDone() {
            while let done = library?.nextDone() {
                let easy = Unmanaged<HTTP3Handle>.fromOpaque(done.handle).takeUnretainedValue()
                if let transfer = easy.transfer { finish(transfer, easy, done.code) } else { finishAttempt(easy) }
            }
        }

        /// Cancels the attempts that no transfer waits for.
        func giveUpAttempts() {
            for easy in attempts.values { release(easy) }
        }

        /// The number of attempts that no transfer waits for.
        var attemptCount: Int { attempts.count }

        /// Closes all connections if no request uses one.
        func closeUnused() {
            guard count == 0 else { return }
            library?.close()
            library = nil
        }

        /// Frees what libcurl has, at the end of the loop.
        func close() {
            handles.removeAll()
            library?.close()
        }

        /// Keeps an attempt whose transfer is about to end.
        func keep(_ easy: HTTP3Handle) {
            easy.transfer = nil
            attempts[ObjectIdentifier(easy)] = easy
        }

        // MARK: Sending

        /// Sends a request over HTTP/3 by libcurl.
        ///
        /// - Parameters:
        ///   - port: The UDP port of the host; `nil` for the one with the number of the URL's port.
        ///   - sharesConnections: Whether the origin is known to speak HTTP/3, so that more requests than connections are admitted.
        func launch(_ transfer: LoopTransfer, _ trust: CurlTrust, port: Int?, sharesConnections: Bool = true) {
            if sharesConnections { owner?.widen(transfer.origin) }
            // libcurl limits its idle connections. Another idle one is closed because libcurl may open a new one.
            if count == 0 { owner?.makeRoomForStreams() }
            let route: Route
            do throws(TransportError) {
                route = try self.route(for: transfer)
                try admit(transfer, over: route)
            } catch {
                return end(transfer, .failure(error))
            }
            var connectTimeout = transfer.request.timeouts.connect ?? context.configuration.connectTimeout
            if transfer.hasFallenBack {
                let rest = transfer.timeLimits.connect - min(context.now, transfer.timeLimits.connect)
                connectTimeout = max(.nanoseconds(rest), .milliseconds(1))
            }
            guard let library = library ?? makeLibrary(), let easy = handles.take(for: trust) ?? HTTP3Handle(trust, self),
                easy.configure(
                    transfer, port: port, route: route, connectTimeout: connectTimeout,
                    extraFields: extraFields(of: transfer, port: port))
            else {
                return end(
                    transfer,
                    .failure(TransportError(.outOfResources, "no memory for the transfer", request: transfer.request)))
            }
            easy.transfer = transfer
            transfer.carrier = easy
            transfer.exchange.connectionTimings = ConnectionTimings()
            transfer.exchange.uploadedAtLastCheck = 0
            count += 1
            let result = library.add(easy)
            guard result == 0 else {
                let reason = String(cString: ccurl_multi_strerror(result))
                return end(transfer, .failure(TransportError(.other, reason, request: transfer.request, engineCode: Int(result))))
            }
            let idle = transfer.timeLimits.idleNanoseconds / (transfer.isLargeUpload ? 2 : 1)
            schedule(transfer, at: min(context.now &+ idle, transfer.timeLimits.fallback))
        }

        /// Checks that a request that requires HTTP/3 can be sent over a route.
        ///
        /// - Throws: ``TransportError/Code/httpVersionUnavailable``.
        private func admit(_ transfer: LoopTransfer, over route: Route) throws(TransportError) {
            guard transfer.allowedVersions == .http3, !route.isDirect else { return }
            throw TransportError(
                .httpVersionUnavailable, "httpVersion requires HTTP/3, which is used neither through proxies nor Unix sockets",
                phase: .connect, request: transfer.request)
        }

        /// Returns the route for a connection that libcurl may have to make for the request. It is decided again after a second, and after a
        /// failure.
        func route(for transfer: LoopTransfer) throws(TransportError) -> Route {
            if let known = routes[transfer.origin], context.now < known.until { return known.route }
            let route = try Route(context.session, for: transfer.request)
            if routes.count >= 4096 { routes.removeAll() }
            routes[transfer.origin] = (route, context.now &+ 1_000_000_000)
            return route
        }

        private func makeLibrary() -> CurlMulti? {
            guard let library = CurlMulti(context.sockets) else { return nil }
            let configuration = context.configuration
            // Here the gate limits streams. libcurl limits connections, and closes idle ones to make room.
            library.set(CCURLMOPT_MAX_TOTAL_CONNECTIONS, limits.maximumOpen)
            library.set(
                CCURLMOPT_MAX_HOST_CONNECTIONS, max(configuration.maximumConnectionsPerHost / configuration.eventLoops, 1))
            library.set(CCURLMOPT_MAXCONNECTS, max(limits.maximumIdle, 1))
            self.library = library
            return library
        }

        /// The header lines that the engine adds to those of a request.
        private func extraFields(of transfer: LoopTransfer, port: Int?) -> [String] {
            let request = transfer.request
            var lines: [String] = []
            if let userAgent = context.configuration.userAgent, !request.headers.contains("User-Agent") {
                lines.append("User-Agent: \(userAgent)")
            }
            // RFC 7838 §5.
            if transfer.allowedVersions == .http3Advertised, !request.headers.contains("Alt-Used") {
                let origin = OriginParts(transfer.origin)
                lines.append("Alt-Used: \(origin.host):\(port ?? origin.port)")
            }
            if let codings = requestWriter.acceptEncoding(for: request) { lines.append("Accept-Encoding: \(codings)") }
            if let cookie = transfer.cookies { lines.append("Cookie: \(cookie)") }
            return lines
        }

        /// Completes a stream that libcurl has finished.
        func finish(_ transfer: LoopTransfer, _ easy: HTTP3Handle, _ code: CInt) {
            // It is not sent to the same peer again.
            if code != CInt(CCURLE_OK), easy.wasEndedByGuard {
                return end(transfer, .failure(easy.error(code, transfer: transfer)))
            }
            if let failure = transfer.failure { return end(transfer, .failure(failure)) }
            if code != CInt(CCURLE_OK), mayFallBack(transfer, easy) { return fallBack(transfer, easy, isOver: true) }
            if easy.lostHTTP3 {
                let error = TransportError(
                    .httpVersionUnavailable, "httpVersion requires HTTP/3, but the server does not agree to it", phase: .tls,
                    request: transfer.request)
                return end(transfer, .failure(error))
            }
            if transfer.exchange.isBodyUnwanted, transfer.exchange.head.isComplete { return finish(transfer) }
            guard code == CInt(CCURLE_OK) || easy.hasWholeResponse(code, transfer: transfer) else {
                routes[transfer.origin] = nil
                if mayRepeat(transfer, easy, code) { return `repeat`(transfer) }
                return end(transfer, .failure(transfer.lostConnection(code) ?? easy.error(code, transfer: transfer)))
            }
            guard transfer.exchange.head.isComplete else {
                return end(
                    transfer,
                    .failure(
                        TransportError(
                            .connectionLost, "the connection was closed inside the response head", phase: .receive,
                            request: transfer.request)))
            }
            transfer.exchange.isBodyComplete = true
            finishStream(transfer)
        }

        /// Goes back to the beginning of the body of a request that was sent, because it is sent again over another version.
        ///
        /// - Returns: `false` if the body cannot be read again. The transfer has then failed.
        func prepareToSendAgain(_ transfer: LoopTransfer) -> Bool {
            guard transfer.sending.wasSent else { return true }
            guard transfer.canSendBodyAgain else {
                end(transfer, .failure(.bodyNotReplayable(for: transfer.request)))
                return false
            }
            transfer.stopBodyWriter()
            transfer.sending.useFreshConnection()
            return true
        }

        /// Completes a stream that has ended, once its reader has taken the bytes that are held.
        private func finishStream(_ transfer: LoopTransfer) {
            guard transfer.exchange.undecided == nil else {
                transfer.isReceivePaused = true
                return
            }
            do throws(TransportError) {
                guard try transfer.receiveHeld(context.workspace) else {
                    transfer.isReceivePaused = true
                    return
                }
                try transfer.finishBody()
            } catch {
                return end(transfer, .failure(error))
            }
            finish(transfer)
        }

        /// Continues sending and receiving after a pause.
        func resume(_ transfer: LoopTransfer, _ easy: HTTP3Handle) {
            if transfer.exchange.isBodyComplete { return finishStream(transfer) }
            // A redirect is followed without waiting for its body, which may never arrive.
            if transfer.exchange.isBodyUnwanted { return finish(transfer) }
            do throws(TransportError) {
                guard try transfer.receiveHeld(context.workspace) else {
                    transfer.isReceivePaused = true
                    return
                }
            } catch {
                return end(transfer, .failure(error))
            }
            guard let code = library?.resume(easy), code != CInt(CCURLE_OK) else { return }
            end(transfer, .failure(transfer.failure ?? easy.error(code, transfer: transfer)))
        }

        /// Removes a handle from libcurl and returns it to the pool. An unfinished stream is reset.
        func release(_ easy: HTTP3Handle) {
            count -= 1
            library?.remove(easy)
            attempts[ObjectIdentifier(easy)] = nil
            let isReusable =
                easy.transfer.map { !$0.sending.wasAskedAgain } ?? false
                && (easy.route?.proxy.server).isReusable(context.configuration)
            easy.transfer = nil
            guard isReusable else { return }
            handles.put(easy)
        }

        func detach(_ transfer: LoopTransfer, _ easy: HTTP3Handle) {
            transfer.carrier = nil
            release(easy)
        }

        private func mayRepeat(_ transfer: LoopTransfer, _ easy: HTTP3Handle, _ code: CInt) -> Bool {
            let fate = transfer.exchange.fate
            // The rule has decided that it is sent again when libcurl was about to do so.
            if transfer.sending.waitsForFreshConnection { return fate == .unknown && transfer.canSendBodyAgain }
            // The last two are the codes of libcurl for a GOAWAY, and for a connection that ends with open streams.
            return [CCURLE_SEND_ERROR, CCURLE_RECV_ERROR, CCURLE_GOT_NOTHING, CCURLE_HTTP3, CCURLE_PARTIAL_FILE].contains(
                Int(code))
                && transfer.mayRepeat(after: fate, wasReused: easy.long(CCURLINFO_NUM_CONNECTS) == 0)
        }
    }
#endif
