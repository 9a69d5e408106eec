import DataTransfer
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession)
struct ResumeTests {
    private static let length = 700_000
    private static let cut = 300_000

    private let folder: TemporaryFolder
    private let served = ServedFile(sampleBytes(length))
    private let server: LoopbackServer
    private let service: DefaultDataTransferService

    init() throws {
        folder = try TemporaryFolder()
        server = try served.server()
        service = server.service()
    }

    private var place: URL { folder.file("movie.mp4") }

    /// Starts a download that is interrupted after ``cut`` bytes.
    private func interrupt(_ options: DownloadOptions = DownloadOptions()) async throws {
        served.change { $0.faults = [.truncateBody(after: Self.cut)] }
        let error = try await downloadFailure { try await service.download(movie, to: .file(place), options: options) }
        #expect(error.networkError?.transportError?.code == .incompleteBody)
        #expect(folder.openDescriptors == 0)
        server.forgetRequests()
        served.change { $0.sent = 0 }
    }

    private func expectWhole(_ body: Data = sampleBytes(length), sourceLocation: SourceLocation = #_sourceLocation) throws {
        // `#expect(a == b)` would print both bodies.
        let isSame = try folder.contents("movie.mp4") == body
        #expect(isSame, sourceLocation: sourceLocation)
        #expect(folder.names == ["movie.mp4"] && folder.openDescriptors == 0, sourceLocation: sourceLocation)
    }

    @Test func `bytes that were received are not requested again`() async throws {
        try await interrupt()
        #expect(folder.names == [".movie.mp4.partial", ".movie.mp4.partial.json"])
        #expect(try folder.contents(".movie.mp4.partial") == sampleBytes(Self.length).prefix(Self.cut))
        let observer = RecordingObserver()
        let file = try await service.download(movie, to: .file(place), progress: observer)
        #expect(file.resumedFrom == Self.cut && file.statusCode == 206 && file.byteCount == Self.length)
        #expect(server.ranges == ["bytes=300000-"] && server.requests.first?.headers["If-Range"] == "\"v1\"")
        #expect(served.content.withLock(\.sent) == Self.length - Self.cut)
        // The totals are those of the complete file.
        #expect(observer.events.allSatisfy { $0.bytesReceived >= Self.cut && $0.totalBytesToReceive == 700_000 })
        #expect(observer.events.last?.bytesReceived == 700_000 && observer.events.filter(\.isFinished).count == 1)
        try expectWhole()
    }

    @Test func `a download can be interrupted and resumed many times`() async throws {
        served.change { $0.faults = Array(repeating: .truncateBody(after: 100_000), count: 6) }
        var failures = 0
        while failures < 6 {
            do {
                _ = try await service.download(movie, to: .file(place))
                break
            } catch {
                failures += 1
            }
        }
        #expect(failures == 6)
        #expect(try await service.download(movie, to: .file(place)).resumedFrom == 600_000)
        // 7 + 6 + 5 + 4 + 3 + 2 + 1 pieces of 100,000 bytes.
        #expect(served.content.withLock(\.sent) == 2_800_000)
        try expectWhole()
    }

    @Test func `a changed resource is downloaded from the beginning by the same request`() async throws {
        try await interrupt()
        let changed = sampleBytes(500_000, seed: 2)
        served.change { content in
            content.body = changed
            content.headers["ETag"] = "\"v2\""
        }
        let observer = RecordingObserver()
        let file = try await service.download(movie, to: .file(place), progress: observer)
        #expect(file.resumedFrom == 0 && file.statusCode == 200 && server.ranges == ["bytes=300000-"])
        #expect(observer.events.last?.bytesReceived == 500_000)
        try expectWhole(changed)
    }

    @Test func `a download from a server without support for ranges starts from the beginning`() async throws {
        try await interrupt()
        served.change { content in
            content.replacement = { [body = content.body] _, _ in LoopbackResponse(headers: ["ETag": "\"v1\""], body: body) }
        }
        #expect(try await service.download(movie, to: .file(place)).resumedFrom == 0)
        #expect(server.requestCount == 1)
        try expectWhole()
    }

