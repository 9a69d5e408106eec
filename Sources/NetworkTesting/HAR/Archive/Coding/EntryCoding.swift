import DataTransfer
import Foundation

/// An element of `log.entries`.
struct EntryCoding: Codable {
    var entry: HTTPArchive.Entry

    private enum Keys: String, CodingKey {
        case startedDateTime, time, request, response, cache, timings, serverIPAddress
        case resourceType = "_resourceType"
        case failure = "_failure"
        case code, phase, message
    }

    init(_ entry: HTTPArchive.Entry) {
        self.entry = entry
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        let response = try container.decode(ResponseCoding.self, forKey: .response)
        entry = HTTPArchive.Entry(
            started: container.tolerated(.startedDateTime).flatMap(ArchiveDate.date),
            request: try container.decode(RequestCoding.self, forKey: .request).request, response: response.response,
            timings: container.tolerated(.timings, as: TimingsCoding.self)?.timings ?? .init(),
            serverAddress: container.tolerated(.serverIPAddress))
        if let failure = try? container.nestedContainer(keyedBy: Keys.self, forKey: .failure) {
            entry.failure = HTTPArchive.Failure(
                TransportError.Code(rawValue: failure.tolerated(.code) ?? "other"),
                phase: failure.tolerated(.phase).flatMap(TransportError.Phase.init(rawValue:)),
                message: failure.tolerated(.message) ?? "")
        } else {
            entry.failure = BrowserFailure.failure(of: response.response, error: response.browserError)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(ArchiveDate.text(entry.started ?? Date(timeIntervalSince1970: 0)), forKey: .startedDateTime)
        try container.encode(TimingsCoding.milliseconds(entry.timings.total), forKey: .time)
        try container.encode(RequestCoding(request: entry.request), forKey: .request)
        try container.encode(
            ResponseCoding(response: entry.response, browserError: entry.failure.map { "\($0.code.rawValue): \($0.message)" }),
            forKey: .response)
        // Where a browser's panel looks for what a program asked for.
        try container.encode("fetch", forKey: .resourceType)
        _ = container.nestedContainer(keyedBy: Keys.self, forKey: .cache)
        try container.encode(TimingsCoding(timings: entry.timings), forKey: .timings)
        try container.encodeIfPresent(entry.serverAddress, forKey: .serverIPAddress)
        guard let failure = entry.failure else { return }
        var written = container.nestedContainer(keyedBy: Keys.self, forKey: .failure)
        try written.encode(failure.code.rawValue, forKey: .code)
        try written.encodeIfPresent(failure.phase?.rawValue, forKey: .phase)
        try written.encode(failure.message, forKey: .message)
    }
}

/// `timings`: milliseconds, -1 for what did not happen.
struct TimingsCoding: Codable {
    var timings: HTTPArchive.Timings

    private enum Keys: String, CodingKey {
        case blocked, dns, connect, ssl, send, wait, receive
    }

    init(timings: HTTPArchive.Timings) {
        self.timings = timings
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        func duration(_ key: Keys) -> Duration? {
            // A year is more than any exchange takes, and what a `Duration` holds.
            guard let value = container.tolerated(key, as: Double.self), (0...31_536_000_000).contains(value) else { return nil }
            // As exact as what is written, so that sums of them are too.
            return .microseconds(Int64((value * 1000).rounded()))
        }
        timings = HTTPArchive.Timings(
            blocked: duration(.blocked), dns: duration(.dns), connect: duration(.connect), ssl: duration(.ssl),
            send: duration(.send), wait: duration(.wait), receive: duration(.receive))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        for (key, value) in [
            (.blocked, timings.blocked), (.dns, timings.dns), (.connect, timings.connect), (.ssl, timings.ssl),
        ] as [(Keys, Duration?)] {
            try container.encode(value.map(Self.milliseconds) ?? -1, forKey: key)
        }
        // These three may not be missing.
        try container.encode(Self.milliseconds(timings.send ?? .zero), forKey: .send)
        try container.encode(Self.milliseconds(timings.wait ?? .zero), forKey: .wait)
        try container.encode(Self.milliseconds(timings.receive ?? .zero), forKey: .receive)
    }

    /// To the microsecond: more is noise.
    static func milliseconds(_ duration: Duration) -> Double {
        (duration / .microseconds(1)).rounded() / 1000
    }
}

/// Points in time as HAR writes them: ISO 8601 with milliseconds.
enum ArchiveDate {
    /// The years that have four digits; others have no such text, or lose their milliseconds.
    private static let range = 0..<253_402_300_800.0

    static func text(_ date: Date) -> String {
        let seconds = range.contains(date.timeIntervalSince1970) ? date.timeIntervalSince1970 : 0
        // The style cuts what is less than a millisecond, and so what is a hair's breadth below one.
        let rounded = Date(timeIntervalSince1970: (seconds * 1000).rounded() / 1000 + 0.0001)
        return rounded.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    static func date(_ text: String) -> Date? {
        guard text.utf8.count <= 64 else { return nil }
        let date =
            (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
            ?? (try? Date.ISO8601FormatStyle().parse(text))
        return date.flatMap { range.contains($0.timeIntervalSince1970) ? $0 : nil }
    }
}
