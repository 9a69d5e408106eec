import Endpoints
import Foundation

/// What to do with a response, by its head alone.
enum DownloadVerdict: Sendable, Equatable {
    /// Its body is the whole: written from the beginning.
    case whole(length: Int64?)
    /// Its body is what is missing.
    case rest(ContentPart)
    /// Nothing is missing.
    case complete
    /// Of no use: once more, for the whole.
    case startOver
    /// Neither what was asked for nor anything else that is sure.
    case refused(String)
}

/// A part at the end of a file that is there up to it.
struct ContentPart: Sendable, Equatable {
    var range: Range<Int64>
    var total: Int64?
}

/// What is there of a file, and what was asked of the server because of it.
struct Resumption: Sendable {
    /// How many bytes are there; more than 0.
    var offset: Int64
    var record: DownloadRecord

    var headers: HTTPHeaders { ["Range": "bytes=\(offset)-", "If-Range": record.validator.text] }

    /// RFC 9110 §14.2, §15.3.7, §15.5.17: never puts together what does not belong together.
    func verdict(on status: Int, _ headers: HTTPHeaders, from url: URL) -> DownloadVerdict {
        switch status {
        case 206: verdictOnPart(headers, url)
        case 416: verdictOnNothing(headers, url)
        default: .whole(length: headers.announcedLength)
        }
    }

    private func verdictOnPart(_ headers: HTTPHeaders, _ url: URL) -> DownloadVerdict {
        if headers["Content-Type"]?.lowercased().hasPrefix("multipart/byteranges") == true {
            return .refused("one range was asked for, and several came (multipart/byteranges)")
        }
        // Of another version, from another place, or of other bytes than are here.
        if !isSame(headers, url) || headers.isEncoded { return .startOver }
        guard let content = headers["Content-Range"] else { return .refused("a 206 without Content-Range") }
        guard let part = ContentRange(content), let range = part.range else {
            return .refused("the Content-Range \"\(content.printable)\" is none")
        }
        guard range.lowerBound == offset else {
            return .refused("the part from byte \(offset) was asked for, and that from \(range.lowerBound) came")
        }
        if let known = record.total, let total = part.total, known != total {
            return .refused("the whole was \(known) bytes long, and is \(total) now, with the same validator")
        }
        if let length = headers.announcedLength, length != Int64(range.count) {
            return .refused("the part is \(range.count) bytes long, but its Content-Length is \(length)")
        }
        return .rest(ContentPart(range: range, total: part.total ?? record.total))
    }

    private func verdictOnNothing(_ headers: HTTPHeaders, _ url: URL) -> DownloadVerdict {
        guard isSame(headers, url), let total = headers["Content-Range"].flatMap(ContentRange.init)?.total, total == offset,
            record.total ?? total == total
        else { return .startOver }
        return .complete
    }

    private func isSame(_ headers: HTTPHeaders, _ url: URL) -> Bool {
        !record.validator.isContradicted(by: headers) && DownloadRecord.location(of: url) == record.location
    }
}

extension HTTPHeaders {
    /// `nil` where there is none, or where it counts other bytes than will come.
    var announcedLength: Int64? {
        isEncoded ? nil : self["Content-Length"].flatMap { ContentRange.number($0) }
    }

    /// Whether the bytes are those of the resource in another coding (RFC 9110 §8.4).
    var isEncoded: Bool {
        guard let coding = self["Content-Encoding"] else { return false }
        return coding.split(separator: ",").contains { $0.trimmingCharacters(in: .whitespaces).lowercased() != "identity" }
    }
}

/// What tells one version of a resource from another, strong enough to put two parts of it together (RFC 9110 §13.1.5).
struct ResumeValidator: Codable, Hashable, Sendable {
    /// How much older than the response a date has to be, in seconds, so that the resource cannot have changed twice within it, and
    /// two clocks that differ do no harm (RFC 9110 §8.8.2.2).
    private static let safeAge: Int64 = 60

    /// The value of `If-Range`: a strong entity tag, or a date.
    let text: String

    /// `nil` where the response has none that is strong.
    init?(_ headers: HTTPHeaders) {
        if let tag = headers["ETag"] {
            // A weak tag forbids the date too.
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

    /// Whether ``text`` is a strong entity tag or a date: one that was read from a file may be anything.
    var isStrong: Bool { Self.isStrong(text) || HTTPDate(text) != nil }

    /// Whether a response with these fields is of another version. One that does not say so is of the same.
    func isContradicted(by headers: HTTPHeaders) -> Bool {
        let name = text.hasPrefix("\"") ? "ETag" : "Last-Modified"
        return headers[name].map { $0 != text } ?? false
    }

    /// RFC 9110 §8.8.3: quotes, and between them what is visible but no quote.
    private static func isStrong(_ tag: String) -> Bool {
        let bytes = Array(tag.utf8)
        guard bytes.count >= 2, bytes.count <= 1024, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return false
        }
        return bytes.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7F }
    }
}
