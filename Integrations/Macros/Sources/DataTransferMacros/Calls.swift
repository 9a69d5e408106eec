// The attributes of calls. Each writes the body of the function it is attached to. Their arguments are expressions that are
// copied to the endpoint.

/// Makes a function send a GET request (RFC 9110 §9.3.1). Parameters without a place are query items.
///
/// - Parameters:
///   - path: A literal, relative to the base URL of the service. Each `{name}` is the value of the parameter with that name.
///   - keyPath: The place of the value in the JSON document, such as `results`. Default: the document.
///   - decoder: The decoder of the response. Default: JSON with the decoder of the service; bytes for `Data`, and text for
///     `String`.
///   - headers: Header fields with constant values. Default: none.
///   - queryStyle: The format of query items, and of the fields of a form. Default: `QueryStyle()`.
///   - timeout: The time limit from the call to the last byte, 1 ms to 10^6 s. Default: that of the session manager.
///   - acceptedStatuses: The statuses that count as success. Default: 200..<300.
///   - cache: The directives that are sent as `Cache-Control`. Default: none.
///   - priority: The class of the request in the queues of the client. Default: `.normal`.
///   - isIdempotent: Whether the request may be sent twice. Default: as its method says.
///   - requiresAuthentication: Whether credentials are sent. Default: `true`.
@attached(body)
public macro GET(
    _ path: StaticString, keyPath: JSONKeyPath = "", decoder: any ResponseDecoder = .json, headers: HeaderFields = [:],
    queryStyle: QueryStyle = QueryStyle(), timeout: Duration? = nil, acceptedStatuses: AcceptedStatuses = .success,
    cache: RequestCachePolicy = .protocolRules, priority: RequestPriority = .normal, isIdempotent: Bool = true,
    requiresAuthentication: Bool = true
) = #externalMacro(module: "DataTransferMacrosPlugin", type: "CallMacro")

/// Makes a function send a HEAD request (RFC 9110 §9.3.2). It returns nothing or a `DataTransferResponse<Void>`. See ``GET``.
@attached(body)
public macro HEAD(
    _ path: StaticString, headers: HeaderFields = [:], queryStyle: QueryStyle = QueryStyle(), timeout: Duration? = nil,
    acceptedStatuses: AcceptedStatuses = .success, cache: RequestCachePolicy = .protocolRules,
    priority: RequestPriority = .normal, isIdempotent: Bool = true, requiresAuthentication: Bool = true
) = #externalMacro(module: "DataTransferMacrosPlugin", type: "CallMacro")

/// Makes a function send a DELETE request (RFC 9110 §9.3.5). Parameters without a place are query items. See ``GET``.
@attached(body)
public macro DELETE(
    _ path: StaticString, keyPath: JSONKeyPath = "", decoder: any ResponseDecoder = .json, encoding: CallEncoding = .json,
    headers: HeaderFields = [:], queryStyle: QueryStyle = QueryStyle(), timeout: Duration? = nil,
    acceptedStatuses: AcceptedStatuses = .success, cache: RequestCachePolicy = .protocolRules,
    priority: RequestPriority = .normal, isIdempotent: Bool = true, requiresAuthentication: Bool = true
) = #externalMacro(module: "DataTransferMacrosPlugin", type: "CallMacro")

/// Makes a function send a POST request (RFC 9110 §9.3.3).
///
/// One parameter without a label is the body. Parameters with labels are the members of a JSON object, or the fields of a form.
///
/// - Parameters:
///   - path: A literal, relative to the base URL of the service. Each `{name}` is the value of the parameter with that name.
///   - keyPath: The place of the value in the JSON document, such as `results`. Default: the document.
///   - decoder: The decoder of the response. Default: JSON with the decoder of the service; bytes for `Data`, and text for
///     `String`.
///   - encoding: How parameters without a place are written into the body. Default: `.json`.
///   - headers: Header fields with constant values. Default: none.
///   - queryStyle: The format of query items, and of the fields of a form. Default: `QueryStyle()`.
///   - timeout: The time limit from the call to the last byte, 1 ms to 10^6 s. Default: that of the session manager.
///   - acceptedStatuses: The statuses that count as success. Default: 200..<300.
///   - cache: The directives that are sent as `Cache-Control`. Default: none.
///   - priority: The class of the request in the queues of the client. Default: `.normal`.
///   - isIdempotent: Whether the request may be sent twice. Default: as its method says.
///   - requiresAuthentication: Whether credentials are sent. Default: `true`.
@attached(body)
public macro POST(
    _ path: StaticString, keyPath: JSONKeyPath = "", decoder: any ResponseDecoder = .json, encoding: CallEncoding = .json,
    headers: HeaderFields = [:], queryStyle: QueryStyle = QueryStyle(), timeout: Duration? = nil,
    acceptedStatuses: AcceptedStatuses = .success, cache: RequestCachePolicy = .protocolRules,
    priority: RequestPriority = .normal, isIdempotent: Bool = false, requiresAuthentication: Bool = true
) = #externalMacro(module: "DataTransferMacrosPlugin", type: "CallMacro")

/// Makes a function send a PUT request (RFC 9110 §9.3.4). See ``POST``.
@attached(body)
public macro PUT(
    _ path: StaticString, keyPath: JSONKeyPath = "", decoder: any ResponseDecoder = .json, encoding: CallEncoding = .json,
    headers: HeaderFields = [:], queryStyle: QueryStyle = QueryStyle(), timeout: Duration? = nil,
    acceptedStatuses: AcceptedStatuses = .success, cache: RequestCachePolicy = .protocolRules,
    priority: RequestPriority = .normal, isIdempotent: Bool = true, requiresAuthentication: Bool = true
) = #externalMacro(module: "DataTransferMacrosPlugin", type: "CallMacro")

/// Makes a function send a PATCH request (RFC 5789 §2). See ``POST``.
@attached(body)
public macro PATCH(
    _ path: StaticString, keyPath: JSONKeyPath = "", decoder: any ResponseDecoder = .json, encoding: CallEncoding = .json,
    headers: HeaderFields = [:], queryStyle: QueryStyle = QueryStyle(), timeout: Duration? = nil,
    acceptedStatuses: AcceptedStatuses = .success, cache: RequestCachePolicy = .protocolRules,
    priority: RequestPriority = .normal, isIdempotent: Bool = false, requiresAuthentication: Bool = true
) = #externalMacro(module: "DataTransferMacrosPlugin", type: "CallMacro")

/// Makes a function send a request with another method: `@HTTP(.query, "search")`. Unless the method is written as `.trace`,
/// which has no
/// body, parameters without a place are its body, as those of ``POST``.
@attached(body)
public macro HTTP(
    _ method: RequestMethod, _ path: StaticString, keyPath: JSONKeyPath = "", decoder: any ResponseDecoder = .json,
    encoding: CallEncoding = .json, headers: HeaderFields = [:], queryStyle: QueryStyle = QueryStyle(),
    timeout: Duration? = nil, acceptedStatuses: AcceptedStatuses = .success, cache: RequestCachePolicy = .protocolRules,
    priority: RequestPriority = .normal, isIdempotent: Bool = false, requiresAuthentication: Bool = true
) = #externalMacro(module: "DataTransferMacrosPlugin", type: "CallMacro")

/// How parameters without a place are written into the body of a request.
public enum CallEncoding: Sendable, Hashable {
    /// As the members of a JSON object (`application/json`).
    case json
    /// As the fields of a form (`application/x-www-form-urlencoded`).
    case form
}
