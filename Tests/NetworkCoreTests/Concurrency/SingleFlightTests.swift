import NetworkCore
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10))) struct SingleFlightTests {
    private typealias Flights = SingleFlight<String, Int>

    private func value(_ flights: Flights, _ operation: @escaping @Sendable () async -> Int) async -> Int {
        let call = flights.join("key", operation)
        defer { flights.leave(call) }
        return await call.promise.value(cancellation: { -1 })
    }

    private func wait(for count: Int, in flights: Flights) async {
        while flights.waitingCount("key") < count, !Task.isCancelled { await Task.yield() }
    }

    @Test func `concurrent calls run the operation once, and all receive its value`() async {
        let flights = Flights()
        let gate = AsyncGate()
        let tasks = (0..<50).map { number in
            Task {
                await value(flights) {
                    await gate.wait()
                    return number
                }
            }
        }
        await wait(for: 50, in: flights)
        gate.open()
        var values: Set<Int> = []
        for task in tasks { values.insert(await task.value) }
        #expect(values.count == 1 && gate.arrived == 1)
        #expect(!flights.isRunning("key"))
        #expect(await value(flights) { 99 } == 99)
    }

    @Test(arguments: [true, false]) func `an operation is cancelled when its last call has left, if that is wanted`(
        cancelsUnused: Bool
    ) async {
        let flights = Flights(cancelsUnused: cancelsUnused)
        let started = AsyncGate()
        let ended = Promise<Bool>()
        let gate = AsyncGate()
        let tasks = (0..<2).map { _ in
            Task {
                await value(flights) {
                    await started.wait()
                    await gate.wait()
                    ended.resolve(Task.isCancelled)
                    return 1
                }
            }
        }
        started.open()
        await wait(for: 2, in: flights)
        tasks[0].cancel()
        #expect(await tasks[0].value == -1)
        #expect(flights.waitingCount("key") == 1)
        tasks[1].cancel()
        #expect(await tasks[1].value == -1)
        #expect(flights.isRunning("key") != cancelsUnused)
        gate.open()
        #expect(await ended.value() == cancelsUnused)
    }

    @Test func `a cancelled operation delivers the value that is passed, and not its own`() async {
        let flights = Flights()
        let gate = AsyncGate()
        let task = Task {
            await value(flights) {
                await gate.wait()
                return 1
            }
        }
        await gate.waitForArrival()
        flights.cancel("key", with: 7)
        #expect(await task.value == 7)
        // A new operation of the key is not affected by the end of the first one.
        let next = AsyncGate()
        let second = Task {
            await value(flights) {
                await next.wait()
                return 2
            }
        }
        await next.waitForArrival()
        gate.open()
        for _ in 0..<20 { await Task.yield() }
        #expect(flights.isRunning("key"))
        next.open()
        #expect(await second.value == 2)
    }

    @Test func `the first call can perform the operation in its own task`() async throws {
        let flights = Flights()
        guard case .leader(let flight) = flights.lead("key") else {
            Issue.record("Another operation is running.")
            return
        }
        guard case .follower(let call) = flights.lead("key") else {
            Issue.record("The operation is not running.")
            return
        }
        flights.finish(flight, with: 3)
        flights.finish(flight, with: 4)
        #expect(await call.promise.value() == 3)
        #expect(!flights.isRunning("key"))
    }

    /// Random calls of three keys, of which some are cancelled.
    @Test func `with random calls and cancellations each call ends, and no operation remains`() async {
        let flights = Flights(cancelsUnused: true)
        let running = Locked<[String: Int]>([:])
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<3000 {
                group.addTask {
                    let key = "\(number % 3)"
                    let task = Task {
                        let call = flights.join(key) {
                            let count = running.withLock { running in
                                running[key, default: 0] += 1
                                return running[key] ?? 0
                            }
                            if !Task.isCancelled { #expect(count >= 1) }
                            for _ in 0..<(number % 5) { await Task.yield() }
                            running.withLock { $0[key, default: 0] -= 1 }
                            return number
                        }
                        defer { flights.leave(call) }
                        return await call.promise.value(cancellation: { -1 })
                    }
                    if number % 4 == 0 { task.cancel() }
                    let value = await task.value
                    #expect(value % 3 == number % 3 || value == -1 && number % 4 == 0)
                }
            }
        }
        for key in ["0", "1", "2"] { #expect(!flights.isRunning(key) && flights.waitingCount(key) == 0) }
    }
}
