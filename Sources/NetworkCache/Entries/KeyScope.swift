import Endpoints
import NetworkCore
import NetworkSupport

/// What a key contains besides method, URL and partition, as a text in front of the partition: what selects the resource or the peer, so that no
/// partition, not even one with a name, may mix it.
///
/// - `session:…;` with the identity of the session manager, unless it is the usual one;
/// - `target:…;` with a digest of a `Host` field that names another authority than the URL (RFC 9110 §7.1), and of the trust policy that the
///   API states; with a named partition, also of the fields by which proxies replace host and path.
///
/// The text of a partition begins with neither.
enum KeyScope {
    private static let session = "session:"
    private static let target = "target:"

    /// - Parameter traits: The traits of the fields of the request, if they are known.
    static func text(of request: NetworkRequest, selectedByFields: Bool, traits: FieldTraits = .unknown) -> String {
        let credentials = request.credentials
        let identity = credentials.session
        var scope = identity.isEmpty ? "" : session + identity + ";"
        var parts: [String] = []
        if let trust = request.statedTrustDigest { parts += ["trust", trust] }
        for field in request.headers.fields where traits.contains(.isHost) || selectedByFields {
            if HeaderFields.isSame(field.name, "Host") {
                let host = NormalURL.authority(field.value.trimmed, isSecure: request.parsedURL.isSecure)
                let own = NormalURL.authority(URLText(request.urlText).hostAndPort, isSecure: request.parsedURL.isSecure)
                if host != own { parts += ["host", host] }
            } else if selectedByFields, HeaderFields.selectingNames.contains(field.name) {
                parts += [field.name.asciiLowercased, field.value]
            }
        }
        if parts.isEmpty { return scope }
        var digest = DigestText()
        for part in parts { digest.add(part) }
        scope += target + digest.hexadecimal + ";"
        return scope
    }

    /// Returns the partition without the scope.
    static func user(in partition: String) -> Substring {
        var rest = partition[...]
        for prefix in [session, target] where rest.utf8.starts(with: prefix.utf8) {
            rest = rest[(rest.utf8.firstIndex(of: UInt8(ascii: ";")).map { rest.utf8.index(after: $0) } ?? rest.endIndex)...]
        }
        return rest
    }
}
