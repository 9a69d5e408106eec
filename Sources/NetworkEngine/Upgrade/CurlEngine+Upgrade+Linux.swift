#if os(Linux)
    import NetworkTransport
    import Endpoints
    import Foundation
    import NetworkSupport

    // Connections that were switched to another protocol: receiving from them, and their end.
    extension CurlEngine {
        /// The time that the peer of a connection has to close it, in nanoseconds.
        private static let closingTime: UInt64 = 1_000_000_000

        /// Ends a transfer with status 101, and takes its connection out of the pool.
        ///
        /// - Parameter unread: The bytes that were received after the head.
        func upgrade(_ connection: HTTP1Connection, _ transfer: LoopTransfer, unread: UnsafeRawBufferPointer) {
            guard upgraded.count < maximumUpgraded else {
                let limit = loop.configuration.maximumUpgradedConnections
                let error = TransportError(
                    .outOfResources, "more than \(limit) upgraded connections are open (maximumUpgradedConnections)",
                    phase: .receive, request: transfer.request)
                return end(transfer, .failure(error))
            }
            let socket = UpgradedSocket(self, connection, transfer.request, unread: Array(unread))
            if connection.parser.hasSetCookie { transfer.storeCookies(of: connection.parser.head) }
            let response = RawResponse(
                status: connection.parser.statusCode, head: connection.parser.head, body: PaddedBytes(Data()),
                lazyURL: transfer.request.lazyURL, timings: transfer.timings(now), upgraded: UpgradedConnection(socket))
            detach(transfer, from: connection)
            connection.upgrade = socket
            upgraded[ObjectIdentifier(socket)] = socket
            openConnections -= 1
            events?.send(.upgraded, connection.key.origin)
            end(transfer, .success(response))
        }

        /// Polls briefly for a reply on the only upgraded connection, if there is no transfer and ``BriefWait`` says that it is due. Called on
        /// the engine's thread.
        func waitBriefly(for socket: UpgradedSocket) {
            let connection = socket.connection
            guard transfers == 0, connection.isOpen, socket.receiver != nil, !socket.isReadPaused, socket.takeExpectation(),
                briefWait.isDue()
            else { return }
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
            advance(socket, isWritable: false)
        }

        /// Executes what other threads have requested of an upgraded connection.
        func perform(_ socket: UpgradedSocket) {
            let orders = socket.takeOrders()
            guard socket.connection.isOpen else {
                orders.receiver?.connectionDidEnd(TransportError(.connectionLost, "the connection has ended"))
                return
            }
            if let receiver = orders.receiver {
                socket.receiver = receiver
                socket.isReadPaused = false
                if stage != .open { receiver.sessionWillClose() }
            }
            if orders.resumes { socket.isReadPaused = false }
            if orders.closes {
                socket.receiver = nil
                socket.isReadPaused = false
                socket.flush(isWritable: false)
                guard orders.awaitsPeer, stage != .cutOff else { return close(socket, nil) }
                if !socket.awaitsPeer {
                    socket.awaitsPeer = true
                    socket.connection.deadline = now &+ Self.closingTime
                    closing.put(socket.connection)
                }
            }
            advance(socket, isWritable: false)
        }

        /// Sends and receives as much as possible without blocking.
        func advance(_ socket: UpgradedSocket, isWritable: Bool) {
            socket.flush(isWritable: isWritable)
            receive(socket)
        }

        private func receive(_ socket: UpgradedSocket) {
            let connection = socket.connection
            var hasReceived = false
            defer { if hasReceived { socket.receiver?.flush() } }
            if !socket.isReadPaused, !socket.unread.isEmpty {
                let unread = socket.unread
                socket.unread = []
                hasReceived = true
                unread.withUnsafeBytes { pass($0, to: socket) }
            }
            // Limits the reads per call, so that a peer that sends without pause does not delay other connections.
            var reads = 8
            while connection.isOpen, !socket.isReadPaused, connection.mayRead {
                guard reads > 0, turn.hasRoom else { return yieldToOthers(connection) }
                reads -= 1
                switch connection.receive(into: workspace.read) {
                case .withoutData: continue
                case .bytes(let count):
                    turn.take(count)
                    if connection.handle == nil, count < workspace.read.count, !connection.hasEnded { connection.mayRead = false }
                    hasReceived = true
                    pass(UnsafeRawBufferPointer(rebasing: workspace.read[..<count]), to: socket)
                case .again:
                    connection.mayRead = false
                case .end:
                    let isCut = connection.hasEndedWithoutNotice
                    return end(socket, isCut ? socket.truncationError : nil)
                case .failed(let failure):
                    return end(socket, socket.lostError(failure))
                }
            }
        }

        private func pass(_ bytes: UnsafeRawBufferPointer, to socket: UpgradedSocket) {
            // Bytes that follow the end of a protocol are dropped.
            guard let receiver = socket.receiver else { return }
            if !receiver.receive(bytes) { socket.isReadPaused = true }
        }

        private func end(_ socket: UpgradedSocket, _ error: TransportError?) {
            let receiver = socket.receiver
            // Those that send are not to take this for a cancellation.
            socket.endSending(error ?? socket.endError)
            close(socket, error)
            receiver?.flush()
            receiver?.connectionDidEnd(error)
        }

        /// Closes an upgraded connection.
        func close(_ socket: UpgradedSocket, _ error: TransportError?) {
            // First, so that no thread sends to another connection that gets the same descriptor.
            socket.endSending(error)
            socket.receiver = nil
            closing.remove(socket.connection)
            guard upgraded.removeValue(forKey: ObjectIdentifier(socket)) != nil else { return }
            openConnections += 1
            close(socket.connection, .notReusable)
            socket.connection.upgrade = nil
        }

        /// Closes the upgraded connections whose peers were given time to do so.
        func closeLateUpgrades() {
            while let late = closing.first, late.deadline <= now {
                guard let socket = late.upgrade else { return closing.remove(late) }
                close(socket, nil)
            }
        }

        /// Reports the closing of the session manager to the upgraded connections, or ends them.
        func advanceUpgrades(to stage: ClosingStage) {
            for socket in upgraded.values {
                if stage == .cutOff { end(socket, socket.cutOffError) } else { socket.receiver?.sessionWillClose() }
            }
        }

        /// Sends the bytes of a connection with TLS on the calling thread.
        ///
        /// - Returns: `false` if the engine's lock is taken; nothing was done then.
        func flushOnCallingThread(_ socket: UpgradedSocket) -> Bool {
            let isLoop = CurlEngine.ofThisThread === self
            return withLockIfFree {
                guard socket.connection.isOpen else { return }
                if isLoop { socket.flush(isWritable: false) } else { BrokenPipe.ignoring { socket.flush(isWritable: false) } }
            }
        }
    }

    extension UpgradedSocket {
        fileprivate var endError: TransportError {
            TransportError(.connectionLost, "the peer has closed the connection", phase: .send)
        }

        fileprivate var truncationError: TransportError {
            TransportError(
                .connectionLost, "TLS ended without a close_notify (RFC 8446 §6.1)", phase: .receive)
        }
    }
#endif
