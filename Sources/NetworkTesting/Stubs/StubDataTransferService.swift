import DataTransfer
import Endpoints
import Foundation

/// A data transfer service whose answers are files: same call sites, no network.
///
/// ```swift
/// let service = StubDataTransferService(bundle: .module)
/// let users = try await service.request(Users.all.as([User].self))     // users.json of the bundle
/// ```
///
/// An endpoint that is no ``MockEndpoint``, and one whose file is missing, fail with
/// ``NetworkCore/TransportError/Code/notStubbed``, and with a ``StubFixtureError`` as the cause.
public final class StubDataTransferService: DataTransferService {
    private let fixtures: StubFixtures
    private let asked = Locked<[String]>([])

    /// Files of a bundle or folder.
    public init(fixtures: StubFixtures) {
        self.fixtures = fixtures
    }

    /// Files of a bundle's resources. In a test target with resources, that is `Bundle.module`.
    public convenience init(bundle: Bundle) {
        self.init(fixtures: StubFixtures(bundle: bundle))
    }

    /// Files of a folder.
    public convenience init(folder: URL) {
        self.init(fixtures: StubFixtures(folder: folder))
    }

    /// The methods and paths of the endpoints that were asked for so far, in order.
    public var requests: [String] { asked.withLock { $0 } }

    /// Answers with the endpoint's file as a 200 of `application/json`, whatever the file's extension.
    ///
    /// The request is built and the file decoded as a real service does it. The file is read on the calling thread.
    ///
    /// - Parameters:
    ///   - queue: Where the completion runs; with `nil`, on a background thread.
    ///   - completion: Runs exactly once.
    /// - Returns: A handle that calls the request off.
    @discardableResult
    public func response<Target: ResponseRequestable>(
        for endpoint: Target, on queue: (any DataTransferDispatchQueue)? = nil,
        completion: @escaping @Sendable (Result<DataTransferResponse<Target.Response>, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        asked.withLock { $0.append("\(endpoint.method) \(endpoint.path)") }
        let session = StubSessionManager()
        let service = DefaultDataTransferService(configuration: StubConfiguration(), sessionManager: session)
        do throws(StubFixtureError) {
            session.enqueue(.data(try fixture(of: endpoint), contentType: "application/json"))
        } catch {
            session.enqueue(.failure(TransportError(.notStubbed, error.description, underlying: error)))
        }
        return service.response(for: endpoint, on: queue, completion: completion)
    }

    private func fixture(of endpoint: some ResponseRequestable) throws(StubFixtureError) -> Data {
        guard let mock = endpoint as? any MockEndpoint else {
            throw .endpointNotMocked("\(endpoint.method) \(endpoint.path)")
        }
        return try fixtures.data(mock.mockFileName, extension: mock.mockFileExtension)
    }
}

/// Why a stub has no file for an answer.
public enum StubFixtureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The endpoint, as method and path, is no ``MockEndpoint``.
    case endpointNotMocked(String)
    /// There is no such file.
    case mockDataMissing(file: String, place: String)

    /// What is missing, in words.
    public var description: String {
        switch self {
        case .endpointNotMocked(let endpoint): "\(endpoint) is no MockEndpoint"
        case .mockDataMissing(let file, let place): "there is no \(file) in \(place)"
        }
    }
}

/// Endpoints are built in full, so that one that could not be sent fails here too.
private struct StubConfiguration: NetworkConfigurable {
    let baseURL = URL(string: "http://stub.invalid") ?? URL(fileURLWithPath: "/")
}

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

/// An ``Endpoints/API`` that names the file with its answer, for ``StubDataTransferService``: the same call, no network.
///
/// ```swift
/// extension MoviesAPI: MockedAPI {
///     var mockFileName: String { "movies" }       // movies.json
/// }
///
/// let service = StubDataTransferService(bundle: .module)
/// let movies = try await service.request(MoviesAPI.popular.as([Movie].self))
/// ```
public protocol MockedAPI: API, MockEndpoint {}
