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

/// A ``NetworkConfigurable`` that just holds its values.
public struct APIConfiguration: NetworkConfigurable {
    /// An absolute `http` or `https` URL, with or without a path and a query. Checked when a request is built.
    public var baseURL: URL
    /// An endpoint's header of the same name takes the place of one. Another origin sees only those that cannot hold a secret.
    public var headers: HTTPHeaders
    /// An endpoint's item of the same name takes the place of one. Another origin sees none.
    public var queryParameters: Parameters

    /// From its parts, unchecked: a base URL that cannot be used is an error when a request is built.
    public init(baseURL: URL, headers: HTTPHeaders = [:], queryParameters: Parameters = [:]) {
        self.baseURL = baseURL
        self.headers = headers
        self.queryParameters = queryParameters
    }

    /// From the text of a URL, checked at once.
    ///
    /// - Throws: ``RequestGenerationError`` for the field `baseURL` without an http(s) scheme or a host.
    public init(
        _ baseURL: String, headers: HTTPHeaders = [:], queryParameters: Parameters = [:]
    ) throws(RequestGenerationError) {
        try URLText(baseURL).requireHTTP(.baseURL)
        guard let url = URL(string: baseURL) else {
            throw RequestGenerationError(.baseURL, "\"\(URLText.shown(baseURL).printable)\" is not a URL (RFC 3986 §3)")
        }
        self.init(baseURL: url, headers: headers, queryParameters: queryParameters)
    }
}

extension APIConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The base URL without user information and query, the headers without secrets, and the names of the parameters.
    public var description: String { "APIConfiguration(\(URLText(baseURL).originAndPath), \(headers), \(queryParameters))" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// A configuration that is asked for anew for each request, once: settings that change while the program runs.
///
/// ```swift
/// let service = DefaultDataTransferService(configuration: ComputedConfiguration { settings.current })
/// ```
public struct ComputedConfiguration: NetworkConfigurable {
    private let configuration: @Sendable () -> any NetworkConfigurable

    /// - Parameter configuration: Runs where the request is built: on the calling thread. All of a request is of one answer.
    public init(_ configuration: @escaping @Sendable () -> any NetworkConfigurable) {
        self.configuration = configuration
    }

    /// The configuration now.
    public var current: any NetworkConfigurable { configuration().current }
    /// That of the configuration now.
    public var baseURL: URL { current.baseURL }
    /// Those of the configuration now.
    public var headers: HTTPHeaders { current.headers }
    /// Those of the configuration now.
    public var queryParameters: Parameters { current.queryParameters }
}

/// For a service whose endpoints all say their own host: it has no base URL.
///
/// ```swift
/// let service = DefaultDataTransferService(configuration: .composed)
/// ```
///
/// An endpoint without a host of its own fails with an error for the field `baseURL`; one with a full path works.
public struct ComposedConfiguration: NetworkConfigurable {
    /// One that no request can be made of.
    public let baseURL = URL(string: "none:") ?? URL(fileURLWithPath: "/")

    /// A configuration that shares nothing.
    public init() {}
}

extension NetworkConfigurable where Self == ComposedConfiguration {
    /// For a service whose endpoints all say their own host.
    public static var composed: ComposedConfiguration { ComposedConfiguration() }
}
