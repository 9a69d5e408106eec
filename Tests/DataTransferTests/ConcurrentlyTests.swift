import DataTransfer
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

/// Tests of concurrent requests to several endpoints.
@Suite(.timeLimit(.minutes(10)))
struct ConcurrentlyTests {
    /// Responds to each request with its number, or with an error if the number is in `failing`. By default, it responds
    /// immediately.
    final class Service: DataTransferService {
        private struct State {
            var started: [Int] = []
            var running: [Int: @Sendable (Bool) -> Void] = [:]
            var mostRunning = 0
            var cancelled: [Int] = []
        }

        private let state = Locked(State())
        /// Whether requests wait for ``respond(_:)``.
        let isHeld: Bool
        let failing: Set<Int>
        let (events, sink) = AsyncStream.makeStream(of: Int.self)

        init(isHeld: Bool = false, failing: Set<Int> = []) {
            self.isHeld = isHeld
            self.failing = failing
        }

        var started: [Int] { state.withLock(\.started) }
        var mostRunning: Int { state.withLock(\.mostRunning) }
        var cancelled: Set<Int> { Set(state.withLock(\.cancelled)) }

        func responseResult<Target: ResponseRequestable>(
            for endpoint: Target
        ) async -> Result<DataTransferResponse<Target.Response>, DataTransferError> {
            let bridge = CancellationBridge<DataTransferResponse<Target.Response>, DataTransferError>(
                cancellation: .networkFailure(.cancelled(.taskCancelled())))
            return await .from { () async throws(DataTransferError) in
                try await bridge.run { completion in begin(endpoint, completion: completion) }
            }
        }

        private func begin<Target: ResponseRequestable>(
            _ endpoint: Target,
            completion: @escaping @Sendable (Result<DataTransferResponse<Target.Response>, DataTransferError>) -> Void
        ) -> any NetworkCancellable {
            let number = Int(endpoint.request.path) ?? -1
            let isFailing = failing.contains(number)
            let finish: @Sendable (Bool) -> Void = { isCancelled in
                if isCancelled || isFailing {
                    let code: TransportError.Code = isCancelled ? .cancelled : .cannotConnect
                    return completion(.failure(.networkFailure(NetworkError(TransportError(code, "\(number)")))))
                }
                do {
                    let value = try endpoint.response(from: ResponseData(Data("\(number)".utf8), contentType: nil))
                    completion(.success(DataTransferResponse(value: value, url: URL(fileURLWithPath: "/"))))
                } catch {
                    Issue.record(error)
                }
            }
            state.withLock { state in
                state.started.append(number)
                state.running[number] = finish
                state.mostRunning = max(state.mostRunning, state.running.count)
            }
            sink.yield(number)
            if !isHeld { DispatchQueue.global().async { self.respond(number) } }
            return Handle { self.end(number, isCancelled: true) }
        }

        struct Handle: NetworkCancellable {
            let action: @Sendable () -> Void
            func cancel() { action() }
        }

        func respond(_ number: Int) {
            end(number, isCancelled: false)
        }

        private func end(_ number: Int, isCancelled: Bool) {
            let finish = state.withLock { state in
                let finish = state.running.removeValue(forKey: number)
                if finish != nil, isCancelled { state.cancelled.append(number) }
                return finish
            }
            finish?(isCancelled)
        }

        /// Waits until `count` requests have started.
        func waitForRequests(_ count: Int) async {
            guard started.count < count else { return }
            for await _ in events where started.count >= count { return }
        }
    }

    private func endpoints(_ count: Int) -> [Endpoint<Int>] {
        (0..<count).map { Endpoint<Int>(path: "\($0)") }
    }

    @Test func `values are in the order of the endpoints, not in the order of completion`() async throws {
        let service = Service(isHeld: true)
        async let values = service.concurrently(endpoints(5), maximumConcurrency: 5)
        await service.waitForRequests(5)
        for number in [3, 0, 4, 1, 2] { service.respond(number) }
        #expect(try await values == [0, 1, 2, 3, 4])
        #expect(try await service.concurrently([Endpoint<Int>]()) == [])
    }

