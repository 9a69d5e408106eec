// The attributes of calls that return files, events and streams.

/// Makes a function download the response to a file: see `DataTransferService.download(_:to:options:progress:)`.
///
/// It returns a `DownloadedFile`. Its parameter with the label `to` is the `URL` of the file, or a `DownloadDestination`. A
/// parameter whose type
/// is `DownloadOptions` or `(any TransferProgressObserver)?` is passed on. The request is a GET request; for other arguments see
/// ``GET``.
@attached(body)
public macro DOWNLOAD(
    _ path: StaticString, headers: HeaderFields = [:], queryStyle: QueryStyle = QueryStyle(), timeout: Duration? = nil,
    acceptedStatuses: AcceptedStatuses = .success, cache: RequestCachePolicy = .protocolRules,
    priority: RequestPriority = .normal, isIdempotent: Bool = true, requiresAuthentication: Bool = true
) = #externalMacro(module: "DataTransferMacrosPlugin", type: "CallMacro")

/// Makes a function return the events of a server as an `EventStream`, which connects when a loop starts and reconnects: see
/// `DataTransferService.events(_:options:lastEventID:maximumEventBytes:)`.
///
/// A parameter with the type `EventStreamOptions` or the name `lastEventID` is passed on. For other arguments see ``POST``.
///
/// - Parameter method: The method, written as a member such as `.post`. Default: GET.
@attached(body)
public macro EVENTS(
    _ path: StaticString, method: RequestMethod = .get, encoding: CallEncoding = .json, headers: HeaderFields = [:],
    queryStyle: QueryStyle = QueryStyle(), timeout: Duration? = nil, acceptedStatuses: AcceptedStatuses = .success,
    cache: RequestCachePolicy = .protocolRules, priority: RequestPriority = .normal, isIdempotent: Bool = true,
    requiresAuthentication: Bool = true
) = #externalMacro(module: "DataTransferMacrosPlugin", type: "CallMacro")

/// Makes a function return a `ValueStream` of the values in a response, which are decoded while they are received.
///
/// For other arguments see ``POST``.
///
/// - Parameters:
///   - format: The format of the values: `.lines()`, `.ndjson(Movie.self)`, `.elements(of: Movie.self, at: "results")`, and so
///     on.
///   - method: The method, written as a member such as `.post`. Default: GET.
@attached(body)
public macro STREAM<Element: Sendable>(
    _ path: StaticString, as format: StreamFormat<Element>, method: RequestMethod = .get, encoding: CallEncoding = .json,
    headers: HeaderFields = [:], queryStyle: QueryStyle = QueryStyle(), timeout: Duration? = nil,
    acceptedStatuses: AcceptedStatuses = .success, cache: RequestCachePolicy = .protocolRules,
    priority: RequestPriority = .normal, isIdempotent: Bool = true, requiresAuthentication: Bool = true
) = #externalMacro(module: "DataTransferMacrosPlugin", type: "CallMacro")