    @Test func `a download that restarted can be resumed`() async throws {
        try await interrupt()
        let changed = sampleBytes(500_000, seed: 2)
        served.change { content in
            content.body = changed
            content.headers["ETag"] = "\"v2\""
            content.faults = [.truncateBody(after: 10_000)]
        }
        _ = try await downloadFailure {
            try await service.download(movie, to: .file(place))
        }
        #expect(try await service.download(movie, to: .file(place)).resumedFrom == 10_000)
        try expectWhole(changed)
    }

    // MARK: Validators

    @Test(
        arguments: [
            [:], ["ETag": "W/\"v1\""], ["ETag": "v1"], ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"],
            ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:50:00 GMT"],
            ["ETag": "W/\"v1\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Mon, 07 Nov 1994 08:49:37 GMT"],
        ] as [HeaderFields])
    func `without a strong validator no partial file is kept`(headers: HeaderFields) async throws {
        served.change { $0.headers = headers }
        try await interrupt()
        #expect(folder.names == [])
        #expect(try await service.download(movie, to: .file(place)).resumedFrom == 0)
        #expect(server.ranges == [""])
    }

    @Test(.notOverURLSession(.codings))
    func `no partial file of a response with a content coding is kept`() async throws {
        served.change { $0.headers = ["ETag": "\"v1\"", "Content-Encoding": "compress"] }
        try await interrupt()
        #expect(folder.names == [])
        #expect(try await service.download(movie, to: .file(place)).resumedFrom == 0)
        #expect(server.ranges == [""])
    }

    @Test func `a modification date 60 seconds before the Date field is a strong validator`() async throws {
        served.change {
            $0.headers = ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:50:37 GMT"]
        }
        try await interrupt()
        #expect(try await service.download(movie, to: .file(place)).resumedFrom == 300_000)
        #expect(server.requests.first?.headers["If-Range"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        try expectWhole()
    }

    @Test func `the record of an earlier response is removed before bytes that cannot be resumed are written`() async throws {
        try await interrupt()
        served.change { content in
            content.headers = [:]
            content.body = sampleBytes(Self.length, seed: 2)
            content.faults = [.stallBody(after: 400_000)]
        }
        let (service, place) = (service, place)
        let task = Task { try await service.download(movie, to: .file(place)) }
        try await folder.waitForBytes(400_000, in: ".movie.mp4.partial")
        #expect(folder.names == [".movie.mp4.partial"])
        task.cancel()
        _ = await task.result
        #expect(folder.names == [])
    }

    @Test func `if the options disable resuming, a download is not resumed and leaves no partial file`() async throws {
        try await interrupt(DownloadOptions(resumes: false))
        #expect(folder.names == [])
        try await interrupt()
        #expect(try await service.download(movie, to: .file(place), options: DownloadOptions(resumes: false)).resumedFrom == 0)
        #expect(server.ranges == [""])
        try expectWhole()
    }

    // MARK: Partial files that are not used

    @Test func `a partial file of a different endpoint is not used`() async throws {
        try await interrupt()
        let other = Endpoint<Void>(path: "files/movie.mp4", queryParameters: ["version": 2])
        #expect(try await service.download(other, to: .file(place)).resumedFrom == 0)
        #expect(server.ranges == [""])
        try expectWhole()
    }

    @Test func `a partial file from a different server is not used`() async throws {
        try await interrupt()
        let otherFile = ServedFile(sampleBytes(Self.length, seed: 3))
        let other = try otherFile.server()
        #expect(try await other.service().download(movie, to: .file(place)).resumedFrom == 0)
        #expect(other.ranges == ["bytes=300000-", ""])
        try expectWhole(sampleBytes(Self.length, seed: 3))
    }

    @Test(
        arguments: [
            "", "{}", "not JSON", #"{"version":2}"#, String(repeating: "x", count: 100_000),
        ])
    func `a partial file with a damaged record is not used`(text: String) async throws {
        try await interrupt()
        try Data(text.utf8).write(to: folder.file(".movie.mp4.partial.json"))
        #expect(try await service.download(movie, to: .file(place)).resumedFrom == 0)
        #expect(server.ranges == [""])
        try expectWhole()
    }

