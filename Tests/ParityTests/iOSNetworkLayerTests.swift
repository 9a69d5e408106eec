import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TestSupport

/// The features of iOS-Network-Layer, used as in its README: data sources that use a service to request and upload, with
/// progress.
@Suite("iOS-Network-Layer", .timeLimit(.minutes(10))) struct IOSNetworkLayerTests {
    struct Check: Codable, Sendable, Equatable {
        var id: Int
        var name: String
    }

    struct Stored: Decodable, Sendable, Equatable {
        var bytes: Int
        var contentType: String
        var token: String?
    }

    /// A data source as in that README: it has a service and the endpoints.
    struct CheckDataSource {
        let dataTransferService: any DataTransferService

        func checkList() async throws(DataTransferError) -> [Check] {
            try await dataTransferService.request(
                Endpoint<[Check]>(path: "3/checks", queryParameters: ["language": "en"], keyPath: "results"))
        }

        func upload(_ value: String, url: URL, progress: ProgressMonitor) async throws(DataTransferError) {
            try await dataTransferService.upload(
                .json(value), to: Endpoint<Void>(path: url.absoluteString, isFullPath: true), progress: progress)
        }

        func upload(
            multipartFormData: (inout MultipartForm) -> Void, to url: URL, progress: ProgressMonitor
        ) async throws(DataTransferError) -> Stored {
            try await dataTransferService.upload(
                .multipart(multipartFormData), to: Endpoint<Stored>(path: url.absoluteString, isFullPath: true),
                progress: progress)
        }
    }

    let server: LoopbackServer
    let dataSource: CheckDataSource

    init() throws {
        server = try LoopbackServer {
            LoopbackRoute(.get, "/3/checks") { _ in .json(#"{"results": [{"id": 1, "name": "a"}]}"#) }
            LoopbackRoute(.post, "/files") { request in
                let token = request.headers["X-Token"].map { "\"\($0)\"" } ?? "null"
                return .json(
                    #"{"bytes": \#(request.body.count), "contentType": "\#(request.headers["Content-Type"] ?? "")", "token": \#(token)}"#,
                    status: 201)
            }
        }
        let configuration = APIConfiguration(
            baseURL: server.url, headers: ["X-Token": "t"], queryParameters: ["api_key": "k"])
        dataSource = CheckDataSource(dataTransferService: DefaultDataTransferService(configuration: configuration))
    }

    @Test(.tags(.decoders)) func `a data source requests the value at a key path`() async throws {
        #expect(try await dataSource.checkList() == [Check(id: 1, name: "a")])
        #expect(server.requests.first?.target == "/3/checks?api_key=k&language=en")
    }

    @Test(.tags(.uploadProgress)) func `a value is encoded and uploaded to a URL, with progress`() async throws {
        let progress = ProgressMonitor()
        try await dataSource.upload("hello", url: server.url("/files"), progress: progress)
        let request = try #require(server.requests.first)
        #expect(request.text == #""hello""# && request.method == .post)
        #expect(request.headers["Content-Type"] == "application/json")
        var last: TransferProgress?
        for await state in progress { last = state }
        #expect(last?.fractionSent == 1 && last?.bytesSent == 7 && last?.isFinished == true)
    }

    @Test(.tags(.multipartForms)) func `a form that a closure builds is uploaded to a URL, with progress`() async throws {
        let progress = ProgressMonitor()
        let picture = Data(count: 2_000_000)
        let stored = try await dataSource.upload(
            multipartFormData: { form in
                form.append("ada", name: "user")
                form.append(.data(picture), name: "picture", fileName: "ada.png")
            }, to: server.url("/files"), progress: progress)
        #expect(stored.bytes > picture.count && stored.contentType.hasPrefix("multipart/form-data; boundary="))
        #expect(stored.token == "t", "the configuration is merged into uploads, too")
        var last: TransferProgress?
        for await state in progress { last = state }
        #expect(last?.bytesSent == Int64(stored.bytes) && last?.fraction == 1)
        let body = try #require(server.requests.first).body
        #expect(body.range(of: Data("name=\"picture\"; filename=\"ada.png\"\r\nContent-Type: image/png\r\n\r\n".utf8)) != nil)
    }

    @Test(.tags(.parameters)) func `a top-level JSON array can be sent and uploaded`() async throws {
        let checks = [Check(id: 1, name: "a"), Check(id: 2, name: "b")]
        let endpoint = Endpoint<Stored>(path: "files", method: .post, body: .json(checks))
        _ = try await dataSource.dataTransferService.request(endpoint)
        _ = try await dataSource.dataTransferService.upload(.json(checks), to: Endpoint<Stored>(path: "files"))
        for request in server.requests { #expect(try JSONDecoder().decode([Check].self, from: request.body) == checks) }
        #expect(server.requestCount == 2)
    }

    @Test func `an upload also returns its value to a completion`() async throws {
        let endpoint = Endpoint<Stored>(path: "files")
        let service = dataSource.dataTransferService
        let result: Result<Stored, DataTransferError> = await outcome {
            service.upload(.json([1, 2]), to: endpoint, completion: $0)
        }
        #expect(try result.get().bytes == 5)
    }
}
