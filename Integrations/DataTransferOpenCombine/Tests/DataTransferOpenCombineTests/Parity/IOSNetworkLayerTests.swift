import DataTransferOpenCombine
import Foundation
import NetworkTesting
import Testing

extension Tag {
    /// Publishers
    @Tag static var publishers: Tag
}

/// What iOS-Network-Layer offers as "Combine and async over one surface", used as its README does: the same calls, once with `await` and
/// once with a publisher.
@Suite("iOS-Network-Layer, publishers", .tags(.publishers), .timeLimit(.minutes(10))) struct IOSNetworkLayerTests {
    struct Check: Codable, Sendable, Equatable {
        var id: Int
        var name: String
    }

    /// A data source as that README shows one, in both styles.
    struct CheckDataSource {
        let dataTransferService: any DataTransferService
        let list = Endpoint<[Check]>(path: "3/checks", queryParameters: ["language": "en"], keyPath: "results")
        let files = Endpoint<Check>(path: "files")

        func checkList() async throws -> [Check] {
            try await dataTransferService.request(list)
        }

        func checkListPublisher() -> AnyPublisher<[Check], DataTransferError> {
            dataTransferService.requestPublisher(list)
        }

        func download() async throws -> [Check] {
            try await dataTransferService.download(list)
        }

        func downloadPublisher() -> AnyPublisher<[Check], DataTransferError> {
            dataTransferService.downloadPublisher(list)
        }

        func upload(_ check: Check, progress: ProgressMonitor) async throws -> Check {
            try await dataTransferService.upload(.json(check), to: files, progress: progress)
        }

        func uploadPublisher(_ check: Check, progress: ProgressMonitor) -> AnyPublisher<Check, DataTransferError> {
            dataTransferService.uploadPublisher(.json(check), to: files, progress: progress)
        }

        func upload(multipartFormData: (inout MultipartForm) -> Void) async throws -> Check {
            try await dataTransferService.upload(.multipart(multipartFormData), to: files)
        }

        func uploadPublisher(multipartFormData: (inout MultipartForm) -> Void) -> AnyPublisher<Check, DataTransferError> {
            dataTransferService.uploadPublisher(.multipart(multipartFormData), to: files)
        }
    }

    let server: LoopbackServer
    let dataSource: CheckDataSource

    init() throws {
        server = try LoopbackServer {
            LoopbackRoute(.get, "/3/checks") { _ in .json(#"{"results": [{"id": 1, "name": "a"}]}"#) }
            LoopbackRoute(.post, "/files") { request in
                let isForm = request.headers["Content-Type"]?.hasPrefix("multipart/form-data") == true
                return .json(#"{"id": 2, "name": "\#(isForm ? "form" : "value")"}"#)
            }
        }
        dataSource = CheckDataSource(
            dataTransferService: DefaultDataTransferService(
                configuration: APIConfiguration(baseURL: server.url, headers: ["X-Token": "t"], queryParameters: ["api_key": "k"])
            ))
    }

    @Test func `a request says the same both ways`() async throws {
        let value = try await dataSource.checkList()
        let published = await dataSource.checkListPublisher().recorded()
        #expect(value == [Check(id: 1, name: "a")] && published.values == [value] && published.isFinished)
        #expect(server.requests.map(\.target) == Array(repeating: "/3/checks?api_key=k&language=en", count: 2))
    }

    @Test func `a decoded download says the same both ways`() async throws {
        let value = try await dataSource.download()
        let published = await dataSource.downloadPublisher().recorded()
        #expect(published.values == [value] && published.isFinished)
    }

    @Test func `an upload says the same both ways, with progress`() async throws {
        let monitors = [ProgressMonitor(), ProgressMonitor()]
        let check = Check(id: 1, name: "a")
        let value = try await dataSource.upload(check, progress: monitors[0])
        let published = await dataSource.uploadPublisher(check, progress: monitors[1]).recorded()
        #expect(published.values == [value] && published.isFinished && value.name == "value")
        #expect(monitors.allSatisfy { $0.current?.bytesSent == 19 && $0.current?.isFinished == true })
        #expect(server.requests.allSatisfy { $0.headers["X-Token"] == "t" && $0.text == #"{"id":1,"name":"a"}"# })
    }

    @Test func `a form says the same both ways`() async throws {
        let value = try await dataSource.upload { $0.append("ada", name: "user") }
        let published = await dataSource.uploadPublisher { $0.append("ada", name: "user") }.recorded()
        #expect(published.values == [value] && published.isFinished && value.name == "form")
    }

    @Test func `a failure that comes before anybody listens is not lost`() async {
        let service = DefaultDataTransferService.make(StubSessionManager())
        let publisher = service.requestPublisher(Endpoint<Check>(path: "bad path/{id}"))
        let published = await publisher.recorded()
        #expect(published.error != nil && published.completions.count == 1)
    }
}
