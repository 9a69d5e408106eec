import Endpoints
import Foundation
import NetworkSupport

/// The state of a partial file from which a download is resumed, and the decision what to do with the response.
struct Resumption: Sendable {
    /// The position of the first missing byte.
    var offset: Int64
    var record: DownloadRecord

    /// The number of bytes in the partial file. If it was loaded in ranges, there may be some after ``offset``.
    var receivedBytes: Int64 { record.ranges.map(\.byteCount) ?? offset }

    var headers: HeaderFields { ["Range": "bytes=\(offset)-", "If-Range": record.validator.text] }

    /// Decides from the status and the headers what to do with a response (RFC 9110 §14.2, §15.3.7, §15.5.17).
    ///
    /// Parts are never combined if they could belong to different versions of the resource.
    func decision(on status: Int, _ headers: HeaderFields, from url: URL) -> DownloadDecision {
        switch status {
        case 206: decisionOnPart(headers, url)
        case 416: decisionOnUnsatisfiedRange(headers, url)
        default: .whole(length: headers.announcedLength)
        }
    }

    private func decisionOnPart(_ headers: HeaderFields, _ url: URL) -> DownloadDecision {
        if headers["Content-Type"]?.mediaType == "multipart/byteranges" {
            return .refused("one range was requested, but the response contains several (multipart/byteranges)")
        }
        // The part is of another version, from another URL, or in another content coding than the partial file.
        if !isSame(headers, url) || headers.isEncoded { return .startOver }
        guard let content = headers["Content-Range"] else { return .refused("a 206 response without Content-Range") }
        guard let part = ContentRange(content), let range = part.range else {
            return .refused("the Content-Range \"\(content.printable)\" is invalid")
        }
        guard range.lowerBound == offset else {
            return .refused("the part from byte \(offset) was requested, but the response has that from \(range.lowerBound)")
        }
        if let known = record.total, let total = part.total, known != total {
            return .refused("the complete length was \(known) bytes, and is \(total) now, with the same validator")
        }
        if let length = headers.announcedLength, length != Int64(range.count) {
            return .refused("the part is \(range.count) bytes long, but its Content-Length is \(length)")
        }
        return .rest(ContentPart(range: range, total: part.total ?? record.total))
    }

    private func decisionOnUnsatisfiedRange(_ headers: HeaderFields, _ url: URL) -> DownloadDecision {
        guard isSame(headers, url), let total = headers["Content-Range"].flatMap(ContentRange.init)?.total, total == offset,
            record.total ?? total == total
        else { return .startOver }
        return .complete
    }

    private func isSame(_ headers: HeaderFields, _ url: URL) -> Bool {
        !record.validator.isContradicted(by: headers) && DownloadRecord.location(of: url) == record.location
    }
}

/// The decision what to do with a response to a resumed download.
enum DownloadDecision: Sendable, Equatable {
    /// The body is the complete content, and is written from the beginning of the file.
    case whole(length: Int64?)
    /// The body is the missing rest of the file.
    case rest(ContentPart)
    /// The partial file is already complete.
    case complete
    /// The response cannot be used, and the complete content is to be requested.
    case startOver
    /// The response is neither the requested part nor valid otherwise, for the given reason.
    case refused(String)
}

/// The last part of the content, which follows the bytes in a partial file.
struct ContentPart: Sendable, Equatable {
    var range: Range<Int64>
    var total: Int64?
}

/// A validator that identifies one version of a resource strongly enough to combine two parts of it (RFC 9110 §13.1.5).
struct ResumeValidator: Codable, Hashable, Sendable {
    /// The minimum number of seconds by which a modification date must be older than the response.
    ///
    /// It ensures that the resource has not changed twice within the same second, and tolerates clocks that differ (RFC 9110 §8.8.2.2).
    private static let safeAge: Int64 = 60

    /// The value of `If-Range`: a strong entity tag, or a date.
    let text: String

    /// Creates a validator from the headers of a response; `nil` if they contain no strong validator.
    init?(_ headers: HeaderFields) {
        if let tag = headers["ETag"] {
            // With a weak tag, the date must not be used either.
            guard Self.isStrong(tag) else { return nil }
            text = tag
        } else {
            guard let modified = headers["Last-Modified"], let then = HTTPDate(modified),
                let now = headers["Date"].flatMap({ HTTPDate($0) }),
                now.secondsSince1970 - then.secondsSince1970 >= Self.safeAge
            else { return nil }
            text = modified
        }
    }

    /// Whether ``text`` is a strong entity tag or a date. A text that was read from a file may be anything.
    var isStrong: Bool { Self.isStrong(text) || HTTPDate(text) != nil }

    /// Whether a response with these headers is of another version. A response without a validator counts as the same version.
    func isContradicted(by headers: HeaderFields) -> Bool {
        let name = text.begins(with: "\"") ? "ETag" : "Last-Modified"
        return headers[name].map { !$0.hasSameBytes(as: text) } ?? false
    }

    /// Whether the text is a strong entity tag: visible characters other than quotes, in quotes (RFC 9110 §8.8.3).
    private static func isStrong(_ tag: String) -> Bool {
        let bytes = Array(tag.utf8)
        guard bytes.count >= 2, bytes.count <= 1024, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return false
        }
        return bytes.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7F }
    }
}

extension HeaderFields {
    /// The value of `Content-Length`; `nil` if there is none, or if it does not count the bytes after content decoding.
    var announcedLength: Int64? {
        isEncoded ? nil : self["Content-Length"].flatMap { $0.utf8.decimal }
    }

    /// Whether the body is sent in a content coding other than `identity` (RFC 9110 §8.4).
    var isEncoded: Bool {
        guard let coding = self["Content-Encoding"] else { return false }
        return coding.listElements.contains { $0.asciiLowercased != "identity" }
    }
}
