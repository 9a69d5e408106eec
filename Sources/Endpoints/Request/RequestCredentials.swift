import Foundation
import NetworkLogging
import NetworkSupport

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
        /// A text that is equal for equal credentials, if the value of the field is different for each request, such as a signature.
        package let identity: String?
    }

    package private(set) var fields: [Field] = []
    /// The cookies that the session manager will add, if they are known in advance.
    package var storedCookies: String?
    /// The identity of the session manager that sends the request: whatever selects a user or a peer without being in the request, such as a
    /// client certificate, a proxy, and the store of cookies, which may add some to the URL of a redirect. Empty for the usual one.
    package var session = ""

    package var isEmpty: Bool { fields.isEmpty && storedCookies == nil }

    package func contains(header name: String) -> Bool {
        !fields.isEmpty && fields.contains { HeaderFields.isSame($0.name, name) }
    }

    /// The names of the header fields whose values are made when the request is sent, with the identities of their credentials.
    package var proofs: [HeaderFields.Field] {
        fields.compactMap { field in field.identity.map { HeaderFields.Field(name: field.name, value: $0) } }
    }

    /// Whether the value of a header field is made when the request is sent.
    package func isProof(_ name: String) -> Bool {
        !fields.isEmpty && fields.contains { $0.identity != nil && HeaderFields.isSame($0.name, name) }
    }

    fileprivate mutating func add(_ name: String, for origin: String, identity: String? = nil) {
        let name = name == "Authorization" ? "authorization" : name.lowercased()
        if !fields.isEmpty { fields.removeAll { $0.name == name } }
        fields.append(Field(name: name, origin: origin, identity: identity))
    }
}

extension HeaderFields {
    /// Adds the values of fields whose names mark them as credentials to ``NetworkLogging/SecretValues``.
    package func rememberSecrets() {
        for field in fields where !Self.isHarmless(field.name) && Redaction.isSecret(header: field.name) {
            SecretValues.insert(fieldValue: field.value, named: field.name)
        }
    }

    /// Returns whether two lists have the same values of one field in the same order.
    fileprivate func hasSameValues(as other: HeaderFields, for name: String) -> Bool {
        var rest = other.fields[...]
        for field in fields where Self.isSame(field.name, name) {
            guard let match = rest.firstIndex(where: { Self.isSame($0.name, name) }), rest[match].value == field.value else {
                return false
            }
            rest = rest[(match + 1)...]
        }
        return !rest.contains { Self.isSame($0.name, name) }
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
        SecretValues.insert(fieldValue: value, named: name)
        credentials.add(name, for: origin)
    }

    /// Marks a header field as a credential whose value is made when the request is sent.
    ///
    /// - Parameter identity: A text that is equal for equal credentials. Caches compare it instead of the value.
    package mutating func markProof(for name: String, identity: String) {
        credentials.add(name, for: origin, identity: identity)
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
        for field in headers.fields where !headers.hasSameValues(as: before.headers, for: field.name) {
            markCredential(for: field.name)
        }
        guard urlText != before.urlText else { return }
        let authority = URLText(urlText).authority
        if let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
            SecretValues.insert(userInformation: String(authority[..<at]))
        }
        let items = { (url: String) in
            URLText(url).query.map { $0.utf8.split(separator: UInt8(ascii: "&")).map { String(Substring($0)) } } ?? []
        }
        let known = Set(items(before.urlText))
        for item in items(urlText) where !known.contains(item) {
            let value = item.divided(at: "=")?.tail ?? ""
            SecretValues.insert(value.removingPercentEncoding ?? String(value))
        }
    }
}
