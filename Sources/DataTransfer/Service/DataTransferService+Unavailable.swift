import Endpoints
import Foundation
import NetworkCore

// Calls as other clients have them, for which the compiler says what to write instead. None of them can be called.
extension DataTransferService {
    /// Unavailable: the endpoint has no response type.
    @available(*, unavailable, message: "no response type: pass `as: T.self`, use `.as(…)` or conform to ResponseRequestable")
    @_disfavoredOverload
    public func request<Target: Requestable>(_ endpoint: Target) async throws {}

    /// Unavailable: the endpoint has no response type.
    @available(*, unavailable, message: "no response type: pass `as: T.self`, use `.as(…)` or conform to ResponseRequestable")
    @_disfavoredOverload
    public func request<Target: Requestable, Value>(_ endpoint: Target) async throws -> Value {
        throw DataTransferError.taskCancelled
    }

    /// Unavailable: the endpoint has no response type.
    @available(*, unavailable, message: "no response type: use `.as(…)` or conform to ResponseRequestable")
    @_disfavoredOverload
    public func response<Target: Requestable>(
        for endpoint: Target
    ) async throws -> DataTransferResponse<Void> {
        throw DataTransferError.taskCancelled
    }

    /// Unavailable: a text is no endpoint.
    @available(*, unavailable, message: "a text is no endpoint: pass an `Endpoint<T>(path: …)`, or a URL and `as: T.self`")
    @_disfavoredOverload
    public func request(_ path: String) async throws {}

    /// Unavailable: a text is no endpoint.
    @available(*, unavailable, message: "a text is no endpoint: pass an `Endpoint<T>(path: …)`, or a URL and `as: T.self`")
    @_disfavoredOverload
    public func request<Value>(_ path: String, as type: Value.Type) async throws -> Value {
        throw DataTransferError.taskCancelled
    }

    /// Unavailable: what is sent belongs to the endpoint.
    @available(*, unavailable, message: "write `Endpoint<T>(path: …, method: …, headerParameters: …, body: .json(…))`")
    @_disfavoredOverload
    public func request<Target>(
        _ endpoint: Target, method: RequestMethod, parameters: ParameterList = [:], headers: HeaderFields = [:]
    ) async throws {}

    /// Unavailable: what is sent belongs to the endpoint.
    @available(*, unavailable, message: "write `Endpoint<T>(path: …, method: …, headerParameters: …, body: .json(…))`")
    @_disfavoredOverload
    public func request<Target>(_ endpoint: Target, parameters: ParameterList, headers: HeaderFields = [:])
        async throws
    {}

    /// Unavailable: what is sent belongs to the endpoint.
    @available(*, unavailable, message: "write `Endpoint<T>(path: …, method: …, headerParameters: …, body: .json(…))`")
    @_disfavoredOverload
    public func request<Target>(_ endpoint: Target, headers: HeaderFields) async throws {}

    /// Unavailable: the method belongs to the endpoint, and GET is the default.
    @available(*, unavailable, message: "write `request(url, as: T.self)` with a URL, or `request(Endpoint<T>(path: …))`")
    public func get<Target, Value>(_ endpoint: Target, as type: Value.Type = Value.self) async throws -> Value {
        throw DataTransferError.taskCancelled
    }

    /// Unavailable: the method and the body belong to the endpoint.
    @available(*, unavailable, message: "write `request(Endpoint<T>(path: …, method: .post, body: .json(…)))`")
    public func post<Target, Content, Value>(
        _ endpoint: Target, body: Content, as type: Value.Type = Value.self
    ) async throws -> Value {
        throw DataTransferError.taskCancelled
    }

    /// Unavailable: an endpoint is requested.
    @available(*, unavailable, renamed: "request(_:)")
    public func send<Target>(_ endpoint: Target) async throws {}

    /// Unavailable: the type of the value and its decoder are stated.
    @available(*, unavailable, message: "write `request(url, as: Data.self, decoder: .rawData)`")
    public func data(from url: URL) async throws {}

    /// Unavailable: requests are described by endpoints.
    @available(*, unavailable, message: "describe the request by an `Endpoint`, and write `response(for: endpoint)`")
    public func data<Request>(for request: Request) async throws {}

    /// Unavailable: the format of the body has to be stated.
    @available(*, unavailable, message: "write `upload(.json(value), to: …)`, `.form(value)`, `.data(data)` or `.file(url)`")
    @_disfavoredOverload
    public func upload<Content, Target>(_ body: Content, to endpoint: Target) async throws {}

    /// Unavailable: the format of the stream has to be stated.
    @available(*, unavailable, message: "write `as: .ndjson(T.self)` or `as: .elements(of: T.self)`")
    @_disfavoredOverload
    public func stream<Target, Value>(_ endpoint: Target, as type: Value.Type) async throws {}

    /// Unavailable: a text is no file.
    @available(*, unavailable, message: "write `to: URL(fileURLWithPath: path)`")
    @_disfavoredOverload
    public func download(_ endpoint: some Requestable, to path: String) async throws {}
}

extension DefaultDataTransferService {
    /// Unavailable: the base URL belongs to the configuration.
    @available(*, unavailable, message: "write `configuration: try APIConfiguration(\"https://…\")`")
    public init<Base>(baseURL: Base) { self.init() }

    /// Unavailable: a text is no configuration.
    @available(*, unavailable, message: "write `configuration: try APIConfiguration(\"https://…\")`")
    @_disfavoredOverload
    public init(configuration: String) { self.init() }

    /// Unavailable: the configuration has a label.
    @available(*, unavailable, message: "write `configuration: try APIConfiguration(\"https://…\")`")
    public init<Configuration>(_ configuration: Configuration) { self.init() }
}

extension DataTransferError {
    /// Unavailable: only a network error has a response.
    @available(*, unavailable, message: "write `networkError?.response`, which has the status, the header fields and the body")
    public var response: NetworkResponse? { networkError?.response }
}

// What `ResumableUploads` has, with the missing import. Where that module is imported, its declarations are used.

extension DataTransferService {
    /// Unavailable without `ResumableUploads`, which contains uploads that continue after interruptions.
    @available(*, unavailable, message: "add `import ResumableUploads`, and that product to the dependencies of the target")
    @_disfavoredOverload
    public func uploadResumably(
        _ file: URL, to endpoint: some Requestable, options: Any? = nil, progress: (any TransferProgressObserver)? = nil
    ) async throws {}
}

/// Unavailable without `ResumableUploads`, which contains the options of an upload that continues after interruptions.
@available(*, unavailable, message: "add `import ResumableUploads`, and that product to the dependencies of the target")
public typealias UploadOptions = Never

/// Unavailable without `ResumableUploads`, which contains the failure of an upload that continues after interruptions.
@available(*, unavailable, message: "add `import ResumableUploads`, and that product to the dependencies of the target")
public typealias UploadFailure = Never
