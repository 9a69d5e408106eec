import Endpoints
import Foundation
import NetworkSupport
import TransferTestSupport
import Testing

@_spi(SessionManagers) @testable import NetworkTransport

/// The rules of a call over scripted exchanges: the engines have no such rules.
@Suite(.timeLimit(.minutes(10)))
struct CallDriverTests {
    private func request(_ url: String = "https://a.example/1", method: RequestMethod = .get) throws -> NetworkRequest {
        NetworkRequest(method: method, url: try #require(URL(string: url)))
    }

    private func rules(_ change: (inout SessionConfiguration) -> Void = { _ in }) throws -> CallRules {
        try CallRules(SessionConfiguration(change))
    }

    @Test func `a redirect is followed with the cookies of its response, and the last response is the result`() async throws {
        let rules = try rules {
            $0.cookies = .stored(in: CookieStore())
            $0.strictTransport = .inMemory
        }
        let exchange = ScriptedExchange(try request(), rules) { exchange, number in
            switch number {
            case 1:
                exchange.respond(
                    302,
                    [
                        "Location": "/2", "Set-Cookie": "id=7; Secure", "Strict-Transport-Security": "max-age=1000",
                    ], isBodyPending: true)
            case 2: exchange.respond(307, ["Location": "http://a.example/3"])
            default: exchange.respond(200, body: "end")
            }
        }
        let response = try await exchange.driver.response(over: exchange)
        #expect(response.statusCode == 200 && response.data == Data("end".utf8))
        // The last one is changed to https, because of the first response.
        #expect(exchange.urls == ["https://a.example/1", "https://a.example/2", "https://a.example/3"])
        #expect(exchange.state.withLock { $0.sent.map { $0.cookies } } == [nil, "id=7", "id=7"])
        #expect(exchange.driver.redirectCount == 2 && !exchange.driver.isAwaited)
    }

    @Test func `Strict-Transport-Security counts only if it was received from a verified server`() async throws {
        for isVerified in [true, false] {
            let rules = try rules { $0.strictTransport = .inMemory }
            let exchange = ScriptedExchange(try request(), rules) { exchange, _ in
                exchange.respond(200, ["Strict-Transport-Security": "max-age=1000"], isVerified: isVerified)
            }
            _ = try await exchange.driver.response(over: exchange)
            #expect(rules.strictTransport?.count == (isVerified ? 1 : 0))
        }
    }

    /// What a redirect leads to: how the request decides, and whether the exchange holds its body back.
    @Test func `a redirect that is not followed is the result, with its body`() throws {
        let policies: [RedirectPolicy] = [.doNotFollow, .decide { _ in .doNotFollow }, .decide { _ in .refuse("no") }]
        for (policy, isBodyPending) in policies.flatMap({ [($0, true), ($0, false)] }) {
            var request = try request()
            request.redirects = policy
            let (exchange, results) = (ScriptedExchange(request, try rules()), CallResults())
            results.start(exchange)
            exchange.respond(302, ["Location": "/2"], body: isBodyPending ? "" : "moved", isBodyPending: isBodyPending)
            let (bodies, withdrawals) = exchange.state.withLock { ($0.bodies, $0.withdrawals) }
            if policy.decision(on: Redirect(request: request, statusCode: 302, headers: [:], target: request.url, count: 0))
                != .doNotFollow
            {
                #expect(results.texts == ["redirectRefused"] && bodies == 0 && withdrawals == 1)
                continue
            }
            let isHeld = isBodyPending && bodies == 1
            #expect(isHeld ? results.texts.isEmpty : results.texts == ["302 moved"] || isBodyPending)
            if isHeld {
                exchange.driver.end(
                    .success(
                        ExchangeResponse(
                            status: 302, headers: [:], body: .data(Data("moved".utf8)), of: request,
                            timings: TransferTimings(), isVerified: true, mayBeFollowed: false)))
                #expect(results.texts == ["302 moved"])
            }
            #expect(exchange.urls.count == 1)
        }
    }

    @Test func `what a closure of the caller does in a decision takes effect, without a deadlock`() throws {
        let canceller = Locked<ScriptedExchange?>(nil)
        var request = try request()
        request.redirects = .decide { _ in
            canceller.withLock(\.self)?.cancel()
            return .follow
        }
        let (exchange, results) = (ScriptedExchange(request, try rules()), CallResults())
        canceller.withLock { $0 = exchange }
        defer { canceller.withLock { $0 = nil } }
        results.start(exchange)
        exchange.respond(302, ["Location": "/2"], isBodyPending: true)
        #expect(results.texts == ["cancelled"] && exchange.urls.count == 1)
        #expect(exchange.state.withLock(\.withdrawals) == 1)
    }

    @Test func `a body that can be read once is not sent to the target of a redirect`() async throws {
        var request = try request(method: .put)
        request.body = .stream(AsyncStream<Data> { $0.finish() })
        let exchange = ScriptedExchange(request, try rules()) { exchange, _ in exchange.respond(307, ["Location": "/2"]) }
        await #expect(throws: TransportError.self) { try await exchange.driver.response(over: exchange) }
        #expect(exchange.urls.count == 1 && exchange.state.withLock(\.withdrawals) == 1)
    }

    private final class Observer: TransferProgressObserver {
        let updates = Locked<[TransferProgress]>([])
        func transferDidProgress(_ progress: TransferProgress) { updates.withLock { $0.append(progress) } }
    }

    @Test(arguments: [true, false])
    func `the last progress is processed before the result is returned, whatever the result is`(succeeds: Bool) async throws {
        let observer = Observer()
        var request = try request()
        request.progress = observer
        let exchange = ScriptedExchange(request, try rules()) { exchange, _ in
            exchange.driver.reportProgress { $0.bytesReceived = 1 }
            if succeeds { exchange.respond(200, body: "text") } else { exchange.fail() }
        }
        _ = try? await exchange.driver.response(over: exchange)
        let updates = observer.updates.withLock(\.self)
        #expect(updates.map(\.isFinished) == [false, true] || updates.map(\.isFinished) == [true])
        #expect(updates.last?.bytesReceived == (succeeds ? 4 : 1) && updates.last?.bytesSent == (succeeds ? 3 : 0))
    }

    @Test func `the result waits for another thread only if an observer has received an event`() throws {
        var request = try request()
        request.onInformationalResponse = { _ in }
        let notifier = CallNotifier(request, submitted: 0)
        let isSettled = Locked(false)
        notifier.whenSettled { isSettled.withLock { $0 = true } }
        #expect(isSettled.withLock { $0 }, "without an event, at once")
        let order = Locked<[String]>([])
        let entered = DispatchSemaphore(value: 0)
        request.onInformationalResponse = { _ in
            entered.wait()
            order.withLock { $0.append("event") }
        }
        let (observed, done) = (CallNotifier(request, submitted: 0), DispatchSemaphore(value: 0))
        observed.report(InformationalResponse(statusCode: 103, headers: [:]))
        observed.whenSettled {
            order.withLock { $0.append("settled") }
            done.signal()
        }
        entered.signal()
        done.wait()
        #expect(order.withLock { $0 } == ["event", "settled"])
    }

    @Test func `a task that is cancelled gets its error at once, and a call that was cancelled before sends nothing`()
        async throws
    {
        let exchange = ScriptedExchange(try request(), try rules())
        let task = Task { try await exchange.driver.response(over: exchange) }
        task.cancel()
        await #expect(throws: TransportError.self) { try await task.value }
        #expect(exchange.urls.count <= 1)
        let (late, results) = (ScriptedExchange(try request(), try rules()), CallResults())
        late.cancel()
        results.start(late)
        #expect(results.texts == ["cancelled"] && late.urls.isEmpty)
    }
}
