import DataTransfer
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession)
struct ValueStreamCancellationTests {
    let endpoint = Endpoint<Void>(path: "a")

    private func service(_ server: LoopbackServer) -> DefaultDataTransferService {
        server.service()
    }

    @Test func `cancelling before the response's head closes the socket`() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("").fault(.stall) }
        let service = service(server)
        let task = Task { await Result { try await service.stream(endpoint, as: .lines()) } }
        await server.waitForRequests(count: 1)
        task.cancel()
        guard case .failure(let error as DataTransferError) = await task.value else { throw CancellationError() }
        #expect(error.isCancelled)
        #expect(await server.waitForOpenConnections(count: 0))
    }

    @Test func `cancelling while an element is awaited closes the socket`() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("a\nbcd").fault(.stallBody(after: 3)) }
        let lines = try await service(server).stream(endpoint, as: .lines())
        var iterator = lines.makeAsyncIterator()
        #expect(try await iterator.next() == "a")
        let task = Task { await Reading(lines) }
        task.cancel()
        let reading = await task.value
        #expect(reading.elements.isEmpty && reading.error?.isCancelled == true)
        #expect(await server.waitForOpenConnections(count: 0))
        // The stream still exists, and each later read throws the same error.
        #expect(await Reading(lines).error?.isCancelled == true)
    }

    @Test func `cancelling between two received elements closes the socket`() async throws {
        let response = LoopbackResponse.text("a\n").repeated()
        let server = try LoopbackServer { _ in response }
        let lines = try await service(server).stream(endpoint, as: .lines())
        let task = Task { () -> (Int, DataTransferError?) in
            var count = 0
            let error = await #expect(throws: DataTransferError.self) {
                for try await _ in lines {
                    count += 1
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            return (count, error)
        }
        let (count, error) = await task.value
        #expect(count == 1 && error?.isCancelled == true)
        #expect(await server.waitForOpenConnections(count: 0))
        withExtendedLifetime(lines) {}
    }

    @Test func `releasing a stream closes the socket`() async throws {
        let response = LoopbackResponse.text("a\n").repeated()
        let server = try LoopbackServer { _ in response }
        for try await line in try await service(server).stream(endpoint, as: .lines()) {
            #expect(line == "a")
            break
        }
        #expect(await server.waitForOpenConnections(count: 0))
    }

    @Test func `releasing a stream that was never read closes the socket`() async throws {
        let response = LoopbackResponse.text("a\n").repeated()
        let server = try LoopbackServer { _ in response }
        do {
            let lines = try await service(server).stream(endpoint, as: .lines())
            #expect(lines.statusCode == 200)
        }
        #expect(await server.waitForOpenConnections(count: 0))
    }

    @Test func `a second concurrent reader receives an error, and the first one receives its elements`() async throws {
        let service = HeldBody()
        let lines = try await service.stream(endpoint, as: .lines())
        let first = Task { await Reading(lines) }
        await service.waitForReader()
        let second = await Reading(lines)
        #expect(second.error?.networkError?.transportError?.code == .other && second.elements.isEmpty)
        service.send("a\nb")
        service.send(nil)
        let reading = await first.value
        #expect(reading.elements == ["a", "b"] && reading.error == nil)
    }

    // MARK: With closures

    @Test(.notOverURLSession(.trailers))
    func `closures receive one element at a time, and the completion is called last and once`() async throws {
        let server = try LoopbackServer { _ in .chunked([Data("a\nb\n".utf8), Data("c".utf8)], trailers: ["X-Sum": "3"]) }
        let queue = HeldQueue()
        let received = Locked<[String]>([])
        let service = service(server)
        TaskCancellable(on: queue) {
            try await service.stream(endpoint, as: .lines())
        } onElement: { line in
            received.withLock { $0.append(line) }
        } completion: { result in
            let sum = (try? result.get())?.trailers["X-Sum"] ?? "none"
            received.withLock { $0.append("end \(sum)") }
        }
        for count in 1...4 {
            await queue.waitForWork()
            #expect(queue.count == 1 && received.withLock(\.count) == count - 1)
            await queue.runNext()
        }
        #expect(received.withLock { $0 } == ["a", "b", "c", "end 3"])
    }

    @Test func `a closure that does not return applies back-pressure to the server`() async throws {
        let response = LoopbackResponse.text(String(repeating: "x", count: 999) + "\n").repeated()
        let server = try LoopbackServer { _ in response }
        let queue = HeldQueue()
        let service = service(server)
        let handle = TaskCancellable(on: queue) {
            try await service.stream(endpoint, as: .lines())
        } onElement: { _ in
        } completion: { _ in
        }
        await queue.waitForWork()
        // No element is requested before the closure has run, so no more work is enqueued, even if the server sends more.
        await queue.runNext()
        await queue.waitForWork()
        #expect(queue.count == 1)
        handle.cancel()
        #expect(await server.waitForOpenConnections(count: 0))
        await queue.runNext()
    }

    @Test func `cancelling closes the socket even if a closure blocks, and completes with a cancellation error`() async throws {
        let response = LoopbackResponse.text("a\n").repeated()
        let server = try LoopbackServer { _ in response }
        let queue = HeldQueue()
        let (results, continuation) = AsyncStream.makeStream(of: Bool.self)
        let count = Locked(0)
        let service = service(server)
        let handle = TaskCancellable(on: queue) {
            try await service.stream(endpoint, as: .lines())
        } onElement: { _ in
            count.withLock { $0 += 1 }
        } completion: { result in
            if case .failure(let error) = result { continuation.yield(error.isCancelled) }
            continuation.finish()
        }
        await queue.waitForWork()
        handle.cancel()
        #expect(await server.waitForOpenConnections(count: 0))
        await queue.runNext()
        await queue.runNext()
        var seen: [Bool] = []
        for await isCancelled in results { seen.append(isCancelled) }
        #expect(seen == [true] && count.withLock { $0 } == 1 && queue.count == 0)
    }

    @Test func `without a queue the closures still receive the elements and the error`() async throws {
        let server = try LoopbackServer { _ in .text("1\nx\n") }
        let (results, continuation) = AsyncStream.makeStream(of: String.self)
        let service = service(server)
        TaskCancellable {
            try await service.stream(endpoint, as: .ndjson(Int.self))
        } onElement: {
            continuation.yield("\($0)")
        } completion: { result in
            if case .failure(DataTransferError.parsing(let failure)) = result {
                continuation.yield("failed at \(failure.elementIndex ?? -1)")
            }
            continuation.finish()
        }
        var seen: [String] = []
        for await text in results { seen.append(text) }
        #expect(seen == ["1", "failed at 1"])
    }
}

extension Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
