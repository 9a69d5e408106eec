import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

// What the responses of a tus server mean (https://tus.io/protocols/resumable-upload, version 1.0.0). Pure decisions without I/O.

/// What a server that creates uploads supports, from its response to OPTIONS.
struct UploadServer: Sendable, Equatable {
    static let version = "1.0.0"

    /// A checksum that a server verifies, in the order of preference.
    enum Checksum: String, Sendable, CaseIterable {
        case sha256, sha1
    }

    /// The URL at which uploads are created, after redirects.
    var url: URL
    /// The maximum length of a file in bytes (`Tus-Max-Size`); `nil` if it is not stated.
    var maximumBytes: Int64?
    /// The checksum that is sent; `nil` if the server verifies none that is known here.
    var checksum: Checksum?

    /// - Throws: ``UploadFailure/Code/unsupportedVersion`` if the server names its versions without 1.0.0. A response that is not
    ///   that of a tus server says nothing: some servers do not respond to OPTIONS.
    init(_ headers: HeaderFields, url: URL, file: URL) throws(UploadFailure) {
        self.url = url
        if let versions = headers["Tus-Version"] { try Self.check(versions, statusCode: nil, file: file) }
        maximumBytes = headers["Tus-Max-Size"].flatMap { $0.utf8.decimal }
        if Self.list(headers["Tus-Extension"]).contains("checksum") {
            let offered = Self.list(headers["Tus-Checksum-Algorithm"])
            checksum = Checksum.allCases.first { offered.contains($0.rawValue) }
        }
    }

    static func check(_ versions: String, statusCode: Int?, file: URL) throws(UploadFailure) {
        guard list(versions).contains(version) else {
            throw UploadFailure(
                .unsupportedVersion, "the server supports version \"\(versions.printable)\" (Tus-Version), not \(version)",
                url: file,
                statusCode: statusCode)
        }
    }

    func checkLength(_ length: Int64, file: URL) throws(UploadFailure) {
        if let maximumBytes, length > maximumBytes {
            throw UploadFailure(
                .tooLarge, "the file has \(length) bytes, and the server accepts \(maximumBytes) (Tus-Max-Size)", url: file)
        }
    }

    private static func list(_ field: String?) -> [String] {
        field?.listElements.map { $0.asciiLowercased } ?? []
    }
}

/// The URL of an upload.
enum UploadLocation {
    /// The maximum length of the URL in bytes.
    static let maximumBytes = 8 << 10

    /// Returns the URL that a `Location` field names, relative to the URL of the response (RFC 3986 §5.2).
    static func url(in headers: HeaderFields, of base: URL, file: URL) throws(UploadFailure) -> URL {
        guard let location = headers["Location"], !location.isEmpty else {
            throw UploadFailure(.invalidLocation, "the response that creates the upload has no Location", url: file)
        }
        guard let url = URIReference(location).resolved(against: URIReference(base.absoluteString)).url,
            isUsable(url.absoluteString)
        else {
            throw UploadFailure(.invalidLocation, "the Location \"\(location.printable)\" is not an http URL", url: file)
        }
        if base.scheme?.lowercased() == "https", url.scheme?.lowercased() != "https" {
            throw UploadFailure(.invalidLocation, "the Location leads from https to http", url: file)
        }
        return url
    }

    static func isUsable(_ text: String) -> Bool {
        guard text.utf8.count <= maximumBytes, let url = URL(string: text), let host = url.host, !host.isEmpty else {
            return false
        }
        return ["http", "https"].contains(url.scheme?.lowercased())
    }
}

/// What a response to a request of an upload means.
enum UploadOutcome: Sendable, Equatable {
    /// The server has the bytes before this position.
    case offset(Int64)
    /// The position is not that of the server, which must be asked for it.
    case conflict
    /// The bytes were damaged, and the server has discarded them.
    case damaged
    /// Another request is using the upload.
    case locked
    /// The upload does not exist any more.
    case gone