    @Test(
        arguments: [
            (["name"], #""../../escaped.txt""#), (["name"], #""/etc/escaped.txt""#), (["name"], #""a\u0000b""#),
            (["name"], #"".hidden""#), (["name"], #""..""#), (["name"], #""NUL""#), (["name"], #""""#),
            (["name"], "\"\(String(repeating: "n", count: 256))\""), (["total"], "-1"), (["total"], "9223372036854775807"),
            (["validator", "text"], #""W/weak""#), (["validator", "text"], #""\"x\r\nHost: other\"""#),
            (["digest"], #""0123""#), (["location"], #""""#), (["location"], #""../..""#),
        ])
    func `a partial file with a manipulated record is not used, and no file outside the folder is written`(
        path: [String], value: String
    ) async throws {
        let inner = folder.url.appendingPathComponent("a/b/c", isDirectory: true)
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        served.change { $0.faults = [.truncateBody(after: Self.cut)] }
        _ = try await downloadFailure { try await service.download(movie, to: .folder(inner)) }
        server.forgetRequests()
        let names = try FileManager.default.contentsOfDirectory(atPath: inner.path).sorted()
        #expect(names.count == 2)
        let file = inner.appendingPathComponent(try #require(names.last))
        var record = try #require(try JSONSerialization.jsonObject(with: try Data(contentsOf: file)) as? [String: Any])
        let changed = try JSONSerialization.jsonObject(with: Data(value.utf8), options: .fragmentsAllowed)
        record[path[0]] = path.count == 1 ? changed : [path[1]: changed]
        try JSONSerialization.data(withJSONObject: record).write(to: file)
        let downloaded = try await service.download(movie, to: .folder(inner))
        #expect(downloaded.resumedFrom == 0 && server.ranges == [""])
        #expect(downloaded.url.path == inner.appendingPathComponent("movie.mp4").path)
        #expect(folder.names == ["a"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: inner.path) == ["movie.mp4"])
    }

    @Test(arguments: [".movie.mp4.partial", ".movie.mp4.partial.json"], [0o620, 0o602, 0o666])
    func `a partial file that other users can write to is not used`(name: String, permissions: Int) async throws {
        try await interrupt()
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: folder.file(name).path)
        #expect(try await service.download(movie, to: .file(place)).resumedFrom == 0)
        #expect(server.ranges == [""])
        try expectWhole()
    }

    @Test(
        .needs("root, which can give a file away", geteuid() == 0, run: "sudo swift test --filter ResumeTests"),
        arguments: [".movie.mp4.partial", ".movie.mp4.partial.json"])
    func `a partial file of another user is not used`(name: String) async throws {
        try await interrupt()
        #expect(chown(folder.file(name).path, 65534, 65534) == 0)
        #expect(try await service.download(movie, to: .file(place)).resumedFrom == 0)
        #expect(server.ranges == [""])
        try expectWhole()
    }

    @Test func `a symbolic link is neither read as a record nor written through`() async throws {
        try await interrupt()
        let record = folder.file(".movie.mp4.partial.json")
        try FileManager.default.moveItem(at: record, to: folder.file("elsewhere.json"))
        try FileManager.default.createSymbolicLink(at: record, withDestinationURL: folder.file("elsewhere.json"))
        #expect(try await service.download(movie, to: .file(place)).resumedFrom == 0)
        #expect(folder.names == ["elsewhere.json", "movie.mp4"])
        try Data("precious".utf8).write(to: folder.file("precious"))
        try FileManager.default.createSymbolicLink(
            at: folder.file(".movie.mp4.partial"), withDestinationURL: folder.file("precious"))
        let error = try await downloadFailure { try await service.download(movie, to: .file(place)) }
        #expect(error.fileFailure?.code == .notWritable && "\(error)".contains("symbolic link"))
        #expect(try folder.contents("precious") == Data("precious".utf8))
    }

    @Test func `a partial file without a record, or longer than the whole content, is not used`() async throws {
        try await interrupt()
        try FileManager.default.removeItem(at: folder.file(".movie.mp4.partial.json"))
        #expect(try await service.download(movie, to: .file(place)).resumedFrom == 0)
        try await interrupt()
        try sampleBytes(Self.length + 1).write(to: folder.file(".movie.mp4.partial"))
        #expect(try await service.download(movie, to: .file(place)).resumedFrom == 0)
        #expect(server.ranges == [""])
        try expectWhole()
    }

    @Test func `a download does not write through a hard link`() async throws {
        try await interrupt()
        try Data("precious".utf8).write(to: folder.file("precious"))
        try FileManager.default.removeItem(at: folder.file(".movie.mp4.partial"))
        try FileManager.default.linkItem(at: folder.file("precious"), to: folder.file(".movie.mp4.partial"))
        _ = try await service.download(movie, to: .file(place))
        #expect(try folder.contents("precious") == Data("precious".utf8))
        #expect(folder.names == ["movie.mp4", "precious"])
    }

    @Test func `the record contains no secrets and is readable only by its owner`() async throws {
        served.change { $0.faults = [.truncateBody(after: 1000)] }
        let endpoint = Endpoint<Void>(
            path: "files/movie.mp4", headerParameters: ["Authorization": "Bearer hunter2"], queryParameters: ["token": "hunter2"])
        _ = try await downloadFailure { try await service.download(endpoint, to: .file(place)) }
        let record = String(decoding: try folder.contents(".movie.mp4.partial.json"), as: UTF8.self)
        #expect(!record.contains("hunter2") && !record.contains("127.0.0.1") && record.contains("v1"))
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(".movie.mp4.partial.json").path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    // MARK: 416

    @Test func `a complete partial file is finished by a 416 without another transfer`() async throws {
        try await interrupt()
        try sampleBytes(Self.length).write(to: folder.file(".movie.mp4.partial"))
        let observer = RecordingObserver()
        let file = try await service.download(movie, to: .file(place), progress: observer)
        #expect(file.statusCode == 416 && file.resumedFrom == 700_000 && file.byteCount == 700_000)
        #expect(served.content.withLock(\.sent) == 0 && server.requestCount == 1)
        #expect(observer.events.map(\.bytesReceived) == [700_000] && observer.events.last?.isFinished == true)
        try expectWhole()
    }

    @Test(arguments: ["bytes */600000", "bytes */*", "nonsense", nil])
    func `a 416 with a different or missing length restarts the download once`(range: String?) async throws {
        try await interrupt()
        served.change { content in
            content.replacement = { request, response in
                guard request.headers["Range"] != nil else { return response }
                return LoopbackResponse(status: 416, headers: range.map { ["Content-Range": $0] } ?? [:])
            }
        }
        #expect(try await service.download(movie, to: .file(place)).resumedFrom == 0)
        #expect(server.ranges == ["bytes=300000-", ""])
        try expectWhole()
    }

    @Test func `a 416 to a request without a range is an error`() async throws {
        served.change { content in content.replacement = { _, _ in .status(416) } }
        let error = try await downloadFailure { try await service.download(movie, to: .file(place)) }
        #expect(error.statusCode == 416 && server.requestCount == 1 && folder.names == [])
    }

    // MARK: Parts other than the requested one

    @Test(
        arguments: [
            ["Content-Range": "bytes 299999-699998/700000"], ["Content-Range": "bytes 0-399999/700000"],
            ["Content-Range": "bytes 300000-699999/700001"], ["Content-Range": "bytes 300000-599999/700000"],
            ["Content-Range": "bytes 300000-699999"], ["Content-Range": "bytes */700000"], ["Content-Range": nil],
            ["Content-Type": "multipart/byteranges; boundary=x"],
        ] as [[String: String?]])
    func `a part other than the requested one is an error, and no partial file is kept`(changes: [String: String?]) async throws {
        try await interrupt()
        served.change { content in
            content.replacement = { _, response in
                var response = response
                for (name, value) in changes { response.headers[name] = value }
                return response
            }
        }
        let error = try await downloadFailure { try await service.download(movie, to: .file(place)) }
        #expect(error.fileFailure?.code == .rangeMismatch, "\(error)")
        #expect(folder.names == [] && folder.openDescriptors == 0)
        // The next attempt starts from the beginning and succeeds.
        served.change { $0.replacement = nil }
        #expect(try await service.download(movie, to: .file(place)).resumedFrom == 0)
        try expectWhole()
    }

    @Test func `more bytes than the Content-Range specifies are an error`() async throws {
        try await interrupt()
        served.change { content in
            content.replacement = { _, response in
                LoopbackResponse.chunked([response.body, Data("more".utf8)], status: 206, headers: response.headers)
            }
        }
        let error = try await downloadFailure { try await service.download(movie, to: .file(place)) }
        #expect(error.fileFailure?.code == .rangeMismatch && folder.names == [])
    }

    @Test(
        arguments: [
            ["ETag": "\"v2\""], ["Content-Encoding": "gzip"],
        ] as [HeaderFields])
    func `a part of a different version restarts the download`(headers: HeaderFields) async throws {
        try await interrupt()
        served.change { content in
            content.replacement = { _, response in
                var response = response
                guard response.status == 206 else { return response }
                for field in headers { response.headers[field.name] = field.value }
                return response
            }
        }
        #expect(try await service.download(movie, to: .file(place)).resumedFrom == 0)
        #expect(server.ranges == ["bytes=300000-", ""])
        try expectWhole()
    }

    @Test func `a part shorter than requested is kept, and the next download requests the rest`() async throws {
        try await interrupt()
        served.change { content in
            content.replacement = { _, response in
                var response = response
                response.body = response.body.prefix(100_000)
                response.headers["Content-Range"] = "bytes 300000-399999/700000"
                return response
            }
        }
        let error = try await downloadFailure { try await service.download(movie, to: .file(place)) }
        #expect(error.fileFailure?.code == .lengthMismatch && error.isRetryable)
        served.change { $0.replacement = nil }
        #expect(try await service.download(movie, to: .file(place)).resumedFrom == 400_000)
        try expectWhole()
    }

    @Test func `a part in response to a request without a range is an error`() async throws {
        served.change { content in
            content.replacement = { _, response in
                LoopbackResponse(status: 206, headers: ["Content-Range": "bytes 0-0/2"], body: response.body.prefix(1))
            }
        }
        let error = try await downloadFailure { try await service.download(movie, to: .file(place)) }
        #expect(error.fileFailure?.code == .rangeMismatch && folder.names == [])
        // An endpoint with its own `Range` header accepts a part.
        let part = Endpoint<Void>(path: "files/movie.mp4", headerParameters: ["Range": "bytes=0-0"])
        #expect(try await service.download(part, to: .file(place)).byteCount == 1)
    }

    @Test func `a partial response is kept only for GET`() async throws {
        served.change { $0.faults = [.truncateBody(after: 1000)] }
        let endpoint = Endpoint<Void>(path: "files/movie.mp4", method: .post, body: .text("which"))
        _ = try await downloadFailure { try await service.download(endpoint, to: .file(place)) }
        #expect(folder.names == [])
    }

    @Test func `a resumed download to a folder keeps the file name of the first response`() async throws {
        served.change { content in
            content.headers["Content-Disposition"] = "attachment; filename=\"first.mp4\""
            content.faults = [.truncateBody(after: 1000)]
        }
        _ = try await downloadFailure { try await service.download(movie, to: .folder(folder.url)) }
        #expect(folder.names.count == 2)
        served.change { $0.headers["Content-Disposition"] = nil }
        let file = try await service.download(movie, to: .folder(folder.url))
        #expect(file.url.lastPathComponent == "first.mp4" && file.resumedFrom == 1000 && folder.names == ["first.mp4"])
    }
}
