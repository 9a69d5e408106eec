import DataTransfer
import Foundation
import NetworkCore
import NetworkRecordings
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
        ExtremeCall {
            for text in Extreme.texts {
                let body = HTTPArchive.Body(Data(text.utf8), mimeType: text)
                let entry = HTTPArchive.Entry(
                    request: .init(method: RequestMethod(text), url: text, httpVersion: text, body: body),
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
        ExtremeCall {
            for time in Extreme.durations {
                let timings = HTTPArchive.Timings(
                    blocked: time, dns: time, connect: time, ssl: time, send: time, wait: time, receive: time)
                describe(timings.total)
                let entry = HTTPArchive.Entry(
                    request: .init(url: url.absoluteString), response: .init(statusCode: 200), timings: timings)
                roundTrip(HTTPArchive(entries: [entry]))
                let session = ReplaySessionManager(
                    HTTPArchive(entries: [entry]), options: ReplayOptions(reproducesDelays: true))
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
            "RecordingLimits.init(maximumBodyBytes:maximumBytes:maximumEntries:)",
            "ReplayOptions.init(ignoresQueryOrder:ignoredQueryItems:ignoresOrigin:matchesBody:repeatsLastResponse:reproducesDelays:clock:redaction:maximumBodyBytes:)"
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
                    RecordingLimits(maximumBodyBytes: number), RecordingLimits(maximumBytes: number),
                    RecordingLimits(maximumEntries: number),
                ] {
                    let stub = StubSessionManager()
                    stub.route { _ in .text("ok") }
                    let session = RecordingSessionManager(stub, limits: limits)
                    _ = try? await session.response(for: NetworkRequest(method: .post, url: url, body: .data(Data("a".utf8))))
                    describe(session.archive)
                }
                let options = ReplayOptions(maximumBodyBytes: number)
                let replay = ReplaySessionManager(HTTPArchive(entries: [entry]), options: options)
                _ = try? await replay.response(for: NetworkRequest(url: URL(string: "https://a.test")!))
            }
        },
        ExtremeCall {
            for text in Extreme.texts { describe(HTTPArchiveError(text, text, file: text)) }
        },
        ExtremeCall("RecordedSession.init(_:mode:live:options:redaction:environment:source:)") {
            for text in Extreme.texts {
                for path in [text, "/tmp/none/" + text] {
                    _ = try? RecordedSession(path, live: StubSessionManager(), environment: ["x": text], source: text)
                }
            }
        },
    ]
}
