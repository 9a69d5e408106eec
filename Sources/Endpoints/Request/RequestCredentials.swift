import Foundation
import NetworkLogging

/// Which parts of a request are credentials, and for which origin: what keeps them from other origins, other users' responses, and logs.
///
/// Who puts a credential into a request says so with ``NetworkRequest/setCredential(_:forHeader:)`` or
/// ``NetworkRequest/markCredential(header:)``; the interceptors of this package do. Names play no part in it.
package struct RequestCredentials: Sendable, Hashable {
    package struct Field: Sendable, Hashable {
        /// Of a header field, in lower case.
        package let name: String
        /// Whom it is for.
        package let origin: String
    }

    package private(set) var fields: [Field] = []
    /// The cookies that the session manager will add, so far as they are known before.
    package var storedCookies: String?

    package var isEmpty: Bool { fields.isEmpty && storedCookies == nil }

    package func contains(header name: String) -> Bool {
        !fields.isEmpty && fields.contains { HTTPHeaders.isSame($0.name, name) }
    }

    fileprivate mutating func add(_ name: String, for origin: String) {
        let name = name.lowercased()
        fields.removeAll { $0.name == name }
        fields.append(Field(name: name, origin: origin))
    }
}

extension HTTPHeaders {
    /// Adds the values of fields that are credentials by their names to ``NetworkLogging/SecretValues``.
    func rememberSecrets() {
        for field in fields where !Self.isHarmless(field.name) && Redaction.isSecret(header: field.name) {
            SecretValues.insert(fieldValue: field.value, named: field.name)
        }
    }
}

extension NetworkRequest {
    /// Puts a credential into a header field, and remembers that it is one: it is sent to the origin of ``url`` alone, responses to it are
    /// not shared with other credentials, and no log or error shows its value.
    ///
    /// - Parameters:
    ///   - value: The whole field value, the scheme of `Authorization` included. Takes the place of values of the same name.
    ///   - name: Compared without case.
    public mutating func setCredential(_ value: String, forHeader name: String) {
        headers[name] = value
        markCredential(header: name)
    }

    /// Says that a header field holds a credential for the origin of ``url``. Does nothing where there is no such field.
    public mutating func markCredential(header name: String) {
        let values = headers.values(for: name)
        guard !values.isEmpty else { return }
        for value in values { SecretValues.insert(fieldValue: value, named: name) }
        credentials.add(name, for: origin)
    }

    /// Marks as credentials what a closure has changed in the request: header fields, query items and user information.
    package mutating func markCredentials(addedTo before: NetworkRequest) {
        for field in headers where before.headers.values(for: field.name) != headers.values(for: field.name) {
            markCredential(header: field.name)
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

    /// Sends the request to another URL, as a redirect or a link asks for: where that is on another origin, without all that was meant for
    /// this one (RFC 9110 §15.4). What is left are header fields that are known to be harmless and are no credentials.
    package mutating func move(to url: URL) {
        let before = origin
        self.url = url
        guard origin != before else { return }
        headers = headers.harmless
        for field in credentials.fields { headers.remove(field.name) }
        credentials = RequestCredentials()
    }

    /// Removes credentials that were added for another origin than the one that the request goes to by now.
    package mutating func dropForeignCredentials() {
        guard credentials.fields.contains(where: { $0.origin != origin }) else { return }
        for field in credentials.fields where field.origin != origin { headers.remove(field.name) }
    }

    /// Whether a response comes from the origin that the request was sent to: what another origin says counts for that one alone.
    package func isAnswered(by response: URL) -> Bool { URLText.origin(of: response) == origin }
}
