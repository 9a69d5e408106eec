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

    /// Waits for a completion through a continuation.
    private static func completing(_ call: (@escaping @Sendable () -> Void) -> Void) async {
        await withCheckedContinuation { continuation in call { continuation.resume() } }
    }

    static let transfers: [ExtremeCall] = [
        ExtremeCall(
            "DataTransferService.concurrently(_:maximumConcurrency:)",
            "DataTransferService.concurrently(collecting:maximumConcurrency:)",
            "DataTransferService.concurrently(_:maximumConcurrency:on:completion:)",
            "DataTransferService.concurrently(collecting:maximumConcurrency:on:completion:)",
            "DataTransferService.results(of:maximumConcurrency:)",
            "DataTransferService.results(of:maximumConcurrency:on:onResult:completion:)"
        ) {
            let service = makeService()
            for (limit, count) in Extreme.integers.flatMap({ limit in [0, 1, runs(5, slow: 20)].map { (limit, $0) } }) {
                let endpoints = Array(repeating: get, count: count)
                _ = try? await service.concurrently(endpoints, maximumConcurrency: limit)
                _ = await service.concurrently(collecting: endpoints, maximumConcurrency: limit)
                for await result in service.results(of: endpoints, maximumConcurrency: limit) { describe(result) }
                await completing { done in service.concurrently(endpoints, maximumConcurrency: limit) { _ in done() } }
                await completing { done in service.concurrently(collecting: endpoints, maximumConcurrency: limit) { _ in done() }
                }
                await completing { done in
                    service.results(of: endpoints, maximumConcurrency: limit, onResult: { _, _ in }, completion: { done() })
                }
            }
        },
        ExtremeCall(
            "DataTransferService.pages(of:by:maximumPages:)",
            "DataTransferService.pages(of:by:maximumPages:on:onPage:completion:)", "PageRule.number(_:first:isLast:)",
            "PageRule.cursor(_:_:)"
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
                if number < 10 {
                    await completing { done in
                        service.pages(
                            of: get, by: .cursor("c") { _ in "c" }, maximumPages: number, onPage: { _ in },
                            completion: { _ in done() })
                    }
                }
            }
            for text in Extreme.shortTexts {
                await read(.number(text) { _ in false }, 3)
                await read(.cursor(text) { _ in text }, 3)
            }
        },
        ExtremeCall(
            "DataTransferService.events(_:options:lastEventID:maximumEventBytes:)",
            "DataTransferService.events(_:options:lastEventID:maximumEventBytes:on:onEvent:completion:)",
            "EventStreamOptions.init(maximumAttempts:delay:maximumDelay:clock:)"
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
                await read(EventStreamOptions(maximumAttempts: number, delay: .zero, maximumDelay: .zero), "", number)
                await completing { done in
                    service.events(
                        get, options: EventStreamOptions(maximumAttempts: 1), lastEventID: "x", maximumEventBytes: number,
                        onEvent: { _ in }, completion: { _ in done() }
                    ).cancel()
                }
            }
            for time in Extreme.durations {
                await read(EventStreamOptions(delay: time))
                await read(EventStreamOptions(maximumDelay: time))
                await read(EventStreamOptions(delay: time, maximumDelay: time))
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
            "UploadOptions.init(stateFile:resumes:metadata:chunkBytes:sendsChecksums:maximumAttempts:delay:maximumDelay:clock:)"
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
                await completing { done in service.terminateUpload(file, to: get, options: options) { _ in done() } }
            }
            for number in Extreme.wide {
                await upload(UploadOptions(chunkBytes: number, maximumAttempts: 2, delay: .zero))
                describe(UploadedFile(url: url, byteCount: number, resumedFrom: number))
            }
            for number in Extreme.integers { await upload(UploadOptions(maximumAttempts: number, delay: .zero)) }
            for duration in Extreme.durations {
                await upload(UploadOptions(maximumAttempts: 2, delay: duration, maximumDelay: .milliseconds(1)))
                await upload(UploadOptions(maximumAttempts: 1, delay: duration, maximumDelay: duration))
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
