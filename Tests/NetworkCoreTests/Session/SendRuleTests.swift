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

    @Test(arguments: [(0, 0), (0, 1), (1, 1), (1, 2)])
    func `a request that is not idempotent is not sent again, whether the connections are new or reused`(first: Int, second: Int)
    {
        var rule = SendRule()
        rule.begin()
        #expect(rule.next(connections: first, isIdempotent: false) == .send)
        #expect(rule.next(connections: second, isIdempotent: false) == .refuse)
        #expect(rule.wasSent && !rule.isRepeated)
    }

    @Test func `an idempotent request is sent again on a new connection`() {
        var rule = SendRule()
        rule.begin()
        #expect(rule.next(connections: 0, isIdempotent: true) == .send)
        #expect(rule.next(connections: 1, isIdempotent: true) == .send && rule.isRepeated && !rule.waitsForFreshConnection)
    }

    @Test func `an idempotent request is not sent again on a second reused connection`() {
        var rule = SendRule()
        rule.begin()
        #expect(rule.next(connections: 0, isIdempotent: true) == .send)
        #expect(rule.next(connections: 0, isIdempotent: true) == .sendOnFreshConnection)
        #expect(rule.waitsForFreshConnection && !rule.needsFreshConnection)
        rule.repeatOnFreshConnection()
        rule.begin()
        #expect(!rule.waitsForFreshConnection && rule.needsFreshConnection)
        #expect(rule.next(connections: 1, isIdempotent: true) == .send)
    }

    @Test(arguments: [true, false])
    func `a request that the server refused on a new connection may be sent again (RFC 9113 §8.7)`(isIdempotent: Bool) {
        var rule = SendRule()
        rule.begin()
        for connections in 1...6 {
            #expect(rule.next(connections: connections, isIdempotent: isIdempotent, wasRefused: rule.wasSent) == .send)
        }
        #expect(!rule.isRepeated)
    }

    @Test func `a request that the server reports as not processed may be sent again on any connection`() {
        var rule = SendRule()
        rule.begin()
        for _ in 0..<3 { #expect(rule.next(connections: 0, isIdempotent: false, wasRefused: rule.wasSent) == .send) }
        #expect(!rule.isRepeated)
        #expect(rule.next(connections: 1, isIdempotent: false) == .refuse)
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