    /// Interprets a response to HEAD, which asks for the position.
    ///
    /// - Parameters:
    ///   - length: The length of the file.
    ///   - sentEnd: The position after the last byte that can have been sent; `nil` if that is not known.
    init(
        toHead status: Int, _ headers: HeaderFields, length: Int64, sentEnd: Int64?, file: URL
    ) throws(UploadFailure) {
        if let common = try Self.common(status, headers, file: file) {
            self = common
            return
        }
        if let field = headers["Upload-Length"] {
            guard let announced = field.utf8.decimal, announced == length else {
                throw UploadFailure(
                    .lengthMismatch, "the Upload-Length is \"\(field.printable)\", and the file has \(length) bytes", url: file,
                    statusCode: status, spoilsUpload: true)
            }
        }
        let offset = try Self.offset(headers, status, file: file)
        try Self.check(offset, isAtMost: length, "the length of the file", status, file: file)
        if let sentEnd { try Self.check(offset, isAtMost: sentEnd, "the position after the last sent byte", status, file: file) }
        self = .offset(offset)
    }

    /// Interprets a response to PATCH, which has sent a part of the file.
    init(toPatch status: Int, _ headers: HeaderFields, sending range: Range<Int64>, file: URL) throws(UploadFailure) {
        if let common = try Self.common(status, headers, file: file) {
            self = common
            return
        }
        let offset = try Self.offset(headers, status, file: file)
        try Self.check(offset, isAtMost: range.upperBound, "the position after the last sent byte", status, file: file)
        guard offset >= range.lowerBound else {
            throw UploadFailure(
                .invalidOffset, "the Upload-Offset is \(offset), before the position \(range.lowerBound) of the request",
                url: file,
                statusCode: status)
        }
        self = .offset(offset)
    }

    /// The statuses that are not a success but are interpreted here.
    static let statuses: AcceptedStatuses = [403, 404, 409, 410, 412, 413, 423, 460]

    private static func common(_ status: Int, _ headers: HeaderFields, file: URL) throws(UploadFailure) -> UploadOutcome? {
        try refusal(status, headers, file: file)
        switch status {
        case 403, 404, 410: return .gone
        case 409: return .conflict
        case 423: return .locked
        case 460: return .damaged
        default: return nil
        }
    }

    /// Throws for the statuses that refuse an upload for good.
    static func refusal(_ status: Int, _ headers: HeaderFields, file: URL) throws(UploadFailure) {
        switch status {
        case 412:
            let versions = headers["Tus-Version"] ?? "unknown"
            throw UploadFailure(
                .unsupportedVersion,
                "the server supports version \"\(versions.printable)\" (Tus-Version), and refuses \(UploadServer.version)",
                url: file,
                statusCode: status)
        case 413:
            let limit = headers["Tus-Max-Size"].map { " (Tus-Max-Size: \($0.printable))" } ?? ""
            throw UploadFailure(
                .tooLarge, "the server does not accept a file of this size\(limit)", url: file, statusCode: status)
        default: break
        }
    }

    private static func offset(_ headers: HeaderFields, _ status: Int, file: URL) throws(UploadFailure) -> Int64 {
        guard let field = headers["Upload-Offset"] else {
            throw UploadFailure(.invalidOffset, "the response has no Upload-Offset", url: file, statusCode: status)
        }
        guard let offset = field.utf8.decimal else {
            throw UploadFailure(
                .invalidOffset, "the Upload-Offset \"\(field.printable)\" is not a number of bytes", url: file, statusCode: status
            )
        }
        return offset
    }

    private static func check(
        _ offset: Int64, isAtMost limit: Int64, _ what: String, _ status: Int, file: URL
    ) throws(UploadFailure) {
        guard offset <= limit else {
            // The server has bytes that are not those of the file.
            throw UploadFailure(
                .invalidOffset, "the Upload-Offset is \(offset), beyond \(limit), \(what)", url: file, statusCode: status,
                spoilsUpload: true)
        }
    }
}
