import Foundation

/// What every request to one API shares. It is read anew for each request, so computed properties may change between two.
public protocol NetworkConfigurable: Sendable {
    /// An absolute `http` or `https` URL, with or without a path and a query, which all requests but those with a full path
    /// then share.
    var baseURL: URL { get }
    /// Sent with every request. An endpoint's header of the same name replaces it.
    var headers: HTTPHeaders { get }
    /// Sent with every request. An endpoint's item of the same name replaces it.
    var queryParameters: Parameters { get }
    /// What one request is built with, read once for each. This one unless said otherwise.
    var current: any NetworkConfigurable { get }
}

extension NetworkConfigurable {
    /// None.
    public var headers: HTTPHeaders { [:] }
    /// This one.
    public var current: any NetworkConfigurable { self }
    /// None.
    public var queryParameters: Parameters { [:] }
}
