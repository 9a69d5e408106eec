import DataTransfer
import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// A response or failure that a ``StubSessionManager`` returns.
///
/// ```swift
/// session.enqueue(.json(#"{"id": 1}"#), for: "/users/1")
/// session.enqueue(.failure(.connectionLost))
/// ```
public struct StubResponse: Sendable {
    enum Outcome: Sendable {
        case response(status: Int, headers: HeaderFields, body: Data)
        case failure(TransportError)
        case silence
        case webSocket(StubWebSocket)
    }

    var outcome: Outcome

    /// Creates a response with exactly these parts; no header is added.
    public init(status: Int = 200, headers: HeaderFields = [:], body: Data = Data()) {
        outcome = .response(status: status, headers: headers, body: body)
    }

    init(outcome: Outcome) {
        self.outcome = outcome
    }

    /// Returns a response with JSON text, unchecked, as `application/json` unless `headers` has a `Content-Type`.
    public static func json(_ text: String, status: Int = 200, headers: HeaderFields = [:]) -> StubResponse {
        data(Data(text.utf8), contentType: "application/json", status: status, headers: headers)
    }

    /// Returns a response with a value encoded as JSON, as `application/json` unless `headers` has a `Content-Type`.
    ///
    /// - Throws: The error of the encoder.
    public static func json(
        encoding value: some Encodable, status: Int = 200, headers: HeaderFields = [:], encoder: any DataEncoder = .json
    ) throws -> StubResponse {
        data(try encoder.encodeBounded(value), contentType: "application/json", status: status, headers: headers)
    }

    /// Unavailable: encoding can fail.
    @available(*, unavailable, message: "write `try .json(encoding: value)`")
    @_disfavoredOverload
    public static func json(_ value: some Encodable, status: Int = 200, headers: HeaderFields = [:]) -> StubResponse {
        .status(status)
    }

    /// Returns a response with text in UTF-8, as `text/plain; charset=utf-8` unless `headers` has a `Content-Type`.
    public static func text(_ text: String, status: Int = 200, headers: HeaderFields = [:]) -> StubResponse {
        data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// Returns a response with these bytes. A `Content-Type` in `headers` replaces `contentType`.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream", status: Int = 200, headers: HeaderFields = [:]
    ) -> StubResponse {
        let type: HeaderFields = ["Content-Type": contentType]
        return StubResponse(status: status, headers: type.replacing(with: headers), body: data)
    }

    /// Returns a response with a status and an empty body.
    public static func status(_ status: Int, headers: HeaderFields = [:]) -> StubResponse {
        StubResponse(status: status, headers: headers)
    }

    /// Returns a stub that fails the transfer with an error.
    public static func failure(_ error: TransportError) -> StubResponse {
        StubResponse(outcome: .failure(error))
    }

    /// Returns a stub that fails the transfer with an error of this code: `.failure(.timedOut)`.
    public static func failure(_ code: TransportError.Code, phase: TransportError.Phase? = nil) -> StubResponse {
        .failure(TransportError(code, "stubbed failure", phase: phase))
    }

    /// A stub that never responds: the request waits until it is cancelled.
    ///
    /// No time limit ends it, not even a deadline, since ``StubSessionManager`` enforces none: use `.failure(.timedOut)`, or a
    /// ``LoopbackServer``.
    public static var silence: StubResponse {
        StubResponse(outcome: .silence)
    }
}

/// Fixture files that hold response bodies: the resources of a bundle, or the files of a folder.
///
/// ```swift
/// let fixtures = StubFixtures(bundle: .module)
/// session.enqueue(try .file("users", in: fixtures), for: "/users")
/// ```
public struct StubFixtures: Sendable {
    private let find: @Sendable (_ name: String, _ fileExtension: String) -> URL?
    private let place: String

    /// Creates fixtures from the resources of a bundle: in a test target with resources, `Bundle.module`.
    ///
    /// - Parameters:
    ///   - bundle: The bundle that contains the files.
    ///   - folder: A folder within the bundle; `nil`: its top level.
    public init(bundle: Bundle, folder: String? = nil) {
        place = bundle.bundlePath + (folder.map { "/" + $0 } ?? "")
        find = { name, fileExtension in bundle.url(forResource: name, withExtension: fileExtension, subdirectory: folder) }
    }

