#if os(Linux)
    import Foundation
    import NetworkCore
    import NetworkSupport

    /// Concurrent callers that each process one number after another, with a watchdog for work that hangs.
    struct StormCrew {
        var callers: Int
        /// The maximum time for one number.
        var timeLimit = Duration.seconds(120)

        /// - Parameters:
        ///   - work: Runs for each number, with the number of the caller, in as many tasks as there are callers.
        ///   - onHang: Runs for each number whose work does not end in time; this work is not awaited.
        /// - Returns: Whether all work ended.
        func run(
            _ numbers: Range<Int>, work: @escaping @Sendable (_ caller: Int, _ number: Int) async -> Void,
            onHang: @escaping @Sendable (Int) -> Void
        ) async -> Bool {
            let next = Locked(numbers.lowerBound)
            let running = Locked<[Int: ContinuousClock.Instant]>([:])
            let (ends, end) = AsyncStream.makeStream(of: Bool.self)
            let tasks = (0..<callers).map { caller in
                Task {
                    while case let number = next.withLock({ next in
                        defer { next += 1 }
                        return next
                    }), number < numbers.upperBound, !Task.isCancelled {
                        running.withLock { $0[number] = .now }
                        await work(caller, number)
                        running.withLock { $0[number] = nil }
                    }
                    end.yield(true)
                }
            }
            let watchdog = Task {
                while (try? await Task.sleep(for: .milliseconds(500))) != nil {
                    let late = running.withLock { $0.filter { $0.value + timeLimit < .now }.keys.sorted() }
                    guard !late.isEmpty else { continue }
                    for number in late { onHang(number) }
                    end.yield(false)
                }
            }
            defer {
                watchdog.cancel()
                for task in tasks { task.cancel() }
            }
            var ended = 0
            for await isEnded in ends {
                guard isEnded else { return false }
                ended += 1
                if ended == callers { return true }
            }
            return false
        }
    }
#endif
