import Foundation

/// Whether a session manager remembers the hosts that ask to be contacted over TLS only (HSTS, RFC 6797), and where.
///
/// A response with a valid `Strict-Transport-Security` field makes its host known, if it was received over TLS and its certificate was
/// verified; a policy with ``TrustRoots/insecureWithoutVerification`` makes no host known. Later requests and redirects of the same session
/// manager to `http` URLs of a known host, or of its subdomains if the field includes them, are sent to `https` instead: port 80 becomes 443,
/// another port stays (§8.3). The response then has the `https` URL. Addresses are never known hosts (§8.1.1).
///
/// Interceptors, such as a cache, see the URL of the request as the caller wrote it.
///
/// At most 1,000 hosts are kept. When another one is added, expired ones are removed first. If that is not enough, a tenth is removed: hosts of the
/// sites that have the most, and of each the least recently confirmed ones, so that a site with no more hosts than its equal part of the
/// room loses none. A site is the domain one label below a public suffix, as far as that is known without a list: see ``CookieStore``.
/// An age beyond 100 years counts as 100 years.
public struct StrictTransport: Sendable, Hashable {
    package enum Choice: Sendable, Hashable {
        case off
        case inMemory
        case file(URL)
    }

    package let choice: Choice

    /// The field is ignored. The default.
    public static let off = Self(choice: .off)

    /// Hosts are known until the session manager is released.
    public static let inMemory = Self(choice: .inMemory)

    /// Hosts are known beyond the end of the process: they are read from a file when the session manager is created, which blocks, and the
    /// file is replaced in one step, on a background thread, after they have changed. A later expiry alone is written when it is
    /// at least a day, or a tenth of the age, later than the one in the file.
    ///
    /// The format is that of `curl --hsts`, and the mode 0600. If there is no file, no host is known. A file that cannot be read, has
    /// a damaged line or more than 4 MiB, or whose folder does not exist, fails each request with
    /// ``TransportError/Code/invalidConfiguration``: otherwise damage to the file would turn the protection off. A failure to
    /// write is not reported; it is repeated with the next change. Several session managers and processes may use one file: the changes of each
    /// are added to what is in the file.
    ///
    /// - Parameter url: A file URL. In the same folder, a temporary file is used for the new contents, and `NAME.lock` is locked (`flock`)
    ///   while they are written; it stays there.
    public static func file(_ url: URL) -> Self { Self(choice: .file(url)) }
}
