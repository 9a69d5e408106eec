import DataTransfer
import Foundation

/// Files with answers: the resources of a bundle, or a folder.
///
/// ```swift
/// let fixtures = StubFixtures(bundle: .module)
/// session.enqueue(try .file("users", in: fixtures, headers: ["Cache-Control": "max-age=60"]), for: "/users")
/// ```
public struct StubFixtures: Sendable {
    private let find: @Sendable (_ name: String, _ fileExtension: String) -> URL?
    private let place: String

    /// Files of a bundle's resources. In a test target with resources, that is `Bundle.module`.
    ///
    /// - Parameter folder: Within the bundle; `nil` is its top.
    public init(bundle: Bundle, folder: String? = nil) {
        place = bundle.bundlePath + (folder.map { "/" + $0 } ?? "")
        find = { name, fileExtension in bundle.url(forResource: name, withExtension: fileExtension, subdirectory: folder) }
    }

    /// Files of a folder.
    public init(folder: URL) {
        place = folder.path
        find = { name, fileExtension in
            let file = folder.appendingPathComponent(name + (fileExtension.isEmpty ? "" : "." + fileExtension))
            return FileManager.default.fileExists(atPath: file.path) ? file : nil
        }
    }

    /// Files of a folder beside the source file that calls: `StubFixtures(folder: "Fixtures")`.
    public init(folder: String, source: String = #filePath) {
        self.init(folder: URL(fileURLWithPath: source).deletingLastPathComponent().appendingPathComponent(folder))
    }

    /// The bytes of a file, read at once, on the calling thread.
    ///
    /// - Throws: ``StubFixtureError/mockDataMissing(file:place:)``.
    public func data(_ name: String, extension fileExtension: String = "json") throws(StubFixtureError) -> Data {
        guard let file = find(name, fileExtension), let data = try? Data(contentsOf: file) else {
            throw .mockDataMissing(file: name + "." + fileExtension, place: place)
        }
        return data
    }
}

extension StubResponse {
    /// A file's bytes, with the media type of its extension unless `headers` has a `Content-Type`. Read at once, on the calling thread.
    ///
    /// - Parameter name: Without the extension.
    /// - Throws: ``StubFixtureError/mockDataMissing(file:place:)``.
    public static func file(
        _ name: String, extension fileExtension: String = "json", in fixtures: StubFixtures, status: Int = 200,
        headers: HTTPHeaders = [:]
    ) throws(StubFixtureError) -> StubResponse {
        .data(
            try fixtures.data(name, extension: fileExtension),
            contentType: MultipartFormData.contentType(forFileName: "file." + fileExtension), status: status, headers: headers)
    }
}

extension StubSessionManager {
    /// Answers every request with the same.
    public convenience init(answering response: StubResponse) {
        self.init()
        route { _ in response }
    }

    /// Answers every request to the endpoint's method and path with the endpoint's file, interceptors and all.
    ///
    /// ```swift
    /// try session.route(Users.all, with: api, from: StubFixtures(bundle: .module))
    /// ```
    ///
    /// - Parameter configuration: The service's; the path is taken from the request that both make.
    /// - Throws: ``StubFixtureError/mockDataMissing(file:place:)``, and `RequestGenerationError` where there is no such request.
    public func route(
        _ endpoint: some MockEndpoint, with configuration: any NetworkConfigurable, from fixtures: StubFixtures,
        status: Int = 200,
        headers: HTTPHeaders = [:]
    ) throws {
        let response = try StubResponse.file(
            endpoint.mockFileName, extension: endpoint.mockFileExtension, in: fixtures, status: status, headers: headers)
        let request = try endpoint.networkRequest(with: configuration)
        route(request.pathForStubs, method: request.method, response)
    }
}
