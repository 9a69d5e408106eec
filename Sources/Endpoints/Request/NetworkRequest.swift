import Foundation
import NetworkLogging
import NetworkSupport

/// A complete HTTP request, with an absolute URL and encoded content, ready to be sent.
///
/// Endpoints build it (``Requestable/networkRequest(with:)``), interceptors change it, session managers send it. It is used
/// in place of `URLRequest` because on Linux creating a `URLRequest` costs as much as the rest of the request.
///
/// Descriptions contain method, origin and path, never the query, a header that could be secret, or the body.
public struct NetworkRequest: Sendable, Hashable {
    /// Everything that a request consists of. Copies of a request share it until one of them is changed.
    private struct Parts: Sendable {
        var method: RequestMethod
        var lazyURL: LazyURL
        var parsedURL: ParsedURL
        var headers: HeaderFields
        var body: NetworkBody?
        var hasBody: Bool
        var timeouts: RequestTimeouts
        var progress: (any TransferProgressObserver)?
        var isStreamed = false
        var credentials = RequestCredentials()
        var requiresAuthentication = true
        var redirects = RedirectPolicy.follow
        var compression = BodyCompression.automatic
        var priority = RequestPriority.normal
        var onInformationalResponse: (@Sendable (InformationalResponse) -> Void)?
        /// The explicitly set value of `isIdempotent`; `nil` if the method and headers determine it.
        var idempotency: Bool?
        /// Whether the request was validated and none of the properties that `validate()` checks was set since.
        var isValidated = false
        var endpointName: String?
    }

    private var parts: CopyOnWrite<Parts>

    // Large values are read with `get`: the frame of a `_read` that yields one is allocated each time.

