#if os(Linux)
    import NetworkTransport
    import Endpoints
    import NetworkSupport

    // Numbers of connections, and the end of a session manager that is closed.
    extension EventLoop {
        // MARK: Counting

        /// Counts the connections and streams of this loop, by origin. Must not be called while a transfer is being handled.
        func counts() -> [String: ConnectionCounts] {
            var counts: [String: ConnectionCounts] = [:]
            var total = ConnectionCounts()
            func add(_ origin: String, _ member: WritableKeyPath<ConnectionCounts, Int>, _ count: Int = 1) {
                counts[origin, default: ConnectionCounts()][keyPath: member] += count
                total[keyPath: member] += count
            }
            for connection in pool.idleConnections where connection.key.versions == .http1 { add(connection.key.origin, \.idle) }
            for connection in http2.pool.connections { add(connection.key.origin, \.multiplexed) }
            for connection in http3.pool.connections { add(connection.key.origin, \.multiplexed) }
            for origin in upgrades.origins { add(origin, \.upgraded) }
            connector.forEachAttempt { add($0, \.connecting) }
            for transfer in deadlines.all {
                switch transfer.carrier?.stage {
                case nil, .awaitingVersion: break
                case .awaitingStream: add(transfer.origin, \.waiting)
                case .connecting: add(transfer.origin, \.connecting)
                case .awaitingContinue, .exchanging: add(transfer.origin, \.active)
                case .streaming: add(transfer.origin, \.streams)
                }
            }
            // What is counted for the limits.
            assert(connector.connecting == total.connecting)
            assert(pool.open == total.open + total.multiplexed)
            assert(http2.agenda.connectionCount + http3.agenda.connectionCount == total.multiplexed)
            return counts
        }

        // MARK: Closing

        /// Begins to close what no request uses, or cancels the requests that are left.
        func advance(to stage: ClosingStage) {
            guard self.stage < stage else { return }
            self.stage = stage
            upgrades.advance(to: stage)
            guard stage == .cutOff else { return }
            for transfer in deadlines.all where transfer.isHere {
                session.cutOff(transfer, phase: transfer.phase)
                end(transfer, nil)
            }
        }
    }

    /// Collects the numbers of all loops of a session manager.
    final class CountCollector: Sendable {
        private let state: Locked<(missing: Int, counts: [String: ConnectionCounts])>
        private let promise = Promise<PoolCounts>()

        init(loops: Int) {
            state = Locked((loops, [:]))
        }

        /// Adds the numbers of a loop. With those of the last one, the requests in the queue are counted.
        func add(_ counts: [String: ConnectionCounts], of session: SocketSession) {
            let isLast = state.withLock { state in
                for (origin, other) in counts { state.counts[origin, default: ConnectionCounts()].add(other) }
                state.missing -= 1
                return state.missing == 0
            }
            guard isLast else { return }
            var all = state.withLock(\.counts)
            for (origin, count) in session.waiting { all[origin, default: ConnectionCounts()].waiting += count }
            promise.resolve(PoolCounts(byOrigin: all))
        }

        func value() async -> PoolCounts { await promise.value() }
    }
#endif