    @Test(arguments: [(1, 1), (6, 6), (0, 1), (-3, 1), (Int.max, 40)])
    func `no more requests than the limit run at the same time`(limit: Int, most: Int) async throws {
        let service = Service()
        #expect(try await service.concurrently(endpoints(40), maximumConcurrency: limit) == Array(0..<40))
        #expect(service.mostRunning <= most && service.started.sorted() == Array(0..<40))
        let other = Service()
        #expect(await other.concurrently(collecting: endpoints(40), maximumConcurrency: limit).count == 40)
        #expect(other.mostRunning <= most)
        let third = Service()
        var count = 0
        for await _ in third.results(of: endpoints(40), maximumConcurrency: limit) { count += 1 }
        #expect(count == 40 && third.mostRunning <= most)
    }

    @Test func `as many requests as the limit run at the same time, by default six`() async throws {
        for limit in [nil, 3] {
            let service = Service(isHeld: true)
            let task = Task { [endpoints = endpoints(20)] in
                if let limit { return try await service.concurrently(endpoints, maximumConcurrency: limit) }
                return try await service.concurrently(endpoints)
            }
            await service.waitForRequests(limit ?? 6)
            #expect(service.started.sorted() == Array(0..<(limit ?? 6)))
            service.respond(1)
            await service.waitForRequests((limit ?? 6) + 1)
            #expect(service.started.count == (limit ?? 6) + 1)
            task.cancel()
            _ = await task.result
        }
    }

