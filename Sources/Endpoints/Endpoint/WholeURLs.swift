import Foundation

/// A URL is an endpoint, which is requested with GET. The base URL of the configuration is not used.
///
/// ```swift
/// let movie = try await service.request(url, as: Movie.self)
/// let file = try await service.download(url, to: destination)
/// ```
///
/// If its origin (RFC 6454 §4) differs from that of the configuration's base URL, only the configuration's headers that cannot contain a
/// secret are sent, none of its query parameters, and no credentials. A URL other than `http` or `https` is an error when the request is built.
extension URL: Requestable {
    /// The description of a GET request to this URL.
    public var request: RequestDescription { RequestDescription(path: absoluteString, isFullPath: true) }
}

extension Endpoint where Response: Decodable {
    /// Creates an endpoint with a whole URL, which replaces the base URL of the configuration.
    ///
    /// ```swift
    /// let next = Endpoint<Page>(url: page.nextURL)
    /// ```
    ///
    /// Another origin than that of the base URL receives no secret of the configuration: see ``RequestDescription/isFullPath``.
    ///
    /// - Parameters:
    ///   - url: The URL, with or without a query. Anything but `http` and `https` is an error when the request is built.
    ///   - method: The method. Default: GET.
    ///   - headerParameters: Header fields. Default: none.
    ///   - queryParameters: Query items, which are added to the query of the URL. Default: none.
    ///   - body: The body. Default: no body.
    ///   - responseDecoder: The decoder of the response. Default: `.json`, which uses the decoder of the service.
    public init(
        url: URL, method: RequestMethod = .get, headerParameters: HeaderFields = [:], queryParameters: ParameterList = [:],
        body: EndpointBody? = nil, responseDecoder: any ResponseDecoder = .json
    ) {
        self.init(
            path: url.absoluteString, isFullPath: true, method: method, headerParameters: headerParameters,
            queryParameters: queryParameters, body: body, responseDecoder: responseDecoder)
    }
}

extension Endpoint where Response == Void {
    /// Creates an endpoint with a whole URL whose call returns nothing: it succeeds if the status is accepted.
    ///
    /// - Parameters:
    ///   - url: The URL, with or without a query. Anything but `http` and `https` is an error when the request is built.
    ///   - method: The method. Default: GET.
    ///   - headerParameters: Header fields. Default: none.
    ///   - queryParameters: Query items, which are added to the query of the URL. Default: none.
    ///   - body: The body. Default: no body.
    public init(
        url: URL, method: RequestMethod = .get, headerParameters: HeaderFields = [:], queryParameters: ParameterList = [:],
        body: EndpointBody? = nil
    ) {
        self.init(
            path: url.absoluteString, isFullPath: true, method: method, headerParameters: headerParameters,
            queryParameters: queryParameters, body: body)
    }
}
