import Endpoints
import Foundation
import Testing

@testable import NetworkTransport

struct SendRuleTests {
    @Test
    func `the rule permits what is idempotent or was not processed, and the engine what was lost with a reused connection, once`()
    {
        for isIdempotent in [true, false] {
            for canSend in [true, false] {
                for fate in SendRule.Fate.allCases {
                    let isPermitted = SendRule.permits(isIdempotent: isIdempotent, after: fate, canSendBodyAgain: canSend)
                    #expect(isPermitted == (canSend && (isIdempotent || fate == .unprocessed)))
                    for (wasReused, isRepeated) in [(true, false), (true, true), (false, false), (false, true)] {
                        var rule = SendRule()
                        if isRepeated { rule.repeatOnFreshConnection() }
                        let engine = rule.permitsRepetition(
                            isIdempotent: isIdempotent, after: fate, wasReused: wasReused, canSendBodyAgain: canSend)
                        let isOnce = fate == .unprocessed || (fate == .unknown && wasReused && !isRepeated)
                        #expect(engine == (isPermitted && isOnce))
                    }
                }
            }
        }
    }

    @Test func `a failure before the first byte leaves a request unprocessed, unless an earlier one of the call was redirected`()
    {
        let phases: [(TransportError.Phase, SendRule.Fate)] = [
            (.queued, .unprocessed), (.nameLookup, .unprocessed), (.connect, .unprocessed), (.tls, .unprocessed),
            (.send, .unknown), (.firstByte, .unknown), (.receive, .responded),
        ]
        for (phase, fate) in phases {
            var error = TransportError(.timedOut, "", phase: phase)
            #expect(error.fate == fate)
            error.timings = TransferTimings(redirects: 1)
            #expect(error.fate == .responded)
        }
        #expect(
            TransportError(.nameLookupFailed, "").fate == .unprocessed && TransportError(.connectionLost, "").fate == .unknown)
        let url = URL(string: "https://api.test/")!
        for (status, fate) in [(200, SendRule.Fate.responded), (503, .responded), (421, .unprocessed), (425, .unprocessed)] {
            let outcome = Result<NetworkResponse, TransportError>.success(NetworkResponse(statusCode: status, url: url))
            #expect(outcome.fate == fate)
        }
    }

    @Test func `only an idempotent request that was lost with a reused connection is repeated, once, on a new one`() {
        var rule = SendRule()
        func mayRepeat(_ rule: SendRule, _ isIdempotent: Bool = true, _ fate: SendRule.Fate = .unknown, reused: Bool = true)
            -> Bool
        {
            rule.permitsRepetition(isIdempotent: isIdempotent, after: fate, wasReused: reused, canSendBodyAgain: true)
        }
        #expect(mayRepeat(rule))
        #expect(!mayRepeat(rule, false) && !mayRepeat(rule, reused: false) && !mayRepeat(rule, true, .responded))
        rule.repeatOnFreshConnection()
        #expect(rule.isRepeated && rule.needsFreshConnection)
        #expect(!mayRepeat(rule))
        #expect(mayRepeat(rule, false, .unprocessed), "the server has not processed it (RFC 9113 §8.7)")
    }

    @Test func `a request of which no byte was sent may require a new connection, and is not repeated by that`() {
        var rule = SendRule()
        rule.useFreshConnection()
        #expect(rule.needsFreshConnection && !rule.isRepeated)
    }

    @Test func `a request is sent again at most so many times after refusals, and the refusals of others do not count`() {
        var rule = SendRule()
        func mayRepeat(_ rule: SendRule) -> Bool {
            rule.permitsRepetition(isIdempotent: false, after: .unprocessed, wasReused: false, canSendBodyAgain: true)
        }
        for _ in 0..<SendRule.maximumRefusals {
            #expect(mayRepeat(rule))
            rule.noteRefusal()
        }
        #expect(!mayRepeat(rule) && mayRepeat(SendRule()))
    }
}
