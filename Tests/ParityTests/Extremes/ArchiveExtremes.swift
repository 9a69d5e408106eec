import DataTransfer
import Foundation
import NetworkCore
import NetworkTesting

/// HTTP archives, recording and replay.
extension ExtremeCall {
    private static let url = URL(string: "https://api.test/a")!

    private static func roundTrip(_ archive: HTTPArchive) {
        describe(archive)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("extremes-\(UUID().uuidString).har")
        defer { try? FileManager.default.removeItem(at: file) }
        try? archive.write(to: file)
        if let read = try? HTTPArchive(contentsOf: file) { describe(read) }
    }

    static let archives: [ExtremeCall] = [
        ExtremeCall(
            "HTTPArchive.Request.init(method:url:httpVersion:headers:body:bodySize:)",
            "HTTPArchive.Response.init(statusCode:statusText:httpVersion:headers:body:bodySize:finalURL:)",
            "HTTPArchive.Body.init(_:mimeType:isTruncated:isRedacted:)", "HTTPArchive.Failure.init(_:phase:message:)",
            "HTTPArchive.Creator.init(name:version:)", "HTTPArchive.init(creator:entries:comment:)",
            "HTTPArchive.Entry.init(started:request:response:timings:failure:serverAddress:)"
        ) {
            for text in Extreme.texts {
                let body = HTTPArchive.Body(Data(text.utf8), mimeType: text)
                let entry = HTTPArchive.Entry(
                    request: .init(method: HTTPMethod(text), url: text, httpVersion: text, body: body),
                    response: .init(statusCode: 200, statusText: text, httpVersion: text, body: body, finalURL: text),
                    failure: .init(.init(rawValue: text), message: text), serverAddress: text)
                roundTrip(HTTPArchive(creator: .init(name: text, version: text), entries: [entry], comment: text))
            }
            for number in Extreme.wide {
                let entry = HTTPArchive.Entry(
                    request: .init(url: "https://a.test", bodySize: number),
                    response: .init(statusCode: Int(number), bodySize: number))
                roundTrip(HTTPArchive(entries: [entry]))
            }
            for date in Extreme.dates {
                let entry = HTTPArchive.Entry(
                    started: date, request: .init(url: "https://a.test"), response: .init(statusCode: 200))
                roundTrip(HTTPArchive(entries: [entry]))
            }
        },
        ExtremeCall("HTTPArchive.Timings.init(blocked:dns:connect:ssl:send:wait:receive:)") {
            for time in Extreme.durations {
                let timings = HTTPArchive.Timings(
                    blocked: time, dns: time, connect: time, ssl: time, send: time, wait: time, receive: time)
                describe(timings.total)
                let entry = HTTPArchive.Entry(
                    request: .init(url: url.absoluteString), response: .init(statusCode: 200), timings: timings)
                roundTrip(HTTPArchive(entries: [entry]))
                let session = ReplaySessionManager(
                    HTTPArchive(entries: [entry]), options: ReplayOptions { $0.reproducesDelays = true })
                let task = Task { try await session.response(for: NetworkRequest(url: url)) }
                let watch = Task {
                    try await ContinuousClock().sleep(for: .milliseconds(10))
                    task.cancel()
                }
                _ = await task.result
                watch.cancel()
            }
        },
        ExtremeCall(
            "HTTPArchive.Limits.init(fileBytes:entries:bodyBytes:)", "RecordingLimits.init(bodyBytes:totalBytes:entries:)"
        ) {
            let entry = HTTPArchive.Entry(request: .init(url: "https://a.test"), response: .init(statusCode: 200))
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("extremes-\(UUID().uuidString).har")
            defer { try? FileManager.default.removeItem(at: file) }
            try HTTPArchive(entries: [entry]).write(to: file)
            for number in Extreme.integers {
                for limits in [
                    HTTPArchive.Limits(fileBytes: number), .init(entries: number), .init(bodyBytes: number),
                ] { _ = try? HTTPArchive(contentsOf: file, limits: limits) }
                for limits in [
                    RecordingLimits(bodyBytes: number), RecordingLimits(totalBytes: number), RecordingLimits(entries: number),
                ] {
                    let stub = StubSessionManager()
                    stub.route { _ in .text("ok") }
                    let session = RecordingSessionManager(stub, limits: limits)
                    _ = try? await session.response(for: NetworkRequest(method: .post, url: url, body: .data(Data("a".utf8))))
                    describe(session.archive)
                }
                var options = ReplayOptions()
                options.maximumBodyBytes = number
                let replay = ReplaySessionManager(HTTPArchive(entries: [entry]), options: options)
                _ = try? await replay.response(for: NetworkRequest(url: URL(string: "https://a.test")!))
            }
        },
        ExtremeCall("HTTPArchiveError.init(_:_:file:underlying:)") {
            for text in Extreme.texts { describe(HTTPArchiveError(text, text, file: text)) }
        },
        ExtremeCall(
            "RecordedSession.Mode.init(rawValue:)", "RecordedSession.init(_:mode:live:options:redaction:environment:source:)"
        ) {
            for text in Extreme.texts {
                describe(RecordedSession.Mode(rawValue: text))
                for path in [text, "/tmp/none/" + text] {
                    _ = try? RecordedSession(path, live: StubSessionManager(), environment: ["x": text], source: text)
                }
            }
        },
    ]
}
