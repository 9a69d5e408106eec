#if os(Linux)
    import NetworkTransport
    import Endpoints
    import NetworkSupport

    // Numbers of connections, and the end of a session manager that is closed.
    extension CurlEngine {
        // MARK: Counting

        /// Counts the connections and streams of this loop, by origin. Must not be called while a transfer is being handled.
        func counts() -> [String: ConnectionCounts] {
            var counts: [String: ConnectionCounts] = [:]
            var total = ConnectionCounts()
            func add(_ origin: String, _ member: WritableKeyPath<ConnectionCounts, Int>, _ count: Int = 1) {
                counts[origin, default: ConnectionCounts()][keyPath: member] += count
                total[keyPath: member] += count
            }
            for connection in pool.all { add(connection.key.origin, \.idle) }
            for socket in upgraded.values { add(socket.connection.key.origin, \.upgraded) }
            for attempt in attempts.all { add(attempt.origin, \.connecting) }
            for transfer in deadlines.all {
                switch transfer.carrier {
                case .none, .awaitingVersion: break
                case .connecting(let handle): add(handle.origin, \.connecting)
                case .http1(let connection): add(connection.key.origin, \.active)
                case .http2: add(transfer.origin, \.streams)
                }
            }
            for (origin, count) in sockets.streamSocketsByOrigin() { add(origin, \.multiplexed, count) }
            // What the engine counts for its limits.
            assert(connecting == total.connecting + unwanted.count)
            assert(openConnections == total.open + connecting)
            assert(streaming == total.streams + streamAttempts.count)
            assert(sockets.streamSockets == total.multiplexed)
            return counts
        }

        // MARK: Closing

        /// Begins to close what no request uses, or cancels the requests that are left.
        func advance(to stage: ClosingStage) {
            guard self.stage < stage else { return }
            self.stage = stage
            advanceUpgrades(to: stage)
            guard stage == .cutOff else { return }
            for transfer in deadlines.all where transfer.isHere {
                loops.cutOff(transfer, phase: transfer.phase)
                end(transfer, nil)
            }
        }

        /// Closes the connections and attempts that no request uses.
        func closeUnused() {
            closeIdle()
            giveUpAttempts()
            guard streaming == 0, let streams else { return }
            streams.close()
            self.streams = nil
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
        func add(_ counts: [String: ConnectionCounts], of loops: CurlLoops) {
            let isLast = state.withLock { state in
                for (origin, other) in counts { state.counts[origin, default: ConnectionCounts()].add(other) }
                state.missing -= 1
                return state.missing == 0
            }
            guard isLast else { return }
            var all = state.withLock(\.counts)
            for (origin, count) in loops.waiting { all[origin, default: ConnectionCounts()].waiting = count }
            promise.resolve(PoolCounts(byOrigin: all))
        }

        func value() async -> PoolCounts { await promise.value() }
    }
#endif
