import Foundation

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
