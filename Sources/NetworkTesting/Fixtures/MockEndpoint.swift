import Endpoints

/// An endpoint that names the file with its answer, for ``StubDataTransferService``.
///
/// ```swift
/// extension Users: MockEndpoint {
///     var mockFileName: String { "users" }        // users.json
/// }
/// ```
public protocol MockEndpoint: Requestable {
    /// Without the extension.
    var mockFileName: String { get }
    /// `json` by default.
    var mockFileExtension: String { get }
}

extension MockEndpoint {
    /// `json`
    public var mockFileExtension: String { "json" }
}

extension DecodedEndpoint: MockEndpoint where Base: MockEndpoint {
    /// The base's.
    public var mockFileName: String { base.mockFileName }
    /// The base's.
    public var mockFileExtension: String { base.mockFileExtension }
}

extension AdjustedEndpoint: MockEndpoint where Base: MockEndpoint {
    /// The base's.
    package var mockFileName: String { base.mockFileName }
    /// The base's.
    package var mockFileExtension: String { base.mockFileExtension }
}
