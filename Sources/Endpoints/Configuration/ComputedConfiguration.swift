import Foundation

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