    /// The method, sent unchanged. GET, HEAD and TRACE must have no body.
    public var method: RequestMethod {
        _read { yield parts.value.method }
        _modify {
            parts.value.isValidated = false
            yield &parts.value.method
        }
    }
    /// The absolute `http` or `https` URL. Its host is decoded, and in lower case (RFC 3986 §6.2.2).
    public var url: URL {
        get { lazyURL.url }
        set {
            (parts.value.lazyURL, parts.value.parsedURL) = LazyURL.normalized(newValue)
            parts.value.isValidated = false
        }
    }
    package var lazyURL: LazyURL { parts.value.lazyURL }
    /// The parts of ``url``.
    package var parsedURL: ParsedURL {
        get { parts.value.parsedURL }
    }
    /// The header fields. `Content-Length` and `Transfer-Encoding` are errors, because the engine sets them.
    public var headers: HeaderFields {
        _read { yield parts.value.headers }
        _modify {
            parts.value.isValidated = false
            yield &parts.value.headers
        }
    }
    /// The body of the request; `nil` sends none.
    public var body: NetworkBody? {
        get { parts.value.body }
        _modify {
            parts.value.isValidated = false
            defer { parts.value.hasBody = parts.value.body != nil }
            yield &parts.value.body
        }
    }
    /// Whether there is a ``body``, which it takes longer to copy.
    package var hasBody: Bool { parts.value.hasBody }
    /// Whether the scheme of ``url`` is `https`.
    package var isSecure: Bool { parts.value.parsedURL.isSecure }
    /// The time limits. For a value that is `nil`, the session manager's limit applies.
    public var timeouts: RequestTimeouts {
        get {
            var timeouts = parts.value.timeouts
            if remainingNanoseconds > 0 { timeouts.limitTotal(to: .nanoseconds(remainingNanoseconds)) }
            return timeouts
        }
        _modify {
            parts.value.isValidated = false
            parts.value.timeouts = timeouts
            remainingNanoseconds = 0
            yield &parts.value.timeouts
        }
    }
    /// The observer that receives progress updates.
    public var progress: (any TransferProgressObserver)? {
        _read { yield parts.value.progress }
        _modify { yield &parts.value.progress }
    }
    /// Whether the response is returned as soon as its head was received, with a body that is still arriving. Default: `false`.
    ///
    /// A session manager may ignore it and return the whole body.
    public var isStreamed: Bool {
        get { parts.value.isStreamed }
        set { parts.value.isStreamed = newValue }
    }
    /// The parts of the request that are credentials.
    package var credentials: RequestCredentials {
        get { parts.value.credentials }
        _modify { yield &parts.value.credentials }
    }
    /// Whether the request contains credentials, or will when it is sent.
    package var hasCredentials: Bool { !parts.value.credentials.isEmpty }
    /// Sets the identity of the session manager that sends the request, unless it is that already.
    package mutating func identifySession(_ identity: String) {
        if parts.value.credentials.session != identity { parts.value.credentials.session = identity }
    }
    /// Whether interceptors may add credentials to the request. Default: `true`.
    public var requiresAuthentication: Bool {
        get { parts.value.requiresAuthentication }
        set { parts.value.requiresAuthentication = newValue }
    }
    /// What happens when the response is a redirect. Default: ``RedirectPolicy/follow``. Not compared by `==`.
    public var redirects: RedirectPolicy {
        get { parts.value.redirects }
        set { parts.value.redirects = newValue }
    }
    /// Whether the body is compressed while it is sent, by an interceptor. Default: ``BodyCompression/automatic``. Not compared by `==`.
    public var compression: BodyCompression {
        get { parts.value.compression }
        set { parts.value.compression = newValue }
    }
    /// The class of the request in the queues of this client. Default: ``RequestPriority/normal``. Not compared by `==`.
    public var priority: RequestPriority {
        get { parts.value.priority }
        set { parts.value.priority = newValue }
    }
    /// A closure that receives each informational response (RFC 9110 §15.2), such as 103 (Early Hints), except 100 and 101. Default: `nil`.
    /// Not compared by `==`.
    ///
    /// It is called before the response is returned, for each attempt and each redirect, at most 64 times per request that is sent. It
    /// runs on a background thread, one call at a time for each request. A response from a cache, or from the exchange of another call, has no informational responses. `URLSession` does not
    /// report them, so `URLSessionManager` never calls it.
    public var onInformationalResponse: (@Sendable (InformationalResponse) -> Void)? {
        get { parts.value.onInformationalResponse }
        set { parts.value.onInformationalResponse = newValue }
    }
    /// The name of the endpoint, for metrics, traces and logs: ``RequestDescription/name``, or else the path template of the description,
    /// such as `movie/{id}`; `nil` if it has neither. A query is left out. It has the same value in all requests of an endpoint. Not compared by `==`.
    public var endpointName: String? {
        get { parts.value.endpointName.map { String($0.prefix(beforeAny: "?#")) } }
        set { parts.value.endpointName = newValue }
    }
    // Not among the parts, like the context: what is different for each call would copy them each time.
    /// The time that remained of the call's deadline when the request was sent, which limits ``timeouts``; 0 for no limit.
    private var remainingNanoseconds: Int64 = 0
    /// Values that interceptors share with each other. They are never sent.
    public var context: ContextValues
    /// Whether the request was validated and none of the properties that ``validate()`` checks was set since. Not compared by `==`.
    package var isValidated: Bool { parts.value.isValidated }

    /// Creates a request. It is not validated until ``validate()`` is called.
    public init(
        method: RequestMethod = .get,
        url: URL,
        headers: HeaderFields = [:],
        body: NetworkBody? = nil,
        timeouts: RequestTimeouts = RequestTimeouts(),
        progress: (any TransferProgressObserver)? = nil
    ) {
        let (lazyURL, parsedURL) = LazyURL.normalized(url)
        self.init(
            method: method, lazyURL: lazyURL, parsedURL: parsedURL, headers: headers, body: body, timeouts: timeouts,
            progress: progress)
    }

    /// Creates a request to a URL whose parts are known. It is not validated until ``validate()`` is called.
    package init(
        method: RequestMethod, lazyURL: LazyURL, parsedURL: ParsedURL, headers: HeaderFields, body: NetworkBody?,
        timeouts: RequestTimeouts, progress: (any TransferProgressObserver)?, context: ContextValues = ContextValues(),
        requiresAuthentication: Bool = true, redirects: RedirectPolicy = .follow,
        compression: BodyCompression = .automatic, priority: RequestPriority = .normal, idempotency: Bool? = nil,
        endpointName: String? = nil
    ) {
        parts = CopyOnWrite(
            Parts(
                method: method, lazyURL: lazyURL, parsedURL: parsedURL, headers: headers, body: body, hasBody: body != nil,
                timeouts: timeouts,
                progress: progress, requiresAuthentication: requiresAuthentication, redirects: redirects,
                compression: compression, priority: priority, idempotency: idempotency, endpointName: endpointName))
        self.context = context
    }

