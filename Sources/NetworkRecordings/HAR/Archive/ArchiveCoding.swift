import DataTransfer
import Foundation

/// The coding of the whole document: `{"log": {…}}` (HAR 1.2).
struct ArchiveCoding: Codable {
    var archive: HTTPArchive

    private enum Keys: String, CodingKey {
        case log
        case version, creator, pages, entries, comment
        case name
    }

    init(archive: HTTPArchive) {
        self.archive = archive
    }

    init(from decoder: any Decoder) throws {
        let log = try decoder.container(keyedBy: Keys.self).nestedContainer(keyedBy: Keys.self, forKey: .log)
        let creator = try? log.nestedContainer(keyedBy: Keys.self, forKey: .creator)
        archive = HTTPArchive(
            creator: .init(name: creator?.tolerated(.name) ?? "", version: creator?.tolerated(.version) ?? ""),
            comment: log.tolerated(.comment))
        var list = try log.nestedUnkeyedContainer(forKey: .entries)
        let limit = decoder.archiveLimits.entries
        while !list.isAtEnd {
            guard archive.entries.count + archive.skipped.count < limit else {
                throw HTTPArchiveError("log.entries", "contains more than the \(limit) entries allowed (entries)")
            }
            let element = try list.superDecoder()
            do {
                archive.entries.append(try EntryCoding(from: element).entry)
            } catch {
                archive.skipped.append(HTTPArchiveError(error))
            }
        }
        if archive.entries.isEmpty, let failure = archive.skipped.first { throw failure }
    }

    func encode(to encoder: any Encoder) throws {
        var root = encoder.container(keyedBy: Keys.self)
        var log = root.nestedContainer(keyedBy: Keys.self, forKey: .log)
        try log.encode("1.2", forKey: .version)
        var creator = log.nestedContainer(keyedBy: Keys.self, forKey: .creator)
        try creator.encode(archive.creator.name, forKey: .name)
        try creator.encode(archive.creator.version, forKey: .version)
        _ = log.nestedUnkeyedContainer(forKey: .pages)
        try log.encode(archive.entries.map(EntryCoding.init), forKey: .entries)
        try log.encodeIfPresent(archive.comment, forKey: .comment)
    }
}

extension Decoder {
    /// The limits passed in `userInfo`, or the defaults.
    var archiveLimits: HTTPArchive.Limits {
        CodingUserInfoKey.archiveLimits.flatMap { userInfo[$0] as? HTTPArchive.Limits } ?? HTTPArchive.Limits()
    }
}

extension KeyedDecodingContainer {
    /// Decodes a value that a replay does not need; `nil` if it is missing or has another type.
    func tolerated<Value: Decodable>(_ key: Key, as type: Value.Type = Value.self) -> Value? {
        try? decodeIfPresent(type, forKey: key)
    }

    /// Decodes a string; empty if it is missing.
    func text(_ key: Key) throws -> String {
        try decodeIfPresent(String.self, forKey: key) ?? ""
    }

    /// Decodes a size that is only informative; -1 if it is missing or invalid.
    func size(_ key: Key) -> Int64 {
        tolerated(key, as: Double.self).flatMap { Int64(exactly: $0.rounded()) } ?? -1
    }

    /// Returns the error for an invalid value.
    func wrong(_ key: Key, _ reason: String) -> HTTPArchiveError {
        HTTPArchiveError(HTTPArchiveError.field(codingPath + [key]), reason)
    }
}

/// The coding of an element of `log.entries`.
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
        // The type under which the network panel of a browser lists requests of a program.
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

/// The coding of `timings`: milliseconds, -1 for a phase that did not happen.
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
            // At most one year: no exchange takes longer, and a `Duration` can hold it.
            guard let value = container.tolerated(key, as: Double.self), (0...31_536_000_000).contains(value) else { return nil }
            // Rounded to the precision that is written, so that sums have it too.
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
        // HAR requires these three to be present and not negative.
        try container.encode(Self.milliseconds(timings.send ?? .zero), forKey: .send)
        try container.encode(Self.milliseconds(timings.wait ?? .zero), forKey: .wait)
        try container.encode(Self.milliseconds(timings.receive ?? .zero), forKey: .receive)
    }

    /// Rounded to microseconds; higher precision is noise.
    static func milliseconds(_ duration: Duration) -> Double {
        (duration / .microseconds(1)).rounded() / 1000
    }
}

/// Conversion of dates from and to the format of HAR: ISO 8601 with milliseconds.
enum ArchiveDate {
    /// The seconds since 1970 up to the year 9999. Other dates cannot be formatted, or lose their milliseconds.
    private static let range = 0..<253_402_300_800.0

    static func text(_ date: Date) -> String {
        let seconds = range.contains(date.timeIntervalSince1970) ? date.timeIntervalSince1970 : 0
        // The style truncates to milliseconds, so a value slightly below a whole millisecond would lose one.
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

/// The conversion of a browser's `_error` into a failure.
enum BrowserFailure {
    /// Returns the failure of an exchange; `nil` if its response is complete.
    ///
    /// - Parameter error: `net::ERR_…` (Chromium), or the text of another browser.
    static func failure(of response: HTTPArchive.Response, error: String?) -> HTTPArchive.Failure? {
        guard response.statusCode == 0 else {
            guard let error, !error.isEmpty else { return nil }
            // Chromium writes ERR_ABORTED for every response whose body it has not read, even if it is empty.
            if error.contains("ERR_ABORTED"), !response.announcesMore { return nil }
            return HTTPArchive.Failure(code(of: error), phase: .receive, message: error)
        }
        let message = error ?? ""
        return HTTPArchive.Failure(code(of: message), message: message.isEmpty ? "no response was received" : message)
    }

    private static func code(of error: String) -> TransportError.Code {
        let codes: [(String, TransportError.Code)] = [
            ("NAME_NOT_RESOLVED", .nameLookupFailed), ("NAME_RESOLUTION_FAILED", .nameLookupFailed), ("TIMED_OUT", .timedOut),
            ("CONNECTION_REFUSED", .cannotConnect), ("CONNECTION_FAILED", .cannotConnect),
            ("ADDRESS_UNREACHABLE", .cannotConnect),
            ("INTERNET_DISCONNECTED", .cannotConnect), ("ERR_CERT", .tlsFailed), ("ERR_SSL", .tlsFailed),
            ("CONTENT_LENGTH_MISMATCH", .incompleteBody), ("INCOMPLETE_CHUNKED", .incompleteBody),
            ("CONTENT_DECODING", .undecodableContent), ("TOO_MANY_REDIRECTS", .tooManyRedirects), ("PROXY", .proxyFailed),
            ("TUNNEL", .proxyFailed), ("INVALID_RESPONSE", .malformedResponse), ("INVALID_HTTP_RESPONSE", .malformedResponse),
        ]
        return codes.first { error.contains($0.0) }?.1 ?? .connectionLost
    }
}

extension HTTPArchive.Response {
    /// Whether the head announces a body that is missing in the recording.
    fileprivate var announcesMore: Bool {
        guard let data = body.data else { return true }
        guard data.isEmpty, statusCode != 204, statusCode != 304 else { return false }
        return headers["Content-Length"].flatMap { Int64($0) }.map { $0 > 0 } ?? false
    }
}
