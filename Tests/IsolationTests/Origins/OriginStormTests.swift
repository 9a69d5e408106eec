import DataTransfer
import Foundation
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

/// Random chains of redirects and pages over four origins, compared with a model of what each origin may receive.
///
/// 400 chains, or 5,000 with `DATA_TRANSFER_SLOW=1`; `DATA_TRANSFER_SEED` sets the seed.
@Suite(.timeLimit(.ofStorm)) struct OriginStormTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["DATA_TRANSFER_SLOW"] == nil ? 400 : 5_000
    private static let seed = environment["DATA_TRANSFER_SEED"].flatMap { UInt64($0) } ?? 1

    /// The response of a server at one step of a chain.
    private enum Step {
        case redirect(status: Int, to: Int)
        case page(next: Int?)
    }

    private struct Chain {
        let number: Int
        let method: RequestMethod
        /// The number of the origin in the endpoint's full path; `nil` for the configuration's origin, number 0.
        let start: Int?
        var steps: [Step] = []

        init(_ number: Int, seed: UInt64) {
            var random = SeededGenerator(seed: seed &+ UInt64(number) &* 7919)
            self.number = number
            method = random.chance(30) ? .post : .get
            start = random.chance(25) ? random.below(4) : nil
            for _ in 0..<random.below(6) {
                let next = random.below(4)
                let status = [301, 302, 303, 307, 308][random.below(5)]
                steps.append(random.chance(50) ? .redirect(status: status, to: next) : .page(next: next))
            }
            steps.append(.page(next: nil))
        }
    }

    private struct Arrival: Sendable {
        let origin: Int
        let step: Int
        let request: LoopbackRequest
    }

    private static let chains = (0..<count).map { Chain($0, seed: seed) }
    private static let configured = ["x-member": "member", "x-tenant": "tenant", "x-licence": "licence"]

    private func makeServers(_ arrivals: Locked<[Int: [Arrival]]>, _ addresses: Locked<[String]>) throws -> [LoopbackServer] {
        try (0..<4).map { origin in
            try LoopbackServer { request in
                let parts = request.path.split(separator: "/").compactMap { Int($0) }
                guard parts.count == 2 else { return .status(404) }
                let (number, step) = (parts[0], parts[1])
                arrivals.withLock { $0[number, default: []].append(Arrival(origin: origin, step: step, request: request)) }
                let target = { (next: Int) in addresses.withLock { $0[next] } + "/\(number)/\(step + 1)" }
                switch Self.chains[number].steps[step] {
                case .redirect(let status, let next): return .status(status, headers: ["Location": target(next)])
                case .page(let next):
                    return next.map { .json("[1]").header("<\(target($0))>; rel=\"next\"", for: "Link") } ?? .json("[1]")
                }
            }
        }
    }

    @Test func `no origin receives fields that are not meant for it`() async throws {
        let arrivals = Locked<[Int: [Arrival]]>([:])
        let addresses = Locked<[String]>([])
        let servers = try makeServers(arrivals, addresses)
        addresses.withLock { $0 = servers.map(\.url.absoluteString) }
        let api = try APIConfiguration(
            servers[0].url.absoluteString, headers: ["X-Licence": "licence", "Accept-Language": "en"],
            queryParameters: ["apikey": "query-key"])
        let service = DefaultDataTransferService(
            configuration: api, sessionManager: DefaultSessionManager.make(),
            interceptors: [
                .headers(for: api) { _ in ["X-Tenant": "tenant"] }, .authentication(.header("member", for: "X-Member"), for: api),
            ])
        await withTaskGroup(of: Void.self) { group in
            for (index, chain) in Self.chains.enumerated() {
                if index >= 16 { await group.next() }
                group.addTask {
                    let path = chain.start.map { addresses.withLock { $0 }[$0] + "/\(chain.number)/0" }
                    let endpoint = Endpoint<[Int]>(
                        path: path ?? "/\(chain.number)/0", isFullPath: path != nil, method: chain.method,
                        headerParameters: ["X-Own": "own"], body: chain.method == .post ? .json(["own": "content"]) : nil)
                    do {
                        for try await _ in service.pages(of: endpoint, by: .linkHeader) {}
                    } catch {
                        Issue.record("chain \(chain.number): \(error)")
                    }
                }
            }
        }
        var seen = (configured: 0, arrivals: 0)
        for chain in Self.chains {
            let violations = judge(chain, arrivals.withLock { $0[chain.number] ?? [] }, &seen)
            #expect(violations.isEmpty, "seed \(Self.seed), chain \(chain): \(violations)")
        }
        // The model compared enough requests.
        #expect(seen.arrivals > Self.count * 2 && seen.configured > Self.count / 2, "\(seen)")
    }

    /// Returns how the received requests differ from those that the client should have sent.
    private func judge(_ chain: Chain, _ arrivals: [Arrival], _ seen: inout (configured: Int, arrivals: Int)) -> [String] {
        guard arrivals.map(\.step) == Array(0..<chain.steps.count) else { return ["arrivals \(arrivals.map(\.step))"] }
        var violations: [String] = []
        let home = chain.start ?? 0
        var origin = home
        // Which fields the current request and its redirects may contain.
        var mayContainConfigured = origin == 0
        var mayContainOwn = true
        var isRedirected = false
        for arrival in arrivals {
            seen.arrivals += 1
            let headers = arrival.request.headers
            if arrival.origin != origin { violations.append("step \(arrival.step) at \(arrival.origin), not \(origin)") }
            for (name, value) in Self.configured {
                if headers[name] != (mayContainConfigured ? value : nil) { violations.append("\(name) at step \(arrival.step)") }
            }
            if mayContainConfigured { seen.configured += 1 }
            if headers["X-Own"] != (mayContainOwn ? "own" : nil) { violations.append("x-own at step \(arrival.step)") }
            // The configuration's query is sent to the configuration's origin only, and not in redirects.
            let hasKey = arrival.request.target.contains("query-key")
            if hasKey != (!isRedirected && origin == 0) { violations.append("the key at step \(arrival.step)") }
            if !mayContainOwn, !isRedirected, !arrival.request.body.isEmpty {
                violations.append("content at step \(arrival.step)")
            }
            switch chain.steps[arrival.step] {
            case .redirect(_, let next):
                if next != origin { (mayContainConfigured, mayContainOwn) = (false, false) }
                isRedirected = true
                origin = next
            case .page(let next):
                guard let next else { break }
                (mayContainConfigured, mayContainOwn, isRedirected) = (next == 0, next == home, false)
                origin = next
            }
        }
        return violations
    }
}
