import DataTransfer
import Foundation
import NetworkCore
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkPipeline

@Suite(.timeLimit(.minutes(10))) struct ChallengeStrengthTests {
    private typealias Strength = ChallengeInterceptor.Strength

    private struct Offer: Sendable {
        let challenge: String
        /// Hash, protection, and whether the user name is hidden.
        let parts: [Int]

        /// All challenges that can be used.
        static let all: [Offer] =
            [Offer(challenge: "Basic realm=\"r\"", parts: [0, 0, 0])]
            + ["MD5", "SHA-256"].enumerated().flatMap { hash, name in
                [nil, "auth", "auth-int"].enumerated().flatMap { protection, qop in
                    [false, true].map { hides in
                        Offer(
                            challenge: "Digest realm=\"r\", nonce=\"n\", algorithm=\(name)"
                                + (qop.map { ", qop=\"\($0)\"" } ?? "")
                                + (hides ? ", userhash=true" : ""), parts: [hash + 1, protection, hides ? 1 : 0])
                    }
                }
            }
    }

    /// Sends requests one after another, to a server that asks with each of the offers in turn, and returns the outcomes: the value of
    /// `Authorization` after each challenge, or nil if it was refused.
    private func outcomes(
        _ offers: [[Offer]], minimum: Strength = .basic, schemes: Set<ChallengeInterceptor.Scheme> = [.digest, .basic]
    ) async throws -> [String?] {
        let session = StubSessionManager()
        let turn = Locked(0)
        let challenged = Locked(true)
        session.route { _ in
            if !challenged.withLock({ $0 }) { return .status(200) }
            challenged.withLock { $0 = false }
            var headers: HeaderFields = ["X": "1"]
            for offer in offers[turn.withLock { $0 }] { headers.add(offer.challenge + ", stale=true", for: "WWW-Authenticate") }
            return .status(401, headers: headers)
        }
        let api = try APIConfiguration("https://api.test")
        let service = DefaultDataTransferService(
            configuration: api, sessionManager: session,
            interceptors: [
                ChallengeInterceptor(user: "u", password: "secret1", origins: [api.baseURL], schemes: schemes, minimum: minimum)
            ])
        var outcomes: [String?] = []
        for index in offers.indices {
            turn.withLock { $0 = index }
            var endpoint = Endpoint<Void>(path: "a")
            endpoint.acceptedStatuses = .any
            do {
                // A challenge after Basic means that the password was rejected, and the next request is sent without it.
                for _ in 0..<2 {
                    challenged.withLock { $0 = true }
                    if try await service.response(for: endpoint).statusCode == 200 { break }
                }
                outcomes.append(session.requests.last?.headers["Authorization"])
            } catch let error as DataTransferError {
                let failure = error.networkError?.transportError
                #expect(failure?.code == .authenticationFailed && failure?.message.contains("weaker") == true, "\(error)")
                outcomes.append(nil)
            }
        }
        return outcomes
    }

    @Test func `what an origin has offered is its minimum afterwards, in each part`() async throws {
        for first in Offer.all {
            for second in Offer.all {
                let outcomes = try await outcomes([[first], [second]])
                let isAccepted = zip(second.parts, first.parts).allSatisfy { $0 >= $1 }
                #expect(outcomes[0] != nil && (outcomes[1] != nil) == isAccepted, "\(first.challenge), then \(second.challenge)")
            }
        }
    }

    @Test func `the strongest offer of a response is used, another realm is no way around the minimum, and it can be required`()
        async throws
    {
        let (basic, old, md5, sha256) = (Offer.all[0], Offer.all[1], Offer.all[3], Offer.all[9])
        for offers in [[basic, old, md5, sha256], [sha256, md5, old, basic], [old, sha256, basic]] {
            #expect(try await outcomes([offers])[0]?.contains("algorithm=SHA-256, nc=") == true)
        }
        #expect(try await outcomes([[old, md5]])[0]?.contains("qop=auth") == true)
        let elsewhere = Offer(challenge: md5.challenge.replacingOccurrences(of: "\"r\"", with: "\"other\""), parts: [])
        #expect(try await outcomes([[sha256], [elsewhere], [basic], [sha256]]).map { $0 != nil } == [true, false, false, true])
        for (minimum, accepted) in [(Strength.basic, 4), (.digest, 3), (.md5, 2), (.sha256, 1)] {
            let isAccepted = try await [basic, old, md5, sha256].asyncMap {
                try await outcomes([[$0]], minimum: minimum)[0] != nil
            }
            #expect(isAccepted == (0..<4).map { $0 >= 4 - accepted }, "\(minimum)")
        }
        // A scheme that the caller does not permit sets no minimum.
        #expect(
            try await outcomes([[sha256, basic], [basic]], schemes: [.basic]).allSatisfy { $0?.hasPrefix("Basic ") == true })
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
