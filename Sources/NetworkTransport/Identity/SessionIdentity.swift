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
    package var stated: SessionIdentity { self == .unstated ? .unique() : self }
}

extension SessionIdentity: RedactedStringConvertible {
    /// The kind of the identity and the beginning of its digest.
    public var description: String { "SessionIdentity(\(text.isEmpty ? "standard" : String(text.prefix(16))))" }
}
