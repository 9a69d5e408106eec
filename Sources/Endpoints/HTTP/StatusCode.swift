/// A status code of a response (RFC 9110 §15): an integer, because servers may send any of them. The ones that programs compare most often have names.
///
/// ```swift
/// if error.statusCode == .notFound { return nil }
/// switch response.statusCode {
/// case .notModified: return cached
/// case 500...: throw ServerFailure()
/// default: return response.value
/// }
/// endpoint.acceptedStatuses = [.ok, .notFound]
/// ```
public typealias StatusCode = Int

// The names are those of `Int`, so that they can be written with a leading dot wherever a status is an `Int` or an `Int?`.
extension Int {
    /// 103: header fields that the final response will probably have (RFC 8297).
    public static let earlyHints = 103
    /// 200 (RFC 9110 §15.3.1).
    public static let ok = 200
    /// 201: a resource was created (RFC 9110 §15.3.2).
    public static let created = 201
    /// 202: the request was accepted and will be processed later (RFC 9110 §15.3.3).
    public static let accepted = 202
    /// 204: the response has no content (RFC 9110 §15.3.5).
    public static let noContent = 204
    /// 206: the body is a part of the representation (RFC 9110 §15.3.7).
    public static let partialContent = 206
    /// 301: the resource has another URL from now on (RFC 9110 §15.4.2).
    public static let movedPermanently = 301
    /// 302: the resource has another URL for now (RFC 9110 §15.4.3).
    public static let found = 302
    /// 303: another resource has the result (RFC 9110 §15.4.4).
    public static let seeOther = 303
    /// 304: the representation has not changed (RFC 9110 §15.4.5).
    public static let notModified = 304
    /// 307: another URL for now, with the same method (RFC 9110 §15.4.8).
    public static let temporaryRedirect = 307
    /// 308: another URL from now on, with the same method (RFC 9110 §15.4.9).
    public static let permanentRedirect = 308
    /// 400: the request is invalid (RFC 9110 §15.5.1).
    public static let badRequest = 400
    /// 401: the request needs other credentials (RFC 9110 §15.5.2).
    public static let unauthorized = 401
    /// 403: the request is not allowed (RFC 9110 §15.5.4).
    public static let forbidden = 403
    /// 404: there is no such resource (RFC 9110 §15.5.5).
    public static let notFound = 404
    /// 405: the resource does not support the method (RFC 9110 §15.5.6).
    public static let methodNotAllowed = 405
    /// 408: the server did not receive the request in time (RFC 9110 §15.5.9).
    public static let requestTimeout = 408
    /// 409: the request conflicts with the state of the resource (RFC 9110 §15.5.10).
    public static let conflict = 409
    /// 410: the resource was removed (RFC 9110 §15.5.11).
    public static let gone = 410
    /// 412: a condition of the request does not hold (RFC 9110 §15.5.13).
    public static let preconditionFailed = 412
    /// 413: the body of the request is too large (RFC 9110 §15.5.14).
    public static let contentTooLarge = 413
    /// 415: the media type or content coding of the request is not supported (RFC 9110 §15.5.16).
    public static let unsupportedMediaType = 415
    /// 416: the range is outside the representation (RFC 9110 §15.5.17).
    public static let rangeNotSatisfiable = 416
    /// 422: the content has the right form and cannot be processed (RFC 9110 §15.5.21).
    public static let unprocessableContent = 422
    /// 429: there were too many requests (RFC 6585 §4).
    public static let tooManyRequests = 429
    /// 500: the server failed (RFC 9110 §15.6.1).
    public static let internalServerError = 500
    /// 502: a gateway received an invalid response (RFC 9110 §15.6.3).
    public static let badGateway = 502
    /// 503: the server cannot process requests for now (RFC 9110 §15.6.4).
    public static let serviceUnavailable = 503
    /// 504: a gateway received no response in time (RFC 9110 §15.6.5).
    public static let gatewayTimeout = 504
}
