import Endpoints
import Foundation

/// Which policy holds for which host of a session manager.
///
/// A host has one policy as long as the session manager lives, and no connection serves two hosts: so a connection made under
/// one policy is never used under another.
struct TrustTable: Sendable {
    let standard: LoadedTrust
    /// All in the order of their numbers.
    private(set) var all: [LoadedTrust]
    private var byHost: [String: LoadedTrust] = [:]
    /// `*.example.com` under `example.com`.
    private var byParent: [String: LoadedTrust] = [:]

    /// Reads every file that the policies name.
    ///
    /// - Throws: ``TransportError/Code/trustUnavailable``, which names the policy.
    init(_ configuration: SessionConfiguration) throws(TransportError) {
        standard = try Self.load(configuration.trust, number: 0, subject: "trust")
        all = [standard]
        for (name, policy) in configuration.trustByHost.sorted(by: { $0.key < $1.key }) {
            let subject = "trustByHost[\"\(name)\"]"
            let isPattern = name.hasPrefix("*.")
            guard let host = HostName.canonical(isPattern ? name.dropFirst(2) : name[...]),
                !isPattern || !HostName.isAddress(host)
            else {
                throw TrustFlaw("not a host name; international ones are written in ASCII, without a port").transportError(
                    of: subject)
            }
            let trust = try Self.load(policy, number: all.count, subject: subject)
            guard (isPattern ? byParent : byHost)[host] == nil else {
                throw TrustFlaw("there is another policy for the same host").transportError(of: subject)
            }
            if isPattern { byParent[host] = trust } else { byHost[host] = trust }
            all.append(trust)
        }
    }

    private static func load(_ policy: TrustPolicy, number: Int, subject: String) throws(TransportError) -> LoadedTrust {
        do throws(TrustFlaw) {
            return try LoadedTrust(policy, number: number, subject: subject)
        } catch {
            throw error.transportError(of: subject)
        }
    }

    /// The policy of the exact host, else of the pattern it falls under, else the session manager's own.
    ///
    /// - Throws: ``TransportError/Code/trustUnavailable`` for a host written so that it cannot be compared, where that matters, and
    ///   for a request that states another policy than the session manager has.
    func trust(for request: NetworkRequest) throws(TransportError) -> LoadedTrust {
        let trust = try configuredTrust(for: request)
        try request.requireStatedTrust(trust.policy)
        return trust
    }

    private func configuredTrust(for request: NetworkRequest) throws(TransportError) -> LoadedTrust {
        if all.count == 1 { return standard }
        let text = URLText(request.url)
        guard text.scheme == "https" else { return standard }
        guard let host = HostName.canonical(HostName.withoutPort(text.hostAndPort)) else {
            throw TransportError(
                .trustUnavailable, "the host is written in a way that does not tell which trust policy is meant", request: request
            )
        }
        if let trust = byHost[host] { return trust }
        if HostName.isAddress(host) { return standard }
        guard let dot = host.firstIndex(of: ".") else { return standard }
        return byParent[String(host[host.index(after: dot)...])] ?? standard
    }
}