    /// Creates fixtures from the files of a folder.
    public init(folder: URL) {
        place = folder.path
        find = { name, fileExtension in
            let file = folder.appendingPathComponent(name + (fileExtension.isEmpty ? "" : "." + fileExtension))
            return FileManager.default.fileExists(atPath: file.path) ? file : nil
        }
    }

    /// Creates fixtures from a folder next to the calling source file: `StubFixtures(folder: "Fixtures")`.
    public init(folder: String, source: String = #filePath) {
        self.init(folder: URL(fileURLWithPath: source).deletingLastPathComponent().appendingPathComponent(folder))
    }

    /// Returns the bytes of a file. Reads it synchronously on the calling thread.
    ///
    /// - Throws: ``StubFixtureError/mockDataMissing(file:place:)``.
    public func data(_ name: String, extension fileExtension: String = "json") throws -> Data {
        try contents(of: name, extension: fileExtension)
    }

    /// ``data(_:extension:)`` with the type of its errors.
    func contents(of name: String, extension fileExtension: String) throws(StubFixtureError) -> Data {
        guard let file = find(name, fileExtension), let data = try? Data(contentsOf: file) else {
            throw .mockDataMissing(file: name + "." + fileExtension, place: place)
        }
        return data
    }
}

extension StubResponse {
    /// Returns a response with the bytes of a file, which is read synchronously on the calling thread.
    ///
    /// Its `Content-Type` is the media type of the file's extension, unless `headers` has one.
    ///
    /// - Parameters:
    ///   - name: The file name without its extension.
    ///   - fileExtension: The file's extension. Default: `json`.
    ///   - fixtures: The fixtures that contain the file.
    ///   - status: The status code. Default: 200.
    ///   - headers: The header fields. Default: none but `Content-Type`.
    /// - Throws: ``StubFixtureError/mockDataMissing(file:place:)``.
    public static func file(
        _ name: String, extension fileExtension: String = "json", in fixtures: StubFixtures, status: Int = 200,
        headers: HeaderFields = [:]
    ) throws -> StubResponse {
        .data(
            try fixtures.data(name, extension: fileExtension),
            contentType: MultipartForm.contentType(forFileName: "file." + fileExtension), status: status, headers: headers)
    }
}

extension StubSessionManager {
    /// Creates a session manager that returns the same response to every request.
    public convenience init(returning response: StubResponse) {
        self.init()
        route { _ in response }
    }

    /// Adds a route that responds to the endpoint's method and path with the endpoint's file.
    ///
    /// Requests pass through the interceptors of the service as usual.
    ///
    /// ```swift
    /// try session.route(Users.all, with: api, from: StubFixtures(bundle: .module))
    /// ```
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint, which names its file.
    ///   - configuration: The configuration of the service, from which the path of the request is built.
    ///   - fixtures: The fixtures that contain the file.
    ///   - status: The status code. Default: 200.
    ///   - headers: The header fields. Default: none but `Content-Type`.
    /// - Throws: ``StubFixtureError/mockDataMissing(file:place:)``, or `RequestGenerationError` if the request cannot be built.
    public func route(
        _ endpoint: some MockEndpoint, with configuration: any NetworkConfigurable, from fixtures: StubFixtures,
        status: Int = 200,
        headers: HeaderFields = [:]
    ) throws {
        let response = try StubResponse.file(
            endpoint.mockFileName, extension: endpoint.mockFileExtension, in: fixtures, status: status, headers: headers)
        let request = try endpoint.networkRequest(with: configuration)
        let path = request.pathForStubs
        route { $0.method == request.method && $0.pathForStubs == path ? response : nil }
    }
}

extension StubResponse: RedactedStringConvertible {
    /// The status, the size of the body and the headers with secrets redacted, or the error.
    public var description: String {
        switch outcome {
        case .response(let status, let headers, let body): "StubResponse(\(status), \(body.count) bytes, \(headers))"
        case .failure(let error): "StubResponse(\(error))"
        case .silence: "StubResponse(silence)"
        case .webSocket: "StubResponse(WebSocket)"
        }
    }
}
