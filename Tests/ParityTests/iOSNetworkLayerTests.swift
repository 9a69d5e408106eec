import DataTransfer
import EndpointAPIs
import Foundation
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

/// The features of iOS-Network-Layer, used as in its README: data sources that use a service to request, download and upload, with
/// progress; adapters and retries of the service.
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

        func checkList() async throws -> [Check] {
            try await dataTransferService.request(
                Endpoint<[Check]>(path: "3/checks", queryParameters: ["language": "en"], keyPath: "results"))
        }

        func upload(_ value: String, url: URL, progress: ProgressMonitor) async throws {
            try await dataTransferService.upload(
                .json(value), to: Endpoint<Void>(path: url.absoluteString, isFullPath: true), progress: progress)
        }

        func upload(
            multipartFormData: (inout MultipartForm) -> Void, to url: URL, progress: ProgressMonitor
        ) async throws -> Stored {
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
            LoopbackRoute(.post, "/slow") { _ in LoopbackResponse.text("123").fault(.drip(bytes: 1, every: .milliseconds(60))) }
            LoopbackRoute(.get, "/film") { _ in .data(Data(repeating: 7, count: 300_000)) }
            LoopbackRoute(.get, "/log") { _ in .text("id=1;name=a\nid=2;name=b\n") }
        }
        let configuration = APIConfiguration(
            baseURL: server.url, headers: ["X-Token": "t"], queryParameters: ["api_key": "k"])
        dataSource = CheckDataSource(dataTransferService: DefaultDataTransferService(configuration: configuration))
    }

    @Test(.tags(.decoders, .downloads)) func `a data source requests the value at a key path, or downloads it`() async throws {
        #expect(try await dataSource.checkList() == [Check(id: 1, name: "a")])
        let endpoint = Endpoint<[Check]>(path: "3/checks", keyPath: "results")
        let service = dataSource.dataTransferService
        let result = await outcome { TaskCancellable({ try await service.download(endpoint) }, completion: $0) }
        #expect(try result.get() == [Check(id: 1, name: "a")])
        #expect(server.requests.map(\.target) == ["/3/checks?api_key=k&language=en", "/3/checks?api_key=k"])
    }

    private func last(_ progress: ProgressMonitor) async -> TransferProgress? {
        var last: TransferProgress?
        for await state in progress { last = state }
        return last
    }

    @Test(.tags(.uploadProgress)) func `a value is encoded and uploaded to a URL, with progress`() async throws {
        let progress = ProgressMonitor()
        try await dataSource.upload("hello", url: server.url("/files"), progress: progress)
        let request = try #require(server.requests.first)
        #expect(request.text == #""hello""# && request.headers["Content-Type"] == "application/json")
        let last = await last(progress)
        #expect(last?.fractionSent == 1 && last?.bytesSent == 7 && last?.isFinished == true)
    }

    @Test(.tags(.multipartForms)) func `a form that a closure builds is uploaded to a URL, with progress`() async throws {
        let progress = ProgressMonitor()
        let stored = try await dataSource.upload(
            multipartFormData: { form in
                form.append("ada", name: "user")
                form.append(.data(Data(count: 200_000)), name: "picture", fileName: "ada.png")
            }, to: server.url("/files"), progress: progress)
        #expect(stored.bytes > 200_000 && stored.contentType.hasPrefix("multipart/form-data; boundary="))
        #expect(stored.token == "t", "the configuration is merged into uploads, too")
        let last = await last(progress)
        #expect(last?.bytesSent == Int64(stored.bytes) && last?.fraction == 1)
    }

    private final class Counting: TransferProgressObserver {
        let count = Locked(0)

        func transferDidProgress(_ progress: TransferProgress) {
            count.withLock { $0 += 1 }
        }
    }

    @Test(.tags(.completions, .uploadProgress)) func `an upload completes once, after several updates of its progress`()
        async throws
    {
        let calls = Locked(0)
        let progress = Counting()
        let service = dataSource.dataTransferService
        let result = await outcome { done in
            TaskCancellable {
                try await service.upload(.json([1, 2]), to: Endpoint<Int>(path: "slow"), progress: progress)
            } completion: { result in
                calls.withLock { $0 += 1 }
                done(result)
            }
        }
        #expect(try result.get() == 123 && progress.count.withLock { $0 } > 1 && calls.withLock { $0 } == 1)
    }

    @Test(.tags(.customErrors)) func `a failed upload is an error with the server's message`() async throws {
        let session = StubSessionManager(returning: .json(#"{"status": "error", "message": "Too large"}"#, status: 413))
        let service = DefaultDataTransferService.make(session, resolver: ErrorBodyResolver<EnvelopeError>())
        let error = await #expect(throws: DataTransferError.self) {
            try await service.upload(.json("a"), to: Endpoint<Void>(path: "files"))
        }
        #expect(error?.resolved(as: EnvelopeError.self)?.message == "Too large" && error?.statusCode == 413)
    }

    @Test(.tags(.downloads)) func `a raw download is saved to a file and reports progress`() async throws {
        let folder = try TemporaryFolder()
        let progress = ProgressMonitor()
        let file = try await dataSource.dataTransferService.download(
            Endpoint<Void>(path: "film"), to: .file(folder.file("film.mp4")), progress: progress)
        #expect(try file.byteCount == 300_000 && folder.contents("film.mp4") == Data(repeating: 7, count: 300_000))
        let last = await last(progress)
        #expect(last?.isFinished == true && last?.bytesReceived == 300_000 && last?.fractionReceived == 1)
    }

    @Test(.tags(.parsedStreams)) func `a streaming request passes each line to a parser closure`() async throws {
        let parse: @Sendable (String) -> Check? = { line in
            let parts = line.split(separator: ";").compactMap { $0.split(separator: "=").last.map(String.init) }
            return parts.count == 2 ? Int(parts[0]).map { Check(id: $0, name: parts[1]) } : nil
        }
        let parsed = Locked<[Check]>([])
        let service = dataSource.dataTransferService
        let result = await outcome { done in
            TaskCancellable {
                try await service.stream(Endpoint<Void>(path: "log"), as: .lines())
            } onElement: { line in
                if let check = parse(line) { parsed.withLock { $0.append(check) } }
            } completion: {
                done($0.map { _ in true })
            }
        }
        #expect(try result.get())
        #expect(parsed.withLock { $0 } == [Check(id: 1, name: "a"), Check(id: 2, name: "b")])
    }

    @Test(.tags(.computedConfiguration, .customErrors, .retriesAndHeaders))
    func `a service has a configuration for each request, adapters for headers and errors, and retries that each call counts`()
        async throws
    {
        struct Unavailable: Error {}
        struct Adapter: DataTransferErrorResolver {
            func resolve(error: NetworkError) -> any Error & Sendable { error.statusCode == 503 ? Unavailable() : error }
        }
        let session = StubSessionManager(returning: .status(503))
        let version = Locked(0)
        let configuration: any NetworkConfigurable = .computed {
            APIConfiguration.test("https://api.test/v\(version.withLock { $0 += 1; return $0 })")
        }
        let retries = RetryOptions(maximumAttempts: 3, backoff: Backoff(base: .microseconds(1)))
        let service = DefaultDataTransferService.make(
            session, configuration: configuration,
            interceptors: [.retry(retries, budget: nil), .headers(for: APIConfiguration.test()) { _ in ["X-Session": "7"] }],
            resolver: Adapter())
        for _ in 1...2 {
            #expect(await failure(of: service, Endpoint<Void>(path: "a"))?.resolved(as: Unavailable.self) != nil)
        }
        #expect(session.requests.map(\.url.path) == ["/v1/a", "/v1/a", "/v1/a", "/v2/a", "/v2/a", "/v2/a"])
        #expect(session.requests.allSatisfy { $0.headers["X-Session"] == "7" })
    }

    @Test(.tags(.retriesAndHeaders)) func `reachability is checked before a request is sent`() async throws {
        let session = StubSessionManager(returning: .status(204))
        let service = DefaultDataTransferService.make(session, interceptors: [ReachabilityInterceptor { _ in false }])
        let error = await failure(of: service, Endpoint<Void>(path: "a"))
        #expect(error?.isConnectivity == true && session.requests.isEmpty)
    }
}
