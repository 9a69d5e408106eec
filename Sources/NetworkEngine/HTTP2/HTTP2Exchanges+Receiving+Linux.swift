#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import Endpoints

    // Receiving over HTTP/2.
    extension HTTP2Exchanges {
        /// The number of events of one connection that are processed in one turn.
        private static let maximumEvents = 2048
        /// The number of bytes by which the windows of all streams may be opened beyond their first size.
        static let maximumGrownBytes = 64 << 20
        /// How long no connection is made after a server has asked for calm (ENHANCE_YOUR_CALM).
        private static let calm: UInt64 = 1_000_000_000

        /// Handles a readiness event of a connection's socket, or continues after others had their turn.
        func react(_ connection: HTTP2Connection) {
            guard connection.isOpen else { return }
            receive(connection)
            touch(connection)
        }

        /// Reads and processes frames until the socket is empty, or others have to have their turn.
        func receive(_ connection: HTTP2Connection) {
            let input = context.workspace.takeReadBuffer()
            defer { context.workspace.giveBackReadBuffer() }
            var events = Self.maximumEvents
            var reads = 8
            while connection.isOpen {
                if !connection.unread.isEmpty {
                    let unread = connection.unread
                    connection.unread = []
                    unread.withUnsafeBytes { process($0, of: connection, &events) }
                    if connection.isReady { return }
                    continue
                }
                guard connection.mayRead else { return }
                guard reads > 0, context.turn.hasRoom else { return context.yieldToOthers(connection) }
                reads -= 1
                switch connection.receive(into: input) {
                case .withoutData: continue
                case .bytes(let count):
                    context.turn.take(count)
                    // A socket that returns fewer bytes than requested is empty.
                    connection.noteRead(count, of: input.count)
                    connection.liveness.noteArrival(at: context.now)
                    process(UnsafeRawBufferPointer(rebasing: input[..<count]), of: connection, &events)
                    if connection.isReady { return }
                case .again:
                    connection.mayRead = false
                    return
                case .end:
                    connection.hasEnded = true
                    return lose(connection, .closed(nil))
                case .failed(let failure): return lose(connection, .closed(failure))
                }
            }
        }

        private func process(_ bytes: UnsafeRawBufferPointer, of connection: HTTP2Connection, _ events: inout Int) {
            var offset = 0
            while connection.isOpen {
                guard events > 0 else {
                    connection.unread = Array(bytes[offset...])
                    return context.yieldToOthers(connection)
                }
                events -= 1
                switch connection.machine.next(bytes, at: &offset) {
                case .needsMore: return
                case .frame: break
                case .interim(let id, let status): receiveInterim(status, on: connection[id])
                case .head(let id, let status): receiveHead(status, on: connection[id])
                case .data(let id, let range):
                    guard let exchange = connection[id] else { continue }
                    let content = UnsafeRawBufferPointer(rebasing: bytes[range])
                    exchange.untaken += content.count
                    if let upgrade = exchange.upgrade {
                        receive(content, for: upgrade, on: exchange)
                    } else {
                        receiveContent(content, on: exchange)
                    }
                case .trailers(let id): receiveTrailers(on: connection[id])
                case .end(let id): receiveEnd(on: connection[id])
                case .reset(let id, let code): receiveReset(StreamReset(code), on: connection[id])
                case .failedStream(let id, let failure): fail(connection[id], failure)
                case .writable(nil): for exchange in takeBlocked(connection) { enqueue(exchange) }
                case .writable(let id?): if let exchange = connection[id] { enqueue(exchange) }
                case .settings:
                    for exchange in takeBlocked(connection) { enqueue(exchange) }
                    note(change: connection.key)
                case .pong:
                    connection.liveness.noteReply()
                    note(change: connection.key)
                case .goAway(let code):
                    if code == .enhanceYourCalm { pool.pause(connection.key, until: context.now &+ Self.calm) }
                    receiveGoAway(on: connection, "the server has ended the connection with \(code.name) (GOAWAY)")
                case .failed(let failure): lose(connection, .violation(failure))
                }
            }
        }

        // MARK: Windows

        func pauseReceiving(_ exchange: HTTP2Exchange, _ transfer: LoopTransfer) {
            if let id = exchange.id { exchange.connection.machine.pause(id) }
        }

        /// Opens the window of a stream by the bytes that its reader has taken.
        func credit(_ exchange: HTTP2Exchange) {
            guard exchange.untaken > 0, let id = exchange.id, exchange.connection[id] === exchange else { return }
            let grown = exchange.connection.machine.take(
                exchange.untaken, of: id, mayGrow: grownBytes < Self.maximumGrownBytes)
            exchange.untaken = 0
            exchange.grown += grown
            grownBytes += grown
            touch(exchange.connection)
        }
    }

    extension StreamReset {
        fileprivate init(_ code: HTTP2ErrorCode) {
            let meaning: Meaning =
                switch code {
                case .refusedStream: .unprocessed
                case .http11Required: .needsHTTP1
                case .noError: .noError
                default: .failed
                }
            self.init(meaning: meaning, name: code.name, section: "RFC 9113 §7")
        }
    }
#endif
