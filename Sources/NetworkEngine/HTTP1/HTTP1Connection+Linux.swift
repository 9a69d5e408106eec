#if os(Linux)
    import NetworkTransport
    import NetworkSupport

    /// A protocol that a connection over HTTP/1.1 was switched to.
    protocol UpgradedProtocol: AnyObject {
        /// Sends and receives what is possible.
        ///
        /// - Parameter isWritable: Whether an event said that the socket takes bytes again.
        func connectionIsReady(isWritable: Bool)
    }

    /// An established connection over HTTP/1.1, which carries one request after another.
    ///
    /// Used only while the lock of the event loop is held.
    final class HTTP1Connection: SocketConnection {
        /// The form of the request target, with the proxy's credentials if an HTTP proxy receives the requests.
        let target: HTTP1RequestWriter.Target

        // MARK: The current exchange

        var transfer: LoopTransfer?
        /// The protocol that the connection was switched to, if it was.
        var upgrade: (any UpgradedProtocol)?
        /// The reason why sending failed, if it did.
        var sendFailure: Failure?
        @exclusivity(unchecked) var parser = HTTP1ResponseParser(isHead: false, maximumHeaderBytes: 0)
        @exclusivity(unchecked) var sending = HTTP1Sending()
        /// Bytes that were received, but not parsed yet. `nil` if the parser continues with new input.
        @exclusivity(unchecked) var unread: [UInt8]?

        /// What performs the exchanges of the event loop, and outlives its connections.
        unowned(unsafe) private let exchanges: HTTP1Exchanges

        init(_ established: EstablishedConnection, _ exchanges: HTTP1Exchanges) {
            target = established.forwarder.map { .proxy(authorization: $0.authorization) } ?? .origin
            self.exchanges = exchanges
            super.init(established)
        }

        override var isInUse: Bool { transfer != nil || upgrade != nil }

        override func socketIsReady(_ readiness: EpollSet.Readiness) {
            exchanges.react(self, readiness)
        }

        /// The number of bytes of the request's body that were sent.
        var sentBodyBytes: Int64 {
            if sending.isStreamed { return Int64(transfer?.upload.offset ?? 0) }
            return Int64(sending.dataOffset) + Int64(max(sending.copiedBody - sending.pendingCount, 0))
        }

        /// Whether the connection was read to its end, and each later event would have been reported.
        var isIdleAndWatched: Bool { isOpen && isWatched && !mayRead && !hasEnded }

        /// Whether an idle connection can be reused. Checks its socket: a connection that the server has closed, that has failed,
        /// or that has received unrequested bytes is not reused (RFC 9112 §9.2, §9.5).
        var isUsable: Bool {
            guard isOpen else { return false }
            var byte: UInt8 = 0
            if tls == nil {
                let count = recv(descriptor, &byte, 1, Self.peekFlags)
                return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
            }
            // Reading also processes TLS messages, such as session tickets; each call at least one of them.
            return withUnsafeMutableBytes(of: &byte) { byte in
                for _ in 0..<16 {
                    switch receive(into: byte) {
                    case .again: return true
                    case .withoutData: continue
                    case .bytes, .end, .failed: return false
                    }
                }
                return false
            }
        }
    }

    extension HTTP1Connection: RequestCarrier {
        var stage: CarrierStage { sending.awaitsContinue ? .awaitingContinue : .exchanging }

        var awaitedSocket: (any SocketOwner)? { sending.isComplete ? self : nil }

        func phase(of transfer: LoopTransfer) -> TransportError.Phase {
            if parser.hasReceivedBytes { .receive } else { sending.isComplete ? .firstByte : .send }
        }

        func progress(of transfer: LoopTransfer) -> (timings: ConnectionTimings, bytesSent: Int64) {
            (transfer.exchange.connectionTimings, sentBodyBytes)
        }

        func unsentBytes(of transfer: LoopTransfer) -> Int? {
            transfer.isLargeUpload && transfer.exchange.firstByte == 0 ? UnsentBytes.count(of: descriptor) : nil
        }

        func resume(_ transfer: LoopTransfer) {
            exchanges.advance(self)
        }

        func stopAwaitingContinue() {
            sending.awaitsContinue = false
            exchanges.advance(self)
        }

        func abandon(_ transfer: LoopTransfer) {
            self.transfer = nil
            exchanges.close(self, .unfinished)
        }
    }
#endif
