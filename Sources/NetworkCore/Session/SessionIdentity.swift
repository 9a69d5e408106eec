import Endpoints
import Foundation
import NetworkLogging
import NetworkSupport

/// What a session manager adds to its requests that selects a user or a peer: the client certificate, the proxy and its credentials, the trust
/// policies, the route, and the store of cookies.
///
/// Two session managers with the same identity receive the same responses to the same requests. Caches and coalescing keep the responses of
/// different identities apart. It consists of digests (SHA-256), so that it is the same in all runs of a program and may be written to a disk, and
/// reveals no key and no password; a password that a person chose can be guessed from its digest by anybody who knows the rest and can read the
/// store of the cache.
///
/// ```swift
/// struct Tunnel: NetworkSessionManager {
///     let account: String
///     var identity: SessionIdentity { SessionIdentity(named: account) }
///     …
/// }
/// ```
public struct SessionIdentity: Hashable, Sendable {
    /// Empty for ``standard``; otherwise the kind and a digest or a number, without `;`.
    package let text: String

    /// The identity of a session manager that adds nothing: that of the default ``SessionConfiguration``.
    public static let standard = SessionIdentity(text: "")

    /// Stands for an identity that a session manager does not state: a unique one for each service.
    public static let unstated = SessionIdentity(text: "unstated")

    /// Creates an identity with a name, for example that of an account. Session managers with the same name share their responses, also those of
    /// earlier runs of the program. The name must not be secret.
    public init(named name: String) {
        var digest = DigestText()
        digest.add(name)
        text = "name-" + digest.hexadecimal
    }

    /// Returns an identity that no other session manager has, in this process or another one.
    public static func unique() -> SessionIdentity {
        SessionIdentity(text: "unique-\(process)-\(last.withLock { $0 += 1; return $0 })")
    }

    private static let last = Locked(0)
    private static let process = UUID().uuidString

    private init(text: String) {
        self.text = text
    }

    /// The identity, or a unique one in place of ``unstated``.
    var stated: SessionIdentity { self == .unstated ? .unique() : self }

    /// Creates the identity of a session manager with a configuration.
    ///
    /// Files that trust policies name are read. The environment's proxy counts as no proxy.
    ///
    /// - Parameter cookies: The store of its cookies.
    package init(_ configuration: SessionConfiguration, cookies: CookieStore?) {
        var parts: [String] = []
        func add(_ name: String, _ values: [String]) { parts += [name, String(values.count)] + values }
        if configuration.proxy != .environment { add("proxy", configuration.proxy.identityParts) }
        var route = configuration.route
        route.keepAliveProbes = nil
        if route != RouteOptions() { add("route", route.identityParts) }
        if let path = configuration.unixSocketPath { add("socket", [path]) }
        if configuration.trust != TrustPolicy() { add("trust", configuration.trust.identityParts) }
        for (host, policy) in configuration.trustByHost.sorted(by: { $0.key < $1.key }) {
            add("trust of host", [host] + policy.identityParts)
        }
        if configuration.allowsInsecureRedirects { add("insecure redirects", []) }
        switch configuration.strictTransport.choice {
        case .off: break
        case .inMemory: add("strict transport", [])
        case .file(let url): add("strict transport", [url.absoluteString])
        }
        if let profile = configuration.profile {
            add("profile", [profile])
        } else if let cookies {
            add("cookies", [cookies.identity.text])
        }
        guard !parts.isEmpty else {
            text = ""
            return
        }
        var digest = DigestText()
        for part in parts { digest.add(part) }
        text = "session-" + digest.hexadecimal
    }
}

extension SessionIdentity: RedactedStringConvertible {
    /// The kind of the identity and the beginning of its digest.
    public var description: String { "SessionIdentity(\(text.isEmpty ? "standard" : String(text.prefix(16))))" }
}

extension ProxyConfiguration {
    fileprivate var identityParts: [String] {
        ["\(kind)", host, String(port), username.map { "=" + $0 } ?? "", password.map { "=" + $0 } ?? ""] + excludedHosts
    }
}

extension RouteOptions {
    fileprivate var identityParts: [String] {
        let addresses = addresses.sorted { $0.key < $1.key }.flatMap { [$0.key, String($0.value.count)] + $0.value }
        return ["\(family.choice)", "\(nameServer.choice)", localAddress.map { "\($0.choice)" } ?? ""] + addresses
    }
}

extension TrustPolicy {
    /// Texts that are different for different policies: digests of the certificates and keys, and of the files as they are now.
    fileprivate var identityParts: [String] {
        let roots =
            switch roots.choice {
            case .system: ["system"]
            case .only(let material): ["only", material.digest]
            case .systemAnd(let material): ["system and", material.digest]
            case .anyone: ["anyone"]
            }
        let pins = pins.map { pins in
            [String(pins.count)]
                + pins.map { pin in
                    switch pin.kind {
                    case .base64(let text): "base64 " + text
                    case .digest(let data): "digest " + data.base64EncodedString()
                    case .certificate(let material): "certificate " + material.digest
                    }
                }
        }
        let identity = clientIdentity.map { ["identity", $0.certificate.digest, $0.key.digest] }
        return [String(minimumTLSVersion.rawValue)] + roots + (pins ?? ["no pins"]) + (identity ?? ["no identity"])
    }
}

extension TrustMaterial {
    /// A digest of the bytes, or of the place if they cannot be read.
    fileprivate var digest: String {
        var digest = DigestText()
        if let data = try? load() {
            digest.add(data)
        } else {
            digest.add("missing")
            digest.add("\(source)")
        }
        return digest.hexadecimal
    }
}

extension NetworkRequest {
    /// A digest of the trust policy that the request's API states, the same in all runs of the program as long as its files are; `nil` if it
    /// states none.
    package var statedTrustDigest: String? { statedTrust.map(TrustDigests.digest) }
}

/// The digests of the trust policies that requests state, each made once.
private enum TrustDigests {
    private static let known = Locked<[TrustPolicy: String]>([:])

    static func digest(of policy: TrustPolicy) -> String {
        if let digest = known.withLock({ $0[policy] }) { return digest }
        var text = DigestText()
        for part in policy.identityParts { text.add(part) }
        let digest = text.hexadecimal
        known.withLock { known in
            if known.count >= 256 { known = [:] }
            known[policy] = digest
        }
        return digest
    }
}