    /// Sets the total time limit, unless it is shorter. A time outside the valid range counts as the nearest one inside.
    package mutating func limitTotal(toNanoseconds time: UInt64) {
        let limit = Int64(min(max(time, RequestTimeouts.minimumNanoseconds), RequestTimeouts.maximumNanoseconds))
        remainingNanoseconds = remainingNanoseconds == 0 ? limit : min(remainingNanoseconds, limit)
    }

    /// Returns whether two requests are the same except for what is different for each call: the context, and the remaining time.
    package func hasSameParts(as other: NetworkRequest) -> Bool { parts.isShared(with: other.parts) }

    /// Returns another request with the context and the remaining time of this one.
    package func replaced(by other: NetworkRequest) -> NetworkRequest {
        var request = other
        request.context = context
        request.remainingNanoseconds = remainingNanoseconds
        return request
    }

    /// The text of ``url``, which is available without creating a `URL`.
    package var urlText: String { lazyURL.text }

    /// The scheme, host and port of ``url`` (RFC 6454 §4), such as `https://api.example.com:443`.
    public var origin: String { parsedURL.origin }

    /// The URL for logs and traces, with its secrets redacted.
    public var redactedURL: RedactedURL { RedactedURL(lazyURL) }

    /// Whether sending the request twice has the same effect as sending it once (RFC 9110 §9.2.2).
    ///
    /// Default: `true` if the method is idempotent or the request has an `Idempotency-Key` header. Other requests are
    /// repeated automatically only if no byte of them was sent.
    public var isIdempotent: Bool {
        get { parts.value.idempotency ?? (method.isIdempotent || headers.contains("Idempotency-Key")) }
        set { parts.value.idempotency = newValue }
    }

    /// Returns whether two requests have the same method, URL, headers, body and time limits. Other properties, such as
    /// ``progress``, ``isStreamed``, ``context`` and ``isIdempotent``, are not compared.
    public static func == (left: NetworkRequest, right: NetworkRequest) -> Bool {
        left.parts.isShared(with: right.parts) && left.remainingNanoseconds == right.remainingNanoseconds
            || left.method == right.method && left.urlText == right.urlText && left.headers == right.headers
                && left.body == right.body
                && left.timeouts == right.timeouts
    }

    /// Hashes the properties that `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(urlText)
        hasher.combine(headers)
        hasher.combine(body)
        hasher.combine(timeouts)
    }
}

extension NetworkRequest: RedactedStringConvertible {
    /// A textual representation with method, origin and path, the headers without secrets, and the size of the body.
    public var description: String {
        let body = body.map { ", \($0)" } ?? ""
        return "\(method) \(URLText(urlText).originAndPath) \(headers)\(body)"
    }
}

extension NetworkRequest {
    /// Validates the request, so that no value can end a line or start a second request.
    ///
    /// Method and header names must be tokens (RFC 9110 §5.6.2). Header values must not contain CR, LF, NUL or other control
    /// characters except a tab (§5.5). `Content-Length` and `Transfer-Encoding` must not be set, because a wrong value makes a
    /// peer see two requests where there was one (RFC 9112 §11.2). All names and values together must not exceed 1 MiB. Session
    /// managers call this method for every request.
    ///
    /// - Throws: ``RequestGenerationError`` with the invalid field.
    public func validate() throws(RequestGenerationError) {
        if isValidated { return }
        if !parts.value.parsedURL.isPlain { try URLText(urlText).requireHTTP(.url) }
        try validateAllButURL()
    }

    /// Validates the request, and marks it as validated until a property that ``validate()`` checks is set.
    package mutating func validateOnce() throws(RequestGenerationError) {
        try validate()
        parts.value.isValidated = true
    }

    /// The maximum size of the names and values of all header fields together, in bytes.
    private static var maximumHeaderBytes: Int { 1 << 20 }

    private func validateAllButURL() throws(RequestGenerationError) {
        guard method.rawValue.isToken else {
            throw RequestGenerationError(.method, "\"\(method.rawValue.printable)\" is not a token (RFC 9110 §5.6.2)")
        }
        if HeaderFields.isSame(method.rawValue, "CONNECT") {
            throw RequestGenerationError(.method, "CONNECT opens a tunnel and cannot be sent as a request")
        }
        if hasBody, let body {
            if !method.allowsBody, !body.isEmpty {
                throw RequestGenerationError(.body, "a \(method) request has no body (RFC 9110 §9.3); use POST, PUT or PATCH")
            }
            try body.validate()
        }
        var headerBytes = 0
        for field in headers.fields {
            try field.validate()
            headerBytes += field.name.utf8.count + field.value.utf8.count
            guard headerBytes <= Self.maximumHeaderBytes else {
                throw RequestGenerationError(
                    .headerValue(field.name), "with it, the header fields are larger than \(Self.maximumHeaderBytes) bytes")
            }
        }
        if timeouts != RequestTimeouts() { try timeouts.validate() }
    }
}

