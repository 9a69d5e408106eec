import Endpoints
import Foundation
import NetworkSupport

@_spi(SessionManagers) @testable import NetworkTransport

/// An exchange without a network. The test decides what each request leads to, and when what the exchange runs is executed.
final class ScriptedExchange: Exchange {
    struct State {
        var sent: [(request: NetworkRequest, cookies: String?)] = []
        var bodies = 0
        var withdrawals = 0
        /// What was to be run and is not yet.
        var waiting: [@Sendable () -> Void] = []
    }

    let driver: CallDriver
    let state = Locked(State())
    /// Called with the number of the request that is sent, from 1 on.
    private let onSend: @Sendable (ScriptedExchange, Int) -> Void
    private let runsAtOnce: Bool

    init(
        _ request: NetworkRequest, _ rules: CallRules, runsAtOnce: Bool = true,
        onSend: @escaping @Sendable (ScriptedExchange, Int) -> Void = { _, _ in }
    ) {
        driver = CallDriver(request, rules: rules)
        self.onSend = onSend
        self.runsAtOnce = runsAtOnce
    }

    func send(_ request: NetworkRequest, cookies: String?) {
        let number = state.withLock { state in
            state.sent.append((request, cookies))
            return state.sent.count
        }
        onSend(self, number)
    }

    func receiveBody() {
        state.withLock { $0.bodies += 1 }
    }

    func withdraw() {
        state.withLock { $0.withdrawals += 1 }
    }

    func run(_ completion: @escaping @Sendable () -> Void) {
        if runsAtOnce { completion() } else { state.withLock { $0.waiting.append(completion) } }
    }

    /// Executes the next of what was to be run. Returns `false` if there is nothing.
    func runNext() -> Bool {
        guard let work = state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) else { return false }
        work()
        return true
    }

    /// The URLs that were sent.
    var urls: [String] { state.withLock { $0.sent.map(\.request.urlText) } }

    /// Delivers a response to the request that was sent last.
    func respond(
        _ status: Int, _ headers: HeaderFields = [:], body: String = "", isVerified: Bool = true, isBodyPending: Bool = false
    ) {
        let request = driver.request
        let mayBeFollowed = driver.mayFollow(status: status, hasLocation: headers.contains("Location"))
        driver.receive(
            ExchangeResponse(
                status: status, headers: headers, body: .data(Data(body.utf8)), of: request,
                timings: TransferTimings(bytesSent: 3, bytesReceived: Int64(body.utf8.count)), isVerified: isVerified,
                mayBeFollowed: mayBeFollowed, isBodyPending: mayBeFollowed && isBodyPending))
    }

    func fail(_ code: TransportError.Code = .connectionLost) {
        driver.end(.failure(TransportError(code, "scripted")))
    }
}

/// The result of a call with a completion.
final class CallResults: Sendable {
    let all = Locked<[Result<NetworkResponse, TransportError>]>([])

    func start(_ exchange: ScriptedExchange) {
        exchange.driver.start(over: exchange) { [all] result in all.withLock { $0.append(result) } }
    }

    /// The statuses and codes of the results.
    var texts: [String] {
        all.withLock { results in
            results.map { result in
                switch result {
                case .success(let response): "\(response.statusCode) \(String(decoding: response.data, as: UTF8.self))"
                case .failure(let error): error.code.rawValue
                }
            }
        }
    }
}
