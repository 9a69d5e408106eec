#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    @_spi(SessionManagers) import NetworkTransport

    /// What upgraded connections ask of their event loop.
    protocol UpgradeOwner: HTTP1ExchangeOwner, Sendable {
        /// Counts a connection that has left the pool, or returns to it to be closed.
        func countUpgrade(_ isUpgraded: Bool)
        /// Makes the loop's thread do what was requested of an upgraded connection. Called on any thread, without the lock.
        func perform(later socket: UpgradedSocket)
        /// Sends the bytes of a connection with TLS on the calling thread.
        ///
        /// - Returns: `false` if the lock of the loop is taken; nothing was done then.
        func flushOnCallingThread(_ socket: UpgradedSocket) -> Bool
    }

    /// The connections and streams of an event loop that were switched to another protocol: receiving from them, and their end.
    ///
    /// Used only while the lock of the loop is held.
    final class UpgradedSockets: TransferCarrying {
        /// The time that the peer of a connection has to close it, in nanoseconds.
        private static let closingTime: UInt64 = 1_000_000_000

        private let context: LoopContext
        private let exchanges: HTTP1Exchanges
        private let maximum: Int
        /// The event loop, which owns this.
        unowned(unsafe) var owner: (any UpgradeOwner)?
        var transferOwner: (any TransferOwner)? { owner }
        private var sockets: [ObjectIdentifier: UpgradedSocket] = [:]
        /// Those whose peers have a moment to close them.
        private var closing = DeadlineHeap<UpgradedSocket>()

        /// - Parameter maximum: The number of connections after which further requests to switch fail.
        init(_ context: LoopContext, _ exchanges: HTTP1Exchanges, maximum: Int) {
            self.context = context
            self.exchanges = exchanges
            self.maximum = maximum
        }

        var isEmpty: Bool { sockets.isEmpty }
        /// When the next connection whose peer was given time has to be closed; `UInt64.max` without one.
        var deadline: UInt64 { closing.first?.deadline ?? .max }

        /// The origin of each connection that is not one over HTTP/2.
        var origins: [String] { sockets.values.compactMap { $0.stream == nil ? $0.connection.key.origin : nil } }

        /// The only connection, if its owner waits for a reply to what was sent since the last call.
        func takeAwaited() -> UpgradedSocket? {
            guard sockets.count == 1, let socket = sockets.values.first, socket.stream == nil, !socket.isClosed,
                socket.receiver != nil,
                !socket.isReadPaused, socket.takeExpectation()
            else { return nil }
            return socket
        }

        /// Ends a transfer with status 101, and takes its connection out of the pool.
        ///
        /// - Parameter unread: The bytes that were received after the head.
        func upgrade(_ connection: HTTP1Connection, _ transfer: LoopTransfer, unread: UnsafeRawBufferPointer) {
            guard let owner, hasRoom(for: transfer) else { return }
            let socket = UpgradedSocket(self, owner, connection, transfer.request, unread: Array(unread))
            transfer.exchange.head = connection.parser.head
            transfer.exchange.status = connection.parser.statusCode
            exchanges.detach(transfer, from: connection)
            connection.upgrade = socket
            owner.countUpgrade(true)
            context.events?.send(.upgraded, connection.key.origin)
            complete(transfer, with: socket)
        }

        /// Ends a transfer whose stream has become a tunnel. The connection stays in the pool.
        func upgrade(_ exchange: HTTP2Exchange, _ transfer: LoopTransfer) {
            guard let owner, hasRoom(for: transfer) else { return }
            let socket = UpgradedSocket(self, owner, exchange.connection, stream: exchange, transfer.request)
            exchange.exchanges.detach(exchange)
            exchange.upgrade = socket
            complete(transfer, with: socket)
        }

        /// Checks the limit, and ends the transfer if it is exceeded.
        private func hasRoom(for transfer: LoopTransfer) -> Bool {
            guard sockets.count >= maximum else { return true }
            let limit = context.configuration.maximumUpgradedConnections
            let error = TransportError(
                .outOfResources, "more than \(limit) upgraded connections are open (maximumUpgradedConnections)",
                phase: .receive, request: transfer.request)
            end(transfer, .failure(error))
            return false
        }

        private func complete(_ transfer: LoopTransfer, with socket: UpgradedSocket) {
            let response = transfer.response(.upgraded(.bytes(UpgradedConnection(socket))), at: context.now)
            sockets[ObjectIdentifier(socket)] = socket
            end(transfer, .success(response))
        }

        /// Executes what other threads have requested of an upgraded connection.
        ///
        /// - Parameter stage: How far the closing of the session manager has come.
        func perform(_ socket: UpgradedSocket, _ stage: ClosingStage) {
            let orders = socket.takeOrders()
            guard !socket.isClosed else {
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
                if socket.heapIndex < 0 {
                    socket.deadline = context.now &+ Self.closingTime
                    closing.insert(socket)
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
            // The exchanges of the connection pass on what arrives on a stream.
            if let stream = socket.stream {
                guard !socket.isReadPaused else { return }
                stream.exchanges.credit(stream)
                if socket.hasStreamEnded { end(socket, socket.streamError) }
                return
            }
            // Limits the reads per call, so that a peer that sends without pause does not delay other connections.
            var reads = 8
            let buffer = context.workspace.takeReadBuffer()
            defer { context.workspace.giveBackReadBuffer() }
            while connection.isOpen, !socket.isReadPaused, connection.mayRead {
                guard reads > 0, context.turn.hasRoom else { return context.yieldToOthers(connection) }
                reads -= 1
                switch connection.receive(into: buffer) {
                case .withoutData: continue
                case .bytes(let count):
                    context.turn.take(count)
                    connection.noteRead(count, of: buffer.count)
                    hasReceived = true
                    pass(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: socket)
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

        /// Handles bytes that the peer has sent on a stream.
        ///
        /// - Returns: Whether the reader has taken them, and can receive more.
        func receive(_ bytes: UnsafeRawBufferPointer, for socket: UpgradedSocket) -> Bool {
            guard !socket.isReadPaused else {
                socket.unread.append(contentsOf: bytes)
                return false
            }
            pass(bytes, to: socket)
            socket.receiver?.flush()
            return !socket.isReadPaused
        }

        private func pass(_ bytes: UnsafeRawBufferPointer, to socket: UpgradedSocket) {
            // Bytes that follow the end of a protocol are dropped.
            guard let receiver = socket.receiver else { return }
            if !receiver.receive(bytes) { socket.isReadPaused = true }
        }

        /// Handles the end of a stream, which is reported to the protocol after the bytes that came before it.
        func streamDidEnd(_ socket: UpgradedSocket, _ error: TransportError?) {
            endStream(of: socket)
            socket.endSending(error ?? socket.endError)
            guard socket.isReadPaused else { return end(socket, error) }
            socket.hasStreamEnded = true
            socket.streamError = error
        }

        /// Ends the stream on this side, in an orderly way if the peer has ended it too.
        private func endStream(of socket: UpgradedSocket) {
            guard let stream = socket.stream, stream.upgrade === socket else { return }
            stream.upgrade = nil
            stream.exchanges.endTunnel(stream, isSent: socket.isSent)
        }

        private func end(_ socket: UpgradedSocket, _ error: TransportError?) {
            let receiver = socket.receiver
            // Those that send are not to take this for a cancellation.
            socket.endSending(error ?? socket.endError)
            close(socket, error)
            receiver?.flush()
            receiver?.connectionDidEnd(error)
        }

        private func close(_ socket: UpgradedSocket, _ error: TransportError?) {
            endStream(of: socket)
            // First, so that no thread sends to another connection that gets the same descriptor.
            socket.endSending(error)
            socket.receiver = nil
            closing.remove(socket)
            guard sockets.removeValue(forKey: ObjectIdentifier(socket)) != nil else { return }
            socket.isClosed = true
            guard socket.stream == nil else { return }
            owner?.countUpgrade(false)
            owner?.close(socket.connection, .notReusable)
            (socket.connection as? HTTP1Connection)?.upgrade = nil
        }

        /// Closes the connections whose peers were given time to do so.
        func closeLate() {
            while let late = closing.first, late.deadline <= context.now { close(late, nil) }
        }

        /// Reports the closing of the session manager to the protocols, or ends their connections.
        func advance(to stage: ClosingStage) {
            for socket in sockets.values {
                if stage == .cutOff { end(socket, socket.cutOffError) } else { socket.receiver?.sessionWillClose() }
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
