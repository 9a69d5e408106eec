import Foundation
import NetworkLogging

/// The parts of a request that are credentials, and their origins. They are not sent to other origins, not shared with other
/// users through cached responses, and not logged.
///
/// Code that adds a credential to a request marks it with ``NetworkRequest/setCredential(_:for:)`` or
/// ``NetworkRequest/markCredential(for:)``, as the interceptors of this package do. Field names are not considered.
package struct RequestCredentials: Sendable, Hashable {
    package struct Field: Sendable, Hashable {
        /// The name of the header field, in lower case.
        package let name: String
        /// The origin that the credential is for.
        package let origin: String
    }

    package private(set) var fields: [Field] = []
    /// The cookies that the session manager will add, if they are known in advance.
    package var storedCookies: String?

    package var isEmpty: Bool { fields.isEmpty && storedCookies == nil }

    package func contains(header name: String) -> Bool {
        !fields.isEmpty && fields.contains { HeaderFields.isSame($0.name, name) }
    }

    fileprivate mutating func add(_ name: String, for origin: String) {
        let name = name.lowercased()
        fields.removeAll { $0.name == name }
        fields.append(Field(name: name, origin: origin))
    }
}

extension HeaderFields {
    /// Adds the values of fields whose names mark them as credentials to ``NetworkLogging/SecretValues``.
    func rememberSecrets() {
        for field in fields where !Self.isHarmless(field.name) && Redaction.isSecret(header: field.name) {
            SecretValues.insert(fieldValue: field.value, named: field.name)
        }
    }
}

extension NetworkRequest {
    /// Sets a header field and marks it as a credential.
    ///
    /// It is sent only to the origin of ``url``, responses are not shared with requests that have other credentials, and logs and
    /// errors do not contain its value.
    ///
    /// - Parameters:
    ///   - value: The whole field value, including the scheme of `Authorization`. Replaces existing values of the field.
    ///   - name: The field name, compared without case.
    public mutating func setCredential(_ value: String, for name: String) {
        headers[name] = value
        markCredential(for: name)
    }

    /// Marks a header field as a credential for the origin of ``url``. Does nothing if the request has no such field.
    public mutating func markCredential(for name: String) {
        let values = headers.values(for: name)
        guard !values.isEmpty else { return }
        for value in values { SecretValues.insert(fieldValue: value, named: name) }
        credentials.add(name, for: origin)
    }

    /// Marks all parts as credentials that differ from an earlier version of the request: header fields, query items and user
    /// information.
    package mutating func markCredentials(addedTo before: NetworkRequest) {
        for field in headers where before.headers.values(for: field.name) != headers.values(for: field.name) {
            markCredential(for: field.name)
        }
        guard url != before.url else { return }
        let authority = URLText(url).authority
        if let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
            SecretValues.insert(userInformation: String(authority[..<at]))
        }
        let items = { (url: URL) in
            URLText(url).query.map { $0.utf8.split(separator: UInt8(ascii: "&")).map { String(Substring($0)) } } ?? []
        }
        let known = Set(items(before.url))
        for item in items(url) where !known.contains(item) {
            let value = item.drop { $0 != "=" }.dropFirst()
            SecretValues.insert(value.removingPercentEncoding ?? String(value))
        }
    }

    /// Changes the URL, as for a redirect or a link.
    ///
    /// If the new URL has another origin, only header fields are kept that are known to be harmless and are not credentials
    /// (RFC 9110 §15.4).
    package mutating func move(to url: URL) {
        let before = origin
        self.url = url
        guard origin != before else { return }
        headers = headers.harmless
        for field in credentials.fields { headers.remove(field.name) }
        credentials = RequestCredentials()
    }

    /// Removes credentials that were added for another origin than the request's current one.
    package mutating func dropForeignCredentials() {
        guard credentials.fields.contains(where: { $0.origin != origin }) else { return }
        for field in credentials.fields where field.origin != origin { headers.remove(field.name) }
    }

    /// Returns whether a response comes from the request's origin. A response from another origin applies only to that origin.
    package func hasOrigin(of response: URL) -> Bool { URLText.origin(of: response) == origin }
}
