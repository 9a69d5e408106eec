import Endpoints
import Foundation
import NetworkLogging
import NetworkSupport

extension SessionIdentity {
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
        route.nameLifetime = RouteOptions().nameLifetime
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

extension ProxyConfiguration {
    fileprivate var identityParts: [String] {
        ["\(kind)", host, String(port), username.map { "=" + $0 } ?? "", password.map { "=" + $0 } ?? ""] + excludedHosts
    }
}

extension RouteOptions {
    fileprivate var identityParts: [String] {
        let addresses = addresses.sorted { $0.key < $1.key }.flatMap { [$0.key, String($0.value.count)] + $0.value }
        var server: [String] = ["system"]
        if case .https(let url, let places, let trust) = nameServer.choice {
            server = [url.absoluteString, String(places.count)] + places + trust.identityParts
        }
        return ["\(family.choice)"] + server + [localAddress.map { "\($0.choice)" } ?? ""] + addresses
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