extension HeaderFields.Field {
    /// Whether the field can be sent: see ``NetworkRequest/validate()``.
    package var isValid: Bool { (try? validate()) != nil }

    func validate() throws(RequestGenerationError) {
        guard name.isToken else {
            throw RequestGenerationError(.headerName(name), "it is not a token (RFC 9110 §5.6.2)")
        }
        if HeaderFields.isSame(name, "Content-Length") || HeaderFields.isSame(name, "Transfer-Encoding") {
            throw RequestGenerationError(.headerName(name), "it is set by the engine from the body")
        }
        let invalid: (position: Int, byte: UInt8)? = value.withBytes { bytes in
            for index in 0..<bytes.count where (bytes[index] < 0x20 && bytes[index] != 0x09) || bytes[index] == 0x7F {
                return (position: index, byte: bytes[index])
            }
            return nil
        }
        if let invalid {
            let shown = "0x" + String(invalid.byte, radix: 16, uppercase: true)
            throw RequestGenerationError(
                .headerValue(name), "control character \(shown) at byte \(invalid.position) (RFC 9110 §5.5)")
        }
    }
}

extension String {
    /// Whether the text is a token (RFC 9110 §5.6.2).
    package var isToken: Bool {
        withBytes { bytes in
            for byte in bytes where !byte.isTokenByte { return false }
            return !bytes.isEmpty
        }
    }
}

/// Values that are attached to a request for interceptors and are never sent.
///
/// ```swift
/// enum TenantKey: ContextKey { typealias Value = String }
/// request.context[TenantKey.self] = "north"
/// ```
public struct ContextValues: Sendable {
    /// A linked list that starts with the value set last. There are few values, so a linear search is fastest, and copies share
    /// them.
    @usableFromInline var values: ContextEntry?

    /// Creates a context without values.
    @inlinable public init() {}

    /// The value for a key; setting `nil` removes it.
    @inlinable public subscript<Key: ContextKey>(key: Key.Type) -> Key.Value? {
        get {
            var entry = values
            while let current = entry {
                if current.key == ObjectIdentifier(key) {
                    // The key determines the type of the value.
                    return unsafeDowncast(current, to: ContextValueEntry<Key.Value>.self).value
                }
                entry = current.next
            }
            return nil
        }
        set {
            let others = values?.without(ObjectIdentifier(key))
            values = newValue.map { ContextValueEntry($0, for: ObjectIdentifier(key), next: others) } ?? others
        }
    }
}

/// An entry of the linked list, with a reference to the values set before it.
// `@unchecked Sendable`: the compiler cannot check a class with subclasses. All properties are immutable.
@usableFromInline class ContextEntry: @unchecked Sendable {
    @usableFromInline let key: ObjectIdentifier
    @usableFromInline let next: ContextEntry?

    @inlinable init(key: ObjectIdentifier, next: ContextEntry?) {
        self.key = key
        self.next = next
    }

    @inlinable func following(_ next: ContextEntry?) -> ContextEntry { ContextEntry(key: key, next: next) }

    @inlinable func without(_ key: ObjectIdentifier) -> ContextEntry? {
        if self.key == key { return next }
        guard let next else { return self }
        let rest = next.without(key)
        return rest === next ? self : following(rest)
    }
}

// `@unchecked Sendable`, like its superclass: its only property is immutable and of a `Sendable` type.
@usableFromInline final class ContextValueEntry<Value: Sendable>: ContextEntry, @unchecked Sendable {
    @usableFromInline let value: Value

    @inlinable init(_ value: Value, for key: ObjectIdentifier, next: ContextEntry?) {
        self.value = value
        super.init(key: key, next: next)
    }

    @inlinable override func following(_ next: ContextEntry?) -> ContextEntry {
        ContextValueEntry(value, for: key, next: next)
    }
}

/// A key of a ``ContextValues`` that also defines the type of its value.
public protocol ContextKey {
    /// The type of the value for this key.
    associatedtype Value: Sendable
}