    @Test func `the first failure is thrown, cancels the running requests, and prevents new ones`() async throws {
        let service = Service(isHeld: true, failing: [2])
        let task = Task { [endpoints = endpoints(10)] in
            await #expect(throws: DataTransferError.self) {
                try await service.concurrently(endpoints, maximumConcurrency: 4)
            }
        }
        await service.waitForRequests(4)
        service.respond(0)
        await service.waitForRequests(5)
        service.respond(2)
        let error = await task.value
        #expect(error?.isConnectivity == true, "\(String(describing: error))")
        #expect(service.cancelled == [1, 3, 4] && service.started.sorted() == [0, 1, 2, 3, 4])
    }

    @Test func `collecting returns the result of each request, also after a failure`() async throws {
        let service = Service(failing: [1, 3])
        let results = await service.concurrently(collecting: endpoints(5))
        #expect(results.map { try? $0.get() } == [0, nil, 2, nil, 4])
        #expect(service.cancelled.isEmpty)
    }

    @Test func `results are returned one by one, in the order of completion`() async throws {
        let service = Service(isHeld: true, failing: [1])
        let results = service.results(of: endpoints(5), maximumConcurrency: 3)
        async let first = next(results)
        await service.waitForRequests(3)
        service.respond(2)
        let one = await first
        #expect(try one?.index == 2 && one?.result.get() == 2)
        // One result has been read. The next request starts with the next call to `next()`, and not before.
        #expect(service.started.count == 3)
        async let second = next(results)
        await service.waitForRequests(4)
        service.respond(1)
        let two = await second
        #expect(two?.index == 1)
        #expect(throws: DataTransferError.self) { try two?.result.get() }
        var indexes: Set<Int> = []
        for number in [0, 3] { service.respond(number) }
        indexes.insert(await next(results)?.index ?? -1)
        await service.waitForRequests(5)
        service.respond(4)
        for await (index, _) in results { indexes.insert(index) }
        #expect(indexes == [0, 3, 4])
        #expect(await next(results) == nil)
    }

    private func next(_ results: ConcurrentResults<Int>) async -> ConcurrentResults<Int>.Element? {
        var iterator = results.makeAsyncIterator()
        return await iterator.next()
    }

    @Test func `releasing the results cancels the requests`() async throws {
        let service = Service(isHeld: true)
        do {
            let results = service.results(of: endpoints(5), maximumConcurrency: 3)
            async let first = next(results)
            await service.waitForRequests(3)
            service.respond(0)
            let one = await first
            #expect(one?.index == 0)
        }
        #expect(service.cancelled == [1, 2] && service.started.count == 3)
    }

    @Test func `cancelling the task cancels all requests`() async throws {
        let service = Service(isHeld: true)
        let throwing = Task { [endpoints = endpoints(9)] in try await service.concurrently(endpoints, maximumConcurrency: 3) }
        await service.waitForRequests(3)
        throwing.cancel()
        let error = await #expect(throws: DataTransferError.self) { try await throwing.value }
        #expect(error?.isCancelled == true && service.cancelled == [0, 1, 2] && service.started.count == 3)

        let collecting = Service(isHeld: true)
        let collected = Task { [endpoints = endpoints(9)] in
            await collecting.concurrently(collecting: endpoints, maximumConcurrency: 3)
        }
        await collecting.waitForRequests(3)
        collecting.respond(1)
        await collecting.waitForRequests(4)
        collected.cancel()
        let results = await collected.value
        #expect(results.map { try? $0.get() } == [nil, 1, nil, nil, nil, nil, nil, nil, nil])
        #expect(collecting.started.count == 4)

        let streaming = Service(isHeld: true)
        let streamed = Task { [endpoints = endpoints(9)] in
            var indexes: [Int] = []
            for await (index, result) in streaming.results(of: endpoints, maximumConcurrency: 3) {
                if case .failure(let error) = result { #expect(error.isCancelled) }
                indexes.append(index)
            }
            return indexes
        }
        await streaming.waitForRequests(3)
        streamed.cancel()
        #expect(await streamed.value.sorted() == Array(0..<9) && streaming.started.count == 3)
    }

    @Test func `completions receive the results of the async forms, and a handle cancels all requests`() async throws {
        let service = Service(failing: [1])
        let queue = CountingQueue()
        let values = await outcome {
            TaskCancellable(on: queue, { try await service.concurrently([Endpoint<Int>(path: "5")]) }, completion: $0)
        }
        #expect(try values.get() == [5])
        let all: Result<_, Never> = await outcome {
            TaskCancellable(on: queue, { await service.concurrently(collecting: endpoints(3)) }, completion: $0)
        }
        #expect(all.get().map { try? $0.get() } == [0, nil, 2] && queue.count == 2)
        let reported = Locked<[Int]>([])
        _ = await outcome { done in
            TaskCancellable {
                service.results(of: endpoints(4))
            } onElement: { index, _ in
                reported.withLock { $0.append(index) }
            } completion: {
                done($0.map { _ in true })
            }
        }
        #expect(reported.withLock(\.self).sorted() == [0, 1, 2, 3])

        let held = Service(isHeld: true)
        let (errors, sink) = AsyncStream.makeStream(of: Bool.self)
        let handle = TaskCancellable {
            try await held.concurrently(endpoints(9), maximumConcurrency: 2)
        } completion: { result in
            if case .failure(let error) = result { sink.yield(error.isCancelled) }
            sink.finish()
        }
        await held.waitForRequests(2)
        handle.cancel()
        for await isCancelled in errors { #expect(isCancelled) }
        #expect(held.cancelled == [0, 1])
    }

    @Test func `endpoints of different types return their values as a tuple`() async throws {
        let service = Service(isHeld: true)
        async let values = service.concurrently(
            Endpoint<Int>(path: "1"), Endpoint<String>(path: "2", responseDecoder: .text), Endpoint<Void>(path: "3"))
        await service.waitForRequests(3)
        for number in [3, 1, 2] { service.respond(number) }
        let (number, text, _) = try await values
        #expect(number == 1 && text == "2")

        let failing = Service(isHeld: true, failing: [2])
        let task = Task {
            try await failing.concurrently(Endpoint<Int>(path: "1"), Endpoint<Data>(path: "2", responseDecoder: .rawData))
        }
        await failing.waitForRequests(2)
        failing.respond(2)
        let error = await #expect(throws: DataTransferError.self) { _ = try await task.value }
        #expect(error?.isConnectivity == true && failing.cancelled == [1])
    }

    @Test func `thousands of endpoints never run more requests at the same time than the limit`() async throws {
        let service = Service()
        #expect(try await service.concurrently(endpoints(2000)) == Array(0..<2000))
        #expect(service.mostRunning <= 6)
        var seen = Set<Int>()
        let other = Service()
        for await (index, _) in other.results(of: endpoints(2000)) { seen.insert(index) }
        #expect(seen.count == 2000 && other.mostRunning <= 6)
    }
}
