import DataTransfer
import Endpoints
import Foundation
import NetworkLogging
import NetworkSupport

/// A data transfer service that reads its responses from files: the same call sites, no network.
///
/// ```swift
/// let service = StubDataTransferService(fixtures: StubFixtures(bundle: .module))
/// let users = try await service.request(Users.all.as([User].self))  // users.json
/// ```
///
/// An endpoint that does not conform to ``MockEndpoint``, or whose file is missing, fails with
/// ``NetworkCore/TransportError/Code/notStubbed`` and a ``StubFixtureError`` as the underlying error.
public final class StubDataTransferService: DataTransferService {
    private let fixtures: StubFixtures
    private let encoder: (any DataEncoder)?
    private let decoder: (any JSONDataDecoder)?
    private let requested = Locked<[String]>([])

    /// Creates a service that reads the files of a bundle or folder: in a test target with resources,
    /// `StubFixtures(bundle: .module)`.
    ///
    /// - Parameters:
    ///   - fixtures: The files.
    ///   - encoder: The encoder of the service, as in `DefaultDataTransferService`. Default: `nil`.
    ///   - decoder: The decoder of the service, as in `DefaultDataTransferService`. Default: `nil`.
    public init(fixtures: StubFixtures, encoder: (any DataEncoder)? = nil, decoder: (any JSONDataDecoder)? = nil) {
        self.fixtures = fixtures
        self.encoder = encoder
        self.decoder = decoder
    }

    /// The methods and paths of the endpoints requested so far, in order: `GET users/1`.
    public var requests: [String] { requested.withLock { $0 } }

    /// Responds with the endpoint's file, as a 200 of `application/json` whatever the extension of the file.
    ///
    /// The request is built and the file decoded as by a real service. The file is read on the calling thread.
    ///
    /// - Returns: The response; otherwise the error, also when the task is cancelled.
    public func responseResult<Target: ResponseRequestable>(
        for endpoint: Target
    ) async -> Result<DataTransferResponse<Target.Response>, DataTransferError> {
        let described = Endpoint(endpoint)
        let request = described.request
        requested.withLock { $0.append("\(request.method) \(request.path)") }
        let session = StubSessionManager()
        let service = DefaultDataTransferService(
            configuration: StubConfiguration(), sessionManager: session, encoder: encoder, decoder: decoder)
        do throws(StubFixtureError) {
            session.enqueue(.data(try fixture(of: endpoint, request), contentType: "application/json"))
        } catch {
            session.enqueue(.failure(TransportError(.notStubbed, error.description, underlying: error)))
        }
        return await service.responseResult(for: described)
    }

    /// Returns the file of an endpoint, or of the endpoint that it was made from with `as(_:)` or for one call.
    private func fixture(of endpoint: some ResponseRequestable, _ request: RequestDescription) throws(StubFixtureError) -> Data {
        guard let mock = endpoint as? any MockEndpoint ?? request.source as? any MockEndpoint else {
            throw .endpointNotMocked("\(request.method) \(request.path)")
        }
        return try fixtures.contents(of: mock.mockFileName, extension: mock.mockFileExtension)
    }
}

/// The error of a stub that has no fixture file for its response.
public enum StubFixtureError: Error, Sendable, Hashable, RedactedStringConvertible, LocalizedError {
    /// The endpoint, given as method and path, does not conform to ``MockEndpoint``.
    case endpointNotMocked(String)
    /// The file does not exist in the bundle or folder at `place`, or cannot be read.
    case mockDataMissing(file: String, place: String)

    /// A message that names the endpoint, or the file and where it was expected.
    public var description: String {
        switch self {
        case .endpointNotMocked(let endpoint): "\(endpoint.printable) does not conform to MockEndpoint"
        case .mockDataMissing(let file, let place): "there is no \(file.printable) in \(place.printable(limit: 1024))"
        }
    }
}

/// A configuration with which requests are fully built, so that an endpoint that could not be sent fails here too.
private struct StubConfiguration: NetworkConfigurable {
    let baseURL = URL(string: "http://stub.invalid") ?? URL(fileURLWithPath: "/")
}

/// An endpoint that names the fixture file with its response, for ``StubDataTransferService``.
///
/// ```swift
/// extension Users: MockEndpoint {
///     var mockFileName: String { "users" }        // users.json
/// }
///
/// let service = StubDataTransferService(fixtures: StubFixtures(bundle: .module))
/// let users = try await service.request(Users.all.as([User].self))
/// ```
public protocol MockEndpoint: Requestable {
    /// The name of the fixture file, without its extension.
    var mockFileName: String { get }
    /// The extension of the fixture file. Default: `json`.
    var mockFileExtension: String { get }
}

extension MockEndpoint {
    /// The default extension of fixture files: `json`.
    public var mockFileExtension: String { "json" }
}

extension StubDataTransferService: RedactedStringConvertible {}
