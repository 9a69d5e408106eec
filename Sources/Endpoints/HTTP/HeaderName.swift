/// The name of a header field (RFC 9110 §5.1), for names that occur often.
///
/// ```swift
/// response.headers[.contentType]
/// request.headers[.accept] = "text/csv"
/// ```
///
/// ``HeaderFields`` takes any name as a `String` too. Names are compared without case and are sent as they are spelled here.
public struct HeaderName: RawRepresentable, Hashable, Sendable {
    /// The name as it is sent. It is validated when a request is built.
    public let rawValue: String

    /// Creates a name. It is validated when a request is built.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    private init(_ name: String) {
        rawValue = name
    }

    /// The media types that are preferred (RFC 9110 §12.5.1).
    public static let accept = HeaderName("Accept")
    /// The content codings that are preferred (RFC 9110 §12.5.3).
    public static let acceptEncoding = HeaderName("Accept-Encoding")
    /// The languages that are preferred (RFC 9110 §12.5.5).
    public static let acceptLanguage = HeaderName("Accept-Language")
    /// The media types of a QUERY request that the resource accepts (RFC 10008).
    public static let acceptQuery = HeaderName("Accept-Query")
    /// The time since the response was generated, in seconds (RFC 9111 §5.1).
    public static let age = HeaderName("Age")
    /// The methods that the resource supports (RFC 9110 §10.2.1).
    public static let allow = HeaderName("Allow")
    /// The credentials of the request (RFC 9110 §11.6.2).
    public static let authorization = HeaderName("Authorization")
    /// The directives for caches (RFC 9111 §5.2).
    public static let cacheControl = HeaderName("Cache-Control")
    /// How the content is shown, and its file name (RFC 6266).
    public static let contentDisposition = HeaderName("Content-Disposition")
    /// The content codings of the body (RFC 9110 §8.4).
    public static let contentEncoding = HeaderName("Content-Encoding")
    /// The languages of the intended readers (RFC 9110 §8.5).
    public static let contentLanguage = HeaderName("Content-Language")
    /// The number of bytes of the body (RFC 9110 §8.6). The engine sets that of requests.
    public static let contentLength = HeaderName("Content-Length")
    /// The URL of the representation in the body (RFC 9110 §8.7).
    public static let contentLocation = HeaderName("Content-Location")
    /// The range of bytes in the body (RFC 9110 §14.4).
    public static let contentRange = HeaderName("Content-Range")
    /// The media type of the body (RFC 9110 §8.3).
    public static let contentType = HeaderName("Content-Type")
    /// The cookies of the request (RFC 6265 §4.2).
    public static let cookie = HeaderName("Cookie")
    /// The time at which the message was created (RFC 9110 §6.6.1).
    public static let date = HeaderName("Date")
    /// The tag of a version of the representation (RFC 9110 §8.8.3).
    public static let eTag = HeaderName("ETag")
    /// The time from which the response is stale (RFC 9111 §5.3).
    public static let expires = HeaderName("Expires")
    /// The host of the request (RFC 9110 §7.2). The engine sets it from the URL.
    public static let host = HeaderName("Host")
    /// The key by which a server recognizes a repeated request (draft-ietf-httpapi-idempotency-key-header).
    public static let idempotencyKey = HeaderName("Idempotency-Key")
    /// The versions for which the request is performed (RFC 9110 §13.1.1).
    public static let ifMatch = HeaderName("If-Match")
    /// The time since which the representation must have changed (RFC 9110 §13.1.3).
    public static let ifModifiedSince = HeaderName("If-Modified-Since")
    /// The versions for which the request is not performed (RFC 9110 §13.1.2).
    public static let ifNoneMatch = HeaderName("If-None-Match")
    /// The version of which a range is requested (RFC 9110 §13.1.5).
    public static let ifRange = HeaderName("If-Range")
    /// The time since which the representation must not have changed (RFC 9110 §13.1.4).
    public static let ifUnmodifiedSince = HeaderName("If-Unmodified-Since")
    /// The time of the last change of the representation (RFC 9110 §8.8.2).
    public static let lastModified = HeaderName("Last-Modified")
    /// The links of the resource to others (RFC 8288 §3).
    public static let link = HeaderName("Link")
    /// The URL to which a redirect leads, or that of a created resource (RFC 9110 §10.2.2).
    public static let location = HeaderName("Location")
    /// The preferences about the processing of the request (RFC 7240).
    public static let prefer = HeaderName("Prefer")
    /// The range of bytes that is requested (RFC 9110 §14.2).
    public static let range = HeaderName("Range")
    /// The URL of the resource from which the target was obtained (RFC 9110 §10.1.3).
    public static let referer = HeaderName("Referer")
    /// The time after which a request may be sent again (RFC 9110 §10.2.3).
    public static let retryAfter = HeaderName("Retry-After")
    /// A cookie that the server sets (RFC 6265 §4.1).
    public static let setCookie = HeaderName("Set-Cookie")
    /// The program that sends the request (RFC 9110 §10.1.5).
    public static let userAgent = HeaderName("User-Agent")
    /// The header fields of the request on which the response depends (RFC 9110 §12.5.5).
    public static let vary = HeaderName("Vary")
    /// The ways in which the request can be authenticated (RFC 9110 §11.6.1).
    public static let wwwAuthenticate = HeaderName("WWW-Authenticate")
}

extension HeaderFields {
    /// The values of a field, joined as ``subscript(_:)-(String)`` does; setting `nil` removes the field.
    public subscript(name: HeaderName) -> String? {
        get { self[name.rawValue] }
        set { self[name.rawValue] = newValue }
    }
}
