import DataTransfer
import Foundation
import NetworkCore
import NetworkTesting
import ResumableUploads
import TransferTestSupport

/// The calls of a data transfer service.
extension ExtremeCall {
    private static let url = URL(string: "https://api.test/a")!
    private static let get = Endpoint<String>(path: "a", responseDecoder: .text)

    private static func makeService(_ body: String = "ok") -> DefaultDataTransferService {
        let session = StubSessionManager()
        session.route { _ in .text(body, headers: ["Link": "<?n=\(UUID())>; rel=next", "Content-Type": "text/event-stream"]) }
        return DefaultDataTransferService(configuration: APIConfiguration(baseURL: url), sessionManager: session)
    }

    static let transfers: [ExtremeCall] = [
        ExtremeCall(
            "DataTransferService.concurrently(_:maximumConcurrency:)",
            "DataTransferService.concurrently(collecting:maximumConcurrency:)",
            "DataTransferService.results(of:maximumConcurrency:)"
        ) {
            let service = makeService()
            for (limit, count) in Extreme.integers.flatMap({ limit in [0, 1, runs(5, slow: 20)].map { (limit, $0) } }) {
                let endpoints = Array(repeating: get, count: count)
                _ = try? await service.concurrently(endpoints, maximumConcurrency: limit)
                _ = await service.concurrently(collecting: endpoints, maximumConcurrency: limit)
                for await result in service.results(of: endpoints, maximumConcurrency: limit) { describe(result) }
            }
        },
        ExtremeCall(
            "DataTransferService.pages(of:by:maximumPages:)", "PageRule.number(_:first:isLast:)", "PageRule.cursor(_:_:)"
        ) {
            let service = makeService()
            func read(_ rule: PageRule<String>, _ maximum: Int) async {
                var count = 0
                do {
                    for try await _ in service.pages(of: get, by: rule, maximumPages: maximum) {
                        count += 1
                        if count == 5 { break }
                    }
                } catch {
                    describe(error)
                }
            }
            for number in Extreme.integers {
                for rule in [PageRule<String>.linkHeader, .number("n", first: number) { _ in false }, .cursor("c") { _ in "c" }] {
                    await read(rule, number)
                }
            }
            for text in Extreme.shortTexts {
                await read(.number(text) { _ in false }, 3)
                await read(.cursor(text) { _ in text }, 3)
            }
        },
        ExtremeCall(
            "DataTransferService.events(_:options:lastEventID:maximumEventBytes:)",
            "EventStreamOptions.init(maximumAttempts:backoff:clock:)"
        ) {
            let service = makeService("retry: 99999999999999999999\ndata: a\n\n")
            func read(_ options: EventStreamOptions, _ id: String = "", _ bytes: Int = 1000) async {
                await cancelling {
                    for try await event in service.events(
                        get, options: options, lastEventID: id, maximumEventBytes: bytes)
                    {
                        describe(event)
                        return
                    }
                }
                let task = Task {
                    var count = 0
                    for try await _ in service.events(get, options: options, lastEventID: id, maximumEventBytes: bytes) {
                        count += 1
                        if count == 2 { return }
                    }
                }
                // The service pauses before it reconnects.
                let watch = Task {
                    try await ContinuousClock().sleep(for: .milliseconds(10))
                    task.cancel()
                }
                _ = await task.result
                watch.cancel()
            }
            for number in Extreme.integers {
                await read(
                    EventStreamOptions(maximumAttempts: number, backoff: Backoff(base: .zero, maximumDelay: .zero)), "", number)
            }
            for time in Extreme.durations {
                await read(EventStreamOptions(backoff: Backoff(base: time, maximumDelay: .seconds(60), isRandom: false)))
                await read(EventStreamOptions(backoff: Backoff(maximumDelay: time, isRandom: false)))
                await read(EventStreamOptions(backoff: Backoff(base: time, maximumDelay: time, isRandom: false)))
            }
            for text in Extreme.texts { await read(EventStreamOptions(maximumAttempts: 1), text) }
        },
        ExtremeCall(
            "DownloadOptions.init(existingFile:digest:resumes:resumeIdentity:maximumBytes:permissions:flushesToDisk:maximumConcurrency:minimumRangeBytes:)"
        ) {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("extremes-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let service = makeService()
            for number in Extreme.wide {
                let options = DownloadOptions(maximumBytes: number)
                _ = try? await service.download(get, to: .file(folder.appendingPathComponent("a")), options: options)
                describe(DownloadedFile(url: url, byteCount: number, statusCode: Int(number), resumedFrom: number))
            }
            for number in Extreme.integers {
                for options in [
                    DownloadOptions(maximumConcurrency: number),
                    DownloadOptions(maximumConcurrency: 2, minimumRangeBytes: Int64(number)),
                ] { _ = try? await service.download(get, to: .folder(folder), options: options) }
            }
            for permissions in [0, 0o600, 0o7777, .max] as [UInt16] {
                let options = DownloadOptions(permissions: permissions)
                _ = try? await service.download(get, to: .folder(folder), options: options)
            }
            for text in Extreme.texts {
                let options = DownloadOptions(digest: .sha256(text), resumeIdentity: text)
                _ = try? await service.download(
                    get, to: .file(folder.appendingPathComponent(text.filter { $0 != "\0" })), options: options)
            }
        },
        ExtremeCall(
            "UploadOptions.init(stateFile:resumes:metadata:chunkBytes:sendsChecksums:maximumAttempts:backoff:clock:)"
        ) {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("extremes-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appendingPathComponent("a", isDirectory: false)
            try Data("content".utf8).write(to: file)
            let session = StubSessionManager()
            // The positions are those of the client until the last one, and nothing is stored.
            session.route { request in
                .text("", headers: ["Location": "/a", "Upload-Offset": request.headers["Upload-Offset"] ?? "0"])
            }
            let service = DefaultDataTransferService(configuration: APIConfiguration(baseURL: url), sessionManager: session)
            func upload(_ options: UploadOptions) async {
                do {
                    describe(try await service.uploadResumably(file, to: get, options: options))
                } catch {
                    describe(error)
                }
                _ = try? await service.terminateUpload(file, to: get, options: options)
            }
            for number in Extreme.wide {
                await upload(UploadOptions(chunkBytes: number, maximumAttempts: 2, backoff: Backoff(base: .zero)))
                describe(UploadedFile(url: url, byteCount: number, resumedFrom: number))
            }
            for number in Extreme.integers { await upload(UploadOptions(maximumAttempts: number, backoff: Backoff(base: .zero))) }
            for duration in Extreme.durations {
                await upload(UploadOptions(maximumAttempts: 2, backoff: Backoff(base: duration, maximumDelay: .milliseconds(1))))
                await upload(UploadOptions(maximumAttempts: 1, backoff: Backoff(base: duration, maximumDelay: duration)))
            }
            for text in Extreme.texts {
                await upload(UploadOptions(metadata: [text: text], maximumAttempts: 1))
                await upload(UploadOptions(metadata: ["a": text], maximumAttempts: 1))
                let name = text.filter { $0 != "\0" }
                await upload(UploadOptions(stateFile: folder.appendingPathComponent(name), maximumAttempts: 1))
            }
        },
        ExtremeCall("UploadFailure.Code.init(rawValue:)") {
            for text in Extreme.texts { describe(UploadFailure.Code(rawValue: text)) }
        },
        ExtremeCall("FileFailure.Code.init(rawValue:)") {
            for text in Extreme.texts { describe(FileFailure(.init(rawValue: text), text, url: url, systemError: .min)) }
        },
        ExtremeCall("ProblemDetails.init(type:title:status:detail:instance:)") {
            for text in Extreme.texts {
                describe(ProblemDetails(type: text, title: text, status: .min, detail: text, instance: text))
            }
        },
        ExtremeCall("DataTransferResponse.init(value:statusCode:headers:trailers:url:timings:)") {
            for number in Extreme.integers { describe(DataTransferResponse(value: number, statusCode: number, url: url)) }
        },
    ]
}
