#if os(Linux)
    import NetworkTransport
    import Endpoints
    import Foundation
    import NetworkSupport

    // Sending HTTP/1.1 requests on established connections.
    extension CurlEngine {
        /// Sends the transfer's current request on an idle connection, or opens a new connection.
        func launchHTTP1(_ transfer: LoopTransfer, _ trust: CurlTrust) {
            // Through an HTTP proxy, another protocol needs a tunnel, which a kept connection may not be.
            let needsTunnel = transfer.request.requestsUpgrade && loop.configuration.proxy.kind != .none
            if !transfer.sending.needsFreshConnection, !needsTunnel {
                let key = key(of: transfer)
                while let connection = pool.take(key) {
                    if connection.isUsable { return begin(transfer, on: connection, isReused: true) }
                    close(connection, .server)
                }
            }
            connect(transfer, trust, offersHTTP2: false)
        }

        /// Starts sending a request on an established connection.
        func begin(_ transfer: LoopTransfer, on connection: HTTP1Connection, isReused: Bool) {
            if !connection.isWatched {
                if holdsBackWatching { unwatched.append(connection) } else { sockets.watch(connection, true) }
            }
            if isReused { events?.send(.reused, connection.key.origin) }
            connection.uses += 1
            connection.transfer = transfer
            transfer.carrier = .http1(connection)
            transfer.exchange.connectionTimings = ConnectionTimings(
                readyAt: now, connecting: isReused ? nil : connection.timings, isReused: isReused, protocolName: "http/1.1",
                serverAddress: connection.serverAddress)
            transfer.lastActivity = now
            transfer.exchange.sentAt = 0
            write(transfer, to: connection)
            schedule(
                transfer,
                at: connection.sending.awaitsContinue
                    ? transfer.timeLimits.continuation
                    : now &+ transfer.timeLimits.idleNanoseconds / (transfer.isLargeUpload ? 2 : 1))
            advance(connection)
        }

        private func write(_ transfer: LoopTransfer, to connection: HTTP1Connection) {
            let request = transfer.request
            let cookie = storedCookies(for: transfer)
            connection.sending.reset()
            var head = HTTP1SentHead()
            var copied = 0
            // Trailers need chunks, even if the length is known (RFC 9112 §7.1.2).
            let hasTrailers = request.body?.trailers != nil
            connection.sending.begin { buffer in
                head = requestWriter.appendHead(
                    of: request, bodyLength: hasTrailers ? nil : transfer.upload.length, target: connection.target,
                    cookie: cookie, to: &buffer)
                // A small body is sent together with the head, in one packet.
                if !hasTrailers, let data = request.body?.data, data.count <= HTTP1Sending.copiedBytes, !head.expectsContinue {
                    buffer.append(contentsOf: data)
                    copied = data.count
                }
            }
            connection.sending.head = head
            connection.sending.copiedBody = copied
            connection.sending.awaitsContinue = head.expectsContinue
            transfer.timeLimits.continuation = now &+ 1_000_000_000
            if transfer.isLargeUpload { connection.limitSendQueue() }
            if let body = request.body {
                if !hasTrailers, let data = body.data {
                    if copied == 0, !data.isEmpty { connection.sending.data = data }
                } else {
                    connection.sending.isStreamed = true
                }
            }
            connection.parser = HTTP1ResponseParser(
                isHead: request.method == .head, expectsUpgrade: head.expectsUpgrade,
                maximumHeaderBytes: loop.configuration.maximumHeaderBytes,
                maximumHeaderFields: loop.configuration.maximumHeaderFields)
            connection.unread = nil
            transfer.sending.noteSent()
        }

        /// Polls briefly for the response on the thread that sent the request, if there is no other transfer and ``BriefWait``
        /// says that it is due.
        ///
        /// - Parameter onLoop: Whether this is the engine's thread.
        func waitBriefly(for transfer: LoopTransfer, onLoop: Bool = false) {
            guard transfers == 1, case .http1(let connection) = transfer.carrier, connection.sending.isComplete,
                transfer.exchange.firstByte == 0, briefWait.isDue()
            else { return }
            // Otherwise the engine's thread would also wake up for the response that this thread receives.
            if !onLoop, connection.isWatched, briefWait.isReliable {
                sockets.watch(connection, false)
                unwatched.append(connection)
            }
            let end = now &+ BriefWait.limit
            var isReady = false
            while !isReady, now < end, loop.isInboxEmpty {
                sched_yield()
                isReady = connection.isReadable
                now = monotonicNanoseconds()
            }
            briefWait.note(isHit: isReady)
            guard isReady else { return }
            connection.mayRead = true
            advance(connection)
        }

        /// Resumes watching, on the engine's thread, the connections that are still in use.
        func watchAgain() {
            guard !unwatched.isEmpty else { return }
            for connection in unwatched where connection.isOpen && connection.isInUse && !connection.isWatched {
                sockets.watch(connection, true)
            }
            unwatched.removeAll(keepingCapacity: true)
        }

        /// Handles a readiness event of a connection's socket.
        func react(_ connection: HTTP1Connection, _ readiness: EpollSet.Readiness) {
            if readiness.mayRead { connection.mayRead = true }
            if readiness.mayWrite { connection.mayWrite = true }
            if readiness.hasEnded { connection.hasEnded = true }
            guard connection.isOpen else { return }
            if connection.transfer != nil { return advance(connection) }
            if let upgrade = connection.upgrade { return advance(upgrade, isWritable: readiness.mayWrite) }
            // The connection is idle: no data is expected, but TLS may send its own messages.
            guard readiness.mayRead else { return }
            connection.mayRead = false
            guard !connection.isUsable else { return }
            pool.remove(connection)
            close(connection, .server)
        }

        /// Sends and receives as much as possible without blocking.
        func advance(_ connection: HTTP1Connection) {
            send(connection)
            if connection.transfer != nil { receive(connection) }
        }

        /// Continues the connections that were suspended so that others could proceed.
        func readOn() {
            guard !ready.isEmpty else { return }
            let connections = ready
            ready.removeAll(keepingCapacity: true)
            for (index, connection) in connections.enumerated() {
                // Those that had no turn come first in the next one.
                guard turn.hasRoom else { return ready.insert(contentsOf: connections[index...], at: 0) }
                connection.isReady = false
                guard connection.isOpen else { continue }
                if connection.transfer != nil { advance(connection) }
                if let upgrade = connection.upgrade { advance(upgrade, isWritable: false) }
            }
        }

        /// Sends the body although the server has not responded to `Expect: 100-continue` in time (RFC 9110 §10.1.1).
        func stopAwaitingContinue(_ connection: HTTP1Connection) {
            connection.sending.awaitsContinue = false
            advance(connection)
        }

        // MARK: Sending

        func send(_ connection: HTTP1Connection) {
            guard let transfer = connection.transfer, !connection.sending.isComplete, !connection.sending.hasFailed else {
                return
            }
            while connection.mayWrite {
                if connection.sending.hasBytes {
                    switch connection.sending.offer(connection.send) {
                    case .bytes(let count):
                        connection.sending.take(count)
                        transfer.lastActivity = now
                        if transfer.request.body != nil { transfer.reportProgress(now) }
                    case .again, .withoutData:
                        connection.mayWrite = false
                    case .end:
                        return failSending(connection, transfer, .system(EPIPE))
                    case .failed(let failure):
                        return failSending(connection, transfer, failure)
                    }
                    continue
                }
                if connection.sending.awaitsContinue { return }
                guard connection.sending.isStreamed, !transfer.upload.isSent, let content = transfer.request.body else {
                    connection.sending.isComplete = true
                    transfer.exchange.sentAt = now
                    return
                }
                guard fill(connection, transfer, content) else { return }
            }
        }

        /// Reads the next piece of a body that comes from a file or a sequence into the send buffer.
        ///
        /// - Returns: `false` if no piece is available yet, or the transfer has ended.
        private func fill(_ connection: HTTP1Connection, _ transfer: LoopTransfer, _ content: NetworkBody) -> Bool {
            if !connection.sending.head.isChunked, let chunk = transfer.takeLargeChunk() {
                connection.sending.refill(with: chunk)
                return true
            }
            var reading = RequestBodyPipe.Reading.wait
            _ = connection.sending.refill { buffer in
                reading = transfer.readBody(content, into: buffer)
                if case .bytes(let count) = reading { return count }
                return 0
            }
            switch reading {
            case .bytes: return true
            case .wait: return false
            case .end:
                if connection.sending.head.isChunked { connection.sending.putEnd(transfer.upload.trailers) }
                return true
            case .failed:
                let failure =
                    transfer.failure ?? TransportError(.bodyFailed, "the body failed", phase: .send, request: transfer.request)
                end(transfer, .failure(failure))
                return false
            }
        }

        /// Handles a failed send. If the server responded before it closed the connection, the response is still used (RFC 9112
        /// §9.5).
        private func failSending(_ connection: HTTP1Connection, _ transfer: LoopTransfer, _ failure: HTTP1Connection.Failure) {
            connection.sending.hasFailed = true
            // Nothing was sent, so the server cannot have processed the request: any method may be sent again on another
            // connection.
            if !connection.sending.hasBegun, connection.wasIdle, transfer.mayRepeat(after: .unprocessed) {
                return launchAnew(transfer, insteadOf: connection)
            }
            connection.sendFailure = failure
            connection.mayRead = true
            connection.hasEnded = true
        }

        private func launchAnew(_ transfer: LoopTransfer, insteadOf connection: HTTP1Connection) {
            detach(transfer, from: connection)
            close(connection, .server)
            transfer.stopBodyWriter()
            transfer.sending.useFreshConnection()
            transfer.timeLimits.connect =
                now &+ (transfer.request.timeouts.connect ?? loop.configuration.connectTimeout).boundedNanoseconds
            launch(transfer)
        }

        // MARK: Cookies

        /// Returns the stored cookies for the current request, except those whose names are in its own `Cookie` field.
        func storedCookies(for transfer: LoopTransfer) -> String? {
            loops.cookies?.added(to: transfer.request, after: transfer.redirects)
        }
    }
#endif
