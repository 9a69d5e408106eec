import Endpoints
import Foundation
import NetworkSupport
import TestSupport
import Testing

@_spi(SessionManagers) @testable import NetworkTransport

/// Random schedules of responses, redirects, failures, time limits and cancellations, compared with a model of what a call is.
@Suite(.timeLimit(.minutes(30)))
struct CallDriverModelTests {
    /// What the call must lead to, by the first event that ends it.
    private struct Model {
        var result: String?
        var sends = 1
        /// A response that was delivered, and about which the driver has not decided yet.
        var undecided: (text: String, isFollowed: Bool)?
        /// What has ended the call while the driver had not decided.
        var failure: String?

        mutating func end(_ text: String) {
            if undecided != nil {
                failure = failure ?? text
            } else if result == nil {
                result = text
            }
        }

        mutating func decide() {
            guard let (text, isFollowed) = undecided else { return }
            undecided = nil
            if let failure { result = failure } else if isFollowed { sends += 1 } else { result = text }
        }
    }

    private let rules: CallRules
    private let request: NetworkRequest

    init() throws {
        rules = try CallRules(SessionConfiguration { $0.maximumRedirects = 3 })
        request = NetworkRequest(url: try #require(URL(string: "http://a.example/")))
    }

    /// Executes one schedule, and returns what differs from the model.
    private func run(_ random: inout SeededGenerator) -> String? {
        let (exchange, results) = (ScriptedExchange(request, rules, runsAtOnce: false), CallResults())
        results.start(exchange)
        var model = Model()
        var log: [String] = []
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            // Nothing arrives for a request that was not sent yet.
            let isOpen = model.undecided == nil && model.result == nil
            switch Int.random(in: 0...9, using: &random) {
            case 0, 1, 2:
                log.append("run")
                while exchange.runNext() {}
                model.decide()
            case 3, 4, 5:
                guard isOpen else { continue }
                log.append("redirect")
                exchange.respond(302, ["Location": "/next"], isBodyPending: Bool.random(using: &random))
                model.undecided = ("tooManyRedirects", model.sends <= 3)
            case 6:
                guard isOpen else { continue }
                log.append("respond")
                exchange.respond(200)
                model.end("200 ")
            case 7:
                log.append("fail")
                exchange.fail()
                model.end("connectionLost")
            case 8:
                log.append("time out")
                exchange.driver.stop(TransportError(.timedOut, "scripted"))
                model.end("timedOut")
            default:
                log.append("cancel")
                exchange.cancel()
                model.end("cancelled")
            }
        }
        while exchange.runNext() {}
        model.decide()
        let expected = model.result.map { [$0] } ?? []
        let found = results.texts
        let (sends, isAwaited) = (exchange.urls.count, exchange.driver.isAwaited)
        // A call without a result keeps its exchange.
        exchange.cancel()
        while exchange.runNext() {}
        guard found == expected, sends == model.sends, isAwaited == expected.isEmpty else {
            return "\(log): \(found), \(sends) sent, expected \(expected), \(model.sends) sent"
        }
        return nil
    }

    @Test func `a call has one result, which is that of the first event that ends it`() {
        let first = UInt64.random(in: 0...(1 << 40))
        for seed in first..<(first + UInt64(runs(10_000, slow: 200_000))) {
            var random = SeededGenerator(seed: seed)
            guard let difference = run(&random) else { continue }
            Issue.record("\(difference), seed \(seed)")
            return
        }
    }
}
