import Endpoints
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

import NetworkCore
@testable import NetworkTransport

@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession)
struct ProgressTests {
    /// All states that a monitor reports, including the end.
    private func states(of monitor: ProgressMonitor) async -> [TransferProgress] {
        var states: [TransferProgress] = []
        for await state in monitor { states.append(state) }
        return states
    }

    @Test func `progress counts every byte of an upload and its response`() async throws {
        let server = try LoopbackServer { request in .data(Data(request.body.prefix(1000))) }
        let monitor = ProgressMonitor()
        let request = NetworkRequest(
            method: .post, url: server.url("/"), body: .data(Data(count: 3_000_000)), progress: monitor)
        async let response = testedSession().response(for: request)
        let states = await states(of: monitor)
        #expect(try await response.data.count == 1000)
        let last = try #require(states.last)
        #expect(last.isFinished && last.bytesSent == 3_000_000 && last.bytesReceived == 1000, "\(last)")
        #expect(last.fractionSent == 1 && last.fractionReceived == 1 && last.elapsed > .zero && last.bytesPerSecond > 0)
        #expect(states.dropLast().allSatisfy { !$0.isFinished })
        #expect(
            zip(states, states.dropFirst()).allSatisfy { $0.bytesSent <= $1.bytesSent && $0.bytesReceived <= $1.bytesReceived })
        #expect(monitor.current == last)
    }

    @Test func `an observer receives at most 20 events per second`() async throws {
        // On a busy machine, all chunks of a short response may be received at once.
        let most = try await withTimeouts { duration -> Int? in
            let server = try LoopbackServer { _ in
                LoopbackResponse.data(Data(count: 300)).fault(.drip(bytes: 1, every: duration / 100))
            }
            let events = Locked<[TransferProgress]>([])
            let clock = ContinuousClock.now
            let observer = Counting { progress in events.withLock { $0.append(progress) } }
            _ = try await testedSession().response(for: NetworkRequest(url: server.url("/"), progress: observer))
            let seconds = (ContinuousClock.now - clock) / .seconds(1)
            let received = events.withLock { $0 }
            #expect(Double(received.count) <= seconds * 20 + 2, "\(received.count) in \(seconds) s")
            #expect(received.dropFirst().first?.totalBytesToReceive == 300)
            #expect(received.filter(\.isFinished).count == 1 && received.last?.isFinished == true)
            return received.count > 2 ? received.count : nil
        }
        #expect(most != nil)
    }

    @Test func `progress finishes when a transfer fails or is cancelled`() async throws {
        let session = testedSession()
        let server = try LoopbackServer { request in
            request.path == "/stall"
                ? LoopbackResponse.text("").fault(.stall) : LoopbackResponse.text("x").fault(.truncateBody(after: 0))
        }
        let nowhere = try #require(URL(string: "http://127.0.0.1:1/"))
        let ftp = try #require(URL(string: "ftp://a.example/"))
        for url in [server.url("/cut"), nowhere, ftp] {
            let monitor = ProgressMonitor()
            session.response(for: NetworkRequest(url: url, progress: monitor)) { _ in }
            #expect(await states(of: monitor).last?.isFinished == true, "\(url)")
        }
        let monitor = ProgressMonitor()
        let handle = session.response(for: NetworkRequest(url: server.url("/stall"), progress: monitor)) { _ in }
        _ = await server.waitForRequests(count: 2)
        handle.cancel()
        #expect(await states(of: monitor).last?.isFinished == true)

        let late = ProgressMonitor()
        let task = Task { try await session.response(for: NetworkRequest(url: server.url("/stall"), progress: late)) }
        task.cancel()
        _ = await task.result
        #expect(await states(of: late).last?.isFinished == true)
    }

    @Test func `the closure of a monitor is called serially, and receives the final state`() async throws {
        let server = try LoopbackServer { _ in .data(Data(count: 2_000_000)) }
        let isRunning = Locked(false)
        let (events, sink) = AsyncStream.makeStream(of: TransferProgress.self)
        let monitor = ProgressMonitor { progress in
            #expect(
                isRunning.withLock { running in
                    defer { running = true }; return !running
                })
            sink.yield(progress)
            isRunning.withLock { $0 = false }
            if progress.isFinished { sink.finish() }
        }
        _ = try await testedSession().response(for: NetworkRequest(url: server.url("/"), progress: monitor))
        var last: TransferProgress?
        for await event in events { last = event }
        #expect(last?.isFinished == true && last?.bytesReceived == 2_000_000)
    }

    @Test func `several attempts by an interceptor are reported as one transfer`() async throws {
        struct Twice: NetworkInterceptor {
            func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
                _ = try await next(request)
                return try await next(request)
            }
        }
        let server = try LoopbackServer { _ in .text("hello") }
        let service = DefaultNetworkService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: testedSession(), interceptors: [Twice()]
        )
        for isStreamed in [false, true] {
            let events = Locked<[TransferProgress]>([])
            var endpoint = Endpoint<Data>(path: "x", responseDecoder: .rawData)
            let observer = Counting { progress in events.withLock { $0.append(progress) } }
            endpoint.progress = observer
            if isStreamed {
                _ = try await service.stream(for: endpoint).body.collected()
            } else {
                _ = try await service.response(for: endpoint)
            }
            let received = events.withLock { $0 }
            #expect(received.filter(\.isFinished).count == 1 && received.last?.isFinished == true, "\(received)")
            #expect(received.last?.bytesReceived == 5)
        }
        #expect(server.requestCount == 4)
    }

    @Test func `progress also finishes for stubs and for endpoints whose request is invalid`() async throws {
        let session = StubSessionManager()
        session.route(.text("four"), for: "/a")
        let configuration = try APIConfiguration("http://a.example")
        let service = DefaultNetworkService(configuration: configuration, sessionManager: session)
        for (path, bytes) in [("a", 4), ("b", 0), ("{missing}", 0)] {
            let monitor = ProgressMonitor()
            var endpoint = Endpoint<Data>(path: path, responseDecoder: .rawData)
            endpoint.progress = monitor
            _ = try? await service.response(for: endpoint)
            let last = await states(of: monitor).last
            #expect(last?.isFinished == true && last?.bytesReceived == Int64(bytes))
        }
    }

    @Test func `a relay calls its observer from one thread at a time, in the order of the events`() async {
        let observer = Blocking()
        let relay = ProgressRelay(observer)
        BackgroundThreads.completions.run { relay.transferDidProgress(TransferProgress()) }
        await observer.entered.wait()
        let end = Task { await relay.finish() }
        let isSettled = Locked(false)
        relay.whenSettled { isSettled.withLock { $0 = true } }
        for _ in 0..<100 { await Task.yield() }
        #expect(observer.ends == [] && !isSettled.withLock(\.self))
        observer.mayReturn.signal()
        await end.value
        #expect(observer.ends == [false, true] && isSettled.withLock(\.self))
    }
}

/// Blocks in its first event until it may return.
private final class Blocking: TransferProgressObserver {
    let entered = AsyncGate()
    let mayReturn = DispatchSemaphore(value: 0)
    private let returned = Locked<[Bool]>([])

    /// Whether each event from which the observer has returned was the last one.
    var ends: [Bool] { returned.withLock(\.self) }

    func transferDidProgress(_ progress: TransferProgress) {
        entered.open()
        if !progress.isFinished { mayReturn.wait() }
        returned.withLock { $0.append(progress.isFinished) }
    }
}

private final class Counting: TransferProgressObserver {
    let onProgress: @Sendable (TransferProgress) -> Void

    init(onProgress: @escaping @Sendable (TransferProgress) -> Void) {
        self.onProgress = onProgress
    }

    func transferDidProgress(_ progress: TransferProgress) {
        onProgress(progress)
    }
}
