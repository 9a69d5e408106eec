import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession)
struct RangeDownloadTests {
    private static let length = 4_000_000
    private static let options = DownloadOptions(maximumConcurrency: 4, minimumRangeBytes: 100_000)

    private let folder: TemporaryFolder
    private let served = ServedFile(sampleBytes(length), headers: ["ETag": "\"v1\"", "Accept-Ranges": "bytes"])
    private let server: LoopbackServer
    private let service: DefaultDataTransferService

    init() throws {
        folder = try TemporaryFolder()
        server = try served.server()
        service = server.service()
    }

    private var place: URL { folder.file("movie.mp4") }

    private func expectWhole(_ body: Data = sampleBytes(length), sourceLocation: SourceLocation = #_sourceLocation) throws {
        let isSame = try folder.contents("movie.mp4") == body
        #expect(isSame, sourceLocation: sourceLocation)
        #expect(folder.names == ["movie.mp4"] && folder.openDescriptors == 0, sourceLocation: sourceLocation)
    }

    @Test func `ranges that are loaded at the same time are the file`() async throws {
        let observer = RecordingObserver()
        let file = try await service.download(movie, to: .file(place), options: Self.options, progress: observer)
        #expect(file.byteCount == Self.length && file.resumedFrom == 0 && file.statusCode == 200)
        #expect(server.requests.first?.headers["Range"] == nil)
        // How much the first response brings before the others are sent depends on the load of the machine.
        #expect(server.ranges.dropFirst().allSatisfy { $0.hasPrefix("bytes=") })
        #expect(server.requests.dropFirst().allSatisfy { $0.headers["If-Range"] == "\"v1\"" })
        #expect(observer.events.last?.bytesReceived == Int64(Self.length) && observer.events.filter(\.isFinished).count == 1)
        try expectWhole()
    }

    @Test(
        arguments: [
            ["ETag": "\"v1\""], ["ETag": "W/\"v1\"", "Accept-Ranges": "bytes"], ["Accept-Ranges": "bytes"],
            ["ETag": "\"v1\"", "Accept-Ranges": "none"],
        ] as [HeaderFields])
    func `without ranges or a strong validator, there is one request`(headers: HeaderFields) async throws {
        served.change { $0.headers = headers }
        _ = try await service.download(movie, to: .file(place), options: Self.options)
        #expect(server.ranges == [""])
        try expectWhole()
    }

    @Test func `a file that is smaller than two ranges is loaded with one request`() async throws {
        let options = DownloadOptions(maximumConcurrency: 4, minimumRangeBytes: 3_000_000)
        _ = try await service.download(movie, to: .file(place), options: options)
        #expect(server.ranges == [""])
        try expectWhole()
    }

    @Test(arguments: [200, 206, 404, 416, 503])
    func `if requests of ranges are refused, the first response loads the file`(status: Int) async throws {
        served.change { content in
            content.replacement = { request, response in
                guard request.headers["Range"] != nil else { return response }
                var refused = response
                refused.status = status
                refused.headers["Content-Range"] = status == 206 ? "bytes 0-9/4000000" : nil
                refused.body = Data("no range".utf8)
                return refused
            }
        }
        _ = try await service.download(movie, to: .file(place), options: Self.options)
        try expectWhole()
    }

    @Test func `ranges of another version are not combined with the file`() async throws {
        let changed = sampleBytes(Self.length, seed: 2)
        served.change { content in
            content.replacement = { request, response in
                guard request.headers["Range"] != nil else { return response }
                // A server that ignores If-Range.
                var other = response
                other.headers["ETag"] = "\"v2\""
                other.body = changed.prefix(response.body.count)
                return other
            }
        }
        _ = try await service.download(movie, to: .file(place), options: Self.options)
        try expectWhole()
    }

    @Test(arguments: [1, 3]) func `an interrupted download continues with the missing ranges`(concurrency: Int) async throws {
        served.change { $0.faults = Array(repeating: .truncateBody(after: 300_000), count: 20) }
        let error = try await downloadFailure { try await service.download(movie, to: .file(place), options: Self.options) }
        #expect(error.networkError?.transportError?.code == .incompleteBody)
        #expect(folder.names == [".movie.mp4.partial", ".movie.mp4.partial.json"] && folder.openDescriptors == 0)
        let left = try #require(try await PartialDownload.all(in: folder.url).first)
        #expect(left.isResumable && left.byteCount >= 300_000 && left.byteCount <= 4 * 300_000 * 2)
        served.change {
            $0.faults = []
            $0.sent = 0
        }
        var options = Self.options
        options.maximumConcurrency = concurrency
        let file = try await service.download(movie, to: .file(place), options: options)
        #expect(file.resumedFrom == left.byteCount)
        try expectWhole()
    }

    @Test(.notOverURLSession(.pauses))
    func `a download that one request began continues with several`() async throws {
        served.change { $0.faults = [.truncateBody(after: 1_000_000)] }
        _ = try await downloadFailure {
            try await service.download(movie, to: .file(place))
        }
        server.forgetRequests()
        let file = try await service.download(movie, to: .file(place), options: Self.options)
        #expect(file.resumedFrom == 1_000_000 && server.ranges.first == "bytes=1000000-" && server.ranges.count >= 2)
        try expectWhole()
    }

    @Test func `a resource that changed before the ranges are continued is loaded from the beginning`() async throws {
        served.change { $0.faults = Array(repeating: .truncateBody(after: 300_000), count: 20) }
        _ = try await downloadFailure { try await service.download(movie, to: .file(place), options: Self.options) }
        let changed = sampleBytes(3_000_000, seed: 2)
        served.change {
            $0.faults = []
            $0.body = changed
            $0.headers["ETag"] = "\"v2\""
        }
        #expect(try await service.download(movie, to: .file(place), options: Self.options).resumedFrom == 0)
        try expectWhole(changed)
    }

    @Test func `a digest is checked over all ranges`() async throws {
        var options = Self.options
        options.digest = .sha256(String(repeating: "0", count: 64))
        let error = try await downloadFailure { try await service.download(movie, to: .file(place), options: options) }
        #expect(error.fileFailure?.code == .digestMismatch && folder.names == [])
    }

    @Test(arguments: [
        DownloadOptions(maximumConcurrency: 0), DownloadOptions(maximumConcurrency: 65), DownloadOptions(minimumRangeBytes: 0),
    ])
    func `options outside their limits are refused`(options: DownloadOptions) async throws {
        let error = try await downloadFailure { try await service.download(movie, to: .file(place), options: options) }
        #expect(error.fileFailure?.code == .invalidOptions && server.requestCount == 0)
    }
}
