import Foundation
import NetworkLogging

/// The settings that all requests to one API share. They are read again for each request, so computed properties may change
/// between requests.
public protocol NetworkConfigurable: Sendable {
    /// The absolute `http` or `https` URL that all requests without a full path share, with or without a path and a query.
    var baseURL: URL { get }
    /// The header fields of every request. An endpoint's header of the same name replaces one. Default: none.
    var headers: HeaderFields { get }
    /// The query parameters of every request. An endpoint's item of the same name replaces one. Default: none.
    var queryParameters: ParameterList { get }
    /// The settings that one request is built with. Read once for each request. Default: the values of the other properties.
    var current: APIConfiguration { get }
}

extension NetworkConfigurable {
    /// An empty list, so that requests share no header fields.
    public var headers: HeaderFields { [:] }
    /// The values of the other properties at this moment.
    public var current: APIConfiguration {
        APIConfiguration(baseURL: baseURL, headers: headers, queryParameters: queryParameters)
    }
    /// An empty set, so that requests share no query parameters.
    public var queryParameters: ParameterList { [:] }
}

/// A configuration with stored values.
public struct APIConfiguration: NetworkConfigurable {
    /// The absolute `http` or `https` base URL, with or without a path and a query. Validated when a request is built.
    public var baseURL: URL {
        get { base.url }
        set { base = BaseURL(newValue) }
    }
    private(set) var base: BaseURL
    /// The header fields of every request. An endpoint's header of the same name replaces one. Other origins receive only those
    /// that cannot contain a secret.
    public var headers: HeaderFields
    /// The query parameters of every request. An endpoint's item of the same name replaces one. Other origins receive none.
    public var queryParameters: ParameterList

    /// Creates a configuration from a base URL without validation. An invalid base URL is an error when a request is built.
    public init(_ baseURL: URL, headers: HeaderFields = [:], queryParameters: ParameterList = [:]) {
        self.init(baseURL: baseURL, headers: headers, queryParameters: queryParameters)
    }

    /// Creates a configuration from a base URL, as ``init(_:headers:queryParameters:)-(URL,_,_)`` does.
    public init(baseURL: URL, headers: HeaderFields = [:], queryParameters: ParameterList = [:]) {
        base = BaseURL(baseURL)
        self.headers = headers
        self.queryParameters = queryParameters
    }

    /// This configuration.
    public var current: APIConfiguration { self }

    /// Creates a configuration from the text of a base URL, which is validated immediately.
    ///
    /// - Throws: ``RequestGenerationError`` for the field `baseURL` if the text is not a URL with an http(s) scheme and a host.
    public init(
        _ baseURL: String, headers: HeaderFields = [:], queryParameters: ParameterList = [:]
    ) throws {
        try URLText(baseURL).requireHTTP(.baseURL)
        guard let url = URL(string: baseURL) else {
            throw RequestGenerationError(.baseURL, "\"\(URLText.shown(baseURL).printable)\" is not a URL (RFC 3986 §3)")
        }
        self.init(baseURL: url, headers: headers, queryParameters: queryParameters)
    }

    /// Unavailable: a text can be no URL, so that the initializer for texts throws and has no label.
    @available(*, unavailable, message: "write `try APIConfiguration(\"https://…\")`, without a label")
    public init(baseURL: String, headers: HeaderFields = [:], queryParameters: ParameterList = [:]) {
        self.init(baseURL: .missing, headers: headers, queryParameters: queryParameters)
    }

    /// Unavailable: header fields have an order, and a name may occur several times.
    @available(*, unavailable, message: "write `headers: HeaderFields(dictionary)`, or pass a literal")
    @_disfavoredOverload
    public init(_ baseURL: String, headers: [String: String], queryParameters: ParameterList = [:]) throws {
        try self.init(baseURL, headers: HeaderFields(headers), queryParameters: queryParameters)
    }
}

extension APIConfiguration: RedactedStringConvertible {
    /// A textual representation with the base URL without user information and query, the headers without secrets, and the names
    /// of the query parameters.
    public var description: String { "APIConfiguration(\(URLText(baseURL).originAndPath), \(headers), \(queryParameters))" }
}

/// The configuration ``NetworkConfigurable/computed(_:)``.
private struct ComputedConfiguration: NetworkConfigurable {
    let configuration: @Sendable () -> any NetworkConfigurable

    var current: APIConfiguration { configuration().current }
    var baseURL: URL { current.baseURL }
    var headers: HeaderFields { current.headers }
    var queryParameters: ParameterList { current.queryParameters }
}

extension NetworkConfigurable where Self == APIConfiguration {
    /// A configuration without a base URL, for a service whose endpoints all declare their own host.
    ///
    /// ```swift
    /// let service = DefaultDataTransferService(configuration: .composed)
    /// ```
    ///
    /// An endpoint that declares no host fails with an error for the field `baseURL`; one with a full path works.
    public static var composed: APIConfiguration {
        APIConfiguration(baseURL: .missing)
    }

    /// Returns a configuration that is computed for each request, for settings that change while the program runs.
    ///
    /// ```swift
    /// let service = DefaultDataTransferService(
    ///     configuration: .computed { settings.current })
    /// ```
    ///
    /// - Parameter configuration: Called once per request, on the calling thread, where the request is built. All parts of the
    ///   request use the same result.
    public static func computed(
        _ configuration: @escaping @Sendable () -> any NetworkConfigurable
    ) -> some NetworkConfigurable { ComputedConfiguration(configuration: configuration) }
}
