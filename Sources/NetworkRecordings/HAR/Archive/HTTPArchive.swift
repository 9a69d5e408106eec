import DataTransfer
import Foundation
import NetworkSupport
import NetworkLogging

/// An HTTP archive (HAR 1.2): recorded exchanges in the format that browsers export and import.
///
/// ```swift
/// let archive = try HTTPArchive(contentsOf: URL(fileURLWithPath: "users.har"))
/// let session = ReplaySessionManager(archive)
/// ```
///
/// It contains what a replay needs. Pages, `cache` objects and browser-specific members (`_initiator`) are ignored when a file is read, and
/// are not written again. Cookies and query items are derived from header fields and URLs when a file is written.
public struct HTTPArchive: Sendable, Hashable {
    /// The name and version of the program that wrote an archive.
    package struct Creator: Sendable, Hashable {
        /// The name of the program.
        package var name: String
        /// The version of the program.
        package var version: String

        /// Creates a creator with a name and version.
        package init(name: String, version: String) {
            self.name = name
            self.version = version
        }

        /// The creator of archives that this package writes.
        package static let dataTransfer = Creator(name: "swift-data-transfer", version: "1")
    }

    /// The program that wrote the archive.
    package var creator: Creator
    /// The exchanges, in the order in which they began.
    package var entries: [Entry]
    /// The entries of the file that could not be read and are not among the exchanges: an error for each, which names the place, such as
    /// `log.entries[3].response is missing`. Empty for an archive that was not read.
    public package(set) var skipped: [HTTPArchiveError] = []
    /// A comment for human readers.
    package var comment: String?

    /// Creates an archive from its parts.
    package init(creator: Creator = .dataTransfer, entries: [Entry] = [], comment: String? = nil) {
        self.creator = creator
        self.entries = entries
        self.comment = comment
    }

    /// A single exchange: a request, and its response or failure.
    package struct Entry: Sendable, Hashable {
        /// The time at which the exchange began; `nil` if the file has no valid date.
        package var started: Date?
        /// The request that was sent.
        package var request: Request
        /// The response that was received. Its status is 0 if the exchange failed without a response.
        package var response: Response
        /// The durations of the phases of the exchange.
        package var timings: Timings
        /// The error because of which there is no complete response; `nil` if the exchange succeeded.
        package var failure: Failure?
        /// The IP address of the server; `nil` if it is unknown.
        package var serverAddress: String?

        /// Creates an entry from its parts.
        package init(
            started: Date? = nil, request: Request, response: Response, timings: Timings = Timings(), failure: Failure? = nil,
            serverAddress: String? = nil
        ) {
            self.started = started
            self.request = request
            self.response = response
            self.timings = timings
            self.failure = failure
            self.serverAddress = serverAddress
        }
    }

    /// Limits for reading an archive. A file that exceeds one is rejected with an ``HTTPArchiveError`` that names the limit.
    package struct Limits: Sendable, Hashable {
        /// The maximum size of the file in bytes. Default: 256 MiB.
        package var fileBytes: Int
        /// The maximum number of exchanges. Default: 100,000.
        package var entries: Int
        /// The maximum size of the body of a request or response in bytes, after decoding base64. Default: 64 MiB.
        package var bodyBytes: Int

        /// Creates limits, with defaults for those not passed.
        package init(fileBytes: Int = 256 << 20, entries: Int = 100_000, bodyBytes: Int = 64 << 20) {
            self.fileBytes = fileBytes
            self.entries = entries
            self.bodyBytes = bodyBytes
        }
    }
}

extension HTTPArchive: RedactedStringConvertible {
    /// The creator and the number of exchanges. Their content is left out, since the archive of a browser is full of secrets.
    public var description: String {
        "HTTP archive of \(creator.name.printable), \(entries.count) entries"
    }
}

extension HTTPArchive {
    /// Reads an archive file written by this package or a browser, of at most 256 MiB and 100,000 exchanges.
    ///
    /// Fields that a replay does not need may be missing or invalid: sizes are not relied on, invalid times and addresses are dropped, and a
    /// missing list is empty. Method, URL, status, header fields and the encoding of bodies must be valid. An entry in which they are not, or
    /// with a body of more than 64 MiB, is left out and named in ``skipped``; the others are read.
    ///
    /// - Throws: ``HTTPArchiveError`` if the file cannot be read, exceeds one of the limits, is no archive, or has entries of which none can be
    ///   read.
    public init(contentsOf file: URL) throws {
        try self.init(contentsOf: file, limits: Limits())
    }

    /// Reads an archive file within limits, with the same rules as ``init(contentsOf:)``.
    package init(contentsOf file: URL, limits: Limits) throws(HTTPArchiveError) {
        do {
            // Reading one byte more than allowed detects a file that is too large even if its size changes meanwhile.
            let maximum = min(max(limits.fileBytes, 0), .max - 1) + 1
            try self.init(data: try RegularFile(file).contents(maximumBytes: maximum), limits: limits)
        } catch let error as HTTPArchiveError {
            throw error.named(file)
        } catch {
            let reason = (error as? RegularFile.Failure)?.reason ?? "cannot be read"
            throw HTTPArchiveError("", reason, file: file.lastPathComponent, underlying: error)
        }
        skipped = skipped.map { $0.named(file) }
    }

    /// Reads an archive from memory, with the same rules as ``init(contentsOf:limits:)``.
    ///
    /// - Throws: ``HTTPArchiveError``, as ``init(contentsOf:)`` does.
    package init(data: Data, limits: Limits = Limits()) throws(HTTPArchiveError) {
        guard data.count <= limits.fileBytes else {
            throw HTTPArchiveError("", "is larger than the \(limits.fileBytes) bytes allowed (fileBytes)")
        }
        let decoder = TransferJSONDecoder()
        if let key = CodingUserInfoKey.archiveLimits { decoder.userInfo[key] = limits }
        do {
            self = try decoder.decode(ArchiveCoding.self, from: data).archive
        } catch {
            throw HTTPArchiveError(error)
        }
    }

    /// Returns the archive as an indented HAR 1.2 document.
    ///
    /// Object members are sorted alphabetically, so that the same archive always gives the same bytes.
    ///
    /// - Throws: ``HTTPArchiveError`` if a value cannot be encoded as JSON. This does not happen with the values of this type.
    package func data() throws(HTTPArchiveError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(ArchiveCoding(archive: self))
        } catch {
            throw HTTPArchiveError("", "cannot be encoded", underlying: error)
        }
    }

    /// Writes the archive to a file that only the current user can read (mode 0600).
    ///
    /// The data is written to a temporary file in the same folder, which then replaces the old file atomically: a reader sees either the old
    /// or the new file. Blocks while the disk is busy. The folder must exist.
    ///
    /// - Throws: ``HTTPArchiveError`` if the file cannot be written; the old file is unchanged then.
    public func write(to file: URL) throws {
        let data = try data()
        let temporary = file.deletingLastPathComponent().appendingPathComponent(".recording-\(UUID().uuidString)")
        do throws(NewFile.Failure) {
            try NewFile.replace(file.path, with: data, through: temporary.path)
        } catch {
            throw HTTPArchiveError(
                "", "cannot be written: the new file cannot be \(error.step): \(error.error.message)",
                file: file.lastPathComponent,
                underlying: error)
        }
    }
}

extension CodingUserInfoKey {
    /// The key of the ``HTTPArchive/Limits`` that a decoder applies.
    static let archiveLimits = CodingUserInfoKey(rawValue: "archiveLimits")
}

extension HTTPArchive {
    /// A recorded request, as it was sent.
    package struct Request: Sendable, Hashable {
        /// The method of the request.
        package var method: RequestMethod
        /// The URL as text, as in the file. ``RecordingSessionManager`` replaces secrets in it by `%3Credacted%3E`.
        package var url: String
        /// The HTTP version as in the file, such as `HTTP/1.1` or `h2`; empty if the file has none.
        package var httpVersion: String
        /// The header fields of the request.
        package var headers: HeaderFields
        /// The body of the request; `nil` if there was none.
        package var body: Body?
        /// The size of the body in bytes as sent; -1 if it is unknown. Ignored if ``body`` has another size.
        package var bodySize: Int64

        /// Creates a request from its parts.
        package init(
            method: RequestMethod = .get, url: String, httpVersion: String = "HTTP/1.1", headers: HeaderFields = [:],
            body: Body? = nil,
            bodySize: Int64 = -1
        ) {
            self.method = method
            self.url = url
            self.httpVersion = httpVersion
            self.headers = headers
            self.body = body
            self.bodySize = bodySize
        }
    }

    /// A recorded response, as it was received.
    package struct Response: Sendable, Hashable {
        /// The status code; 0 if no response was received.
        package var statusCode: Int
        /// The reason phrase; often empty.
        package var statusText: String
        /// The HTTP version as in the file, such as `HTTP/1.1` or `h2`; empty if the file has none.
        package var httpVersion: String
        /// The header fields as received: `Content-Encoding` and `Content-Length` describe the bytes before content decoding, while ``body``
        /// contains the decoded bytes.
        package var headers: HeaderFields
        /// The body after content decoding.
        package var body: Body
        /// The fields after the body (RFC 9110 §6.5). The format has none; files have them as `_trailers`.
        package var trailers: HeaderFields
        /// The number of body bytes received, before content decoding; -1 if it is unknown.
        package var bodySize: Int64
        /// The URL that responded, after redirects. If it is set, the response is final, whatever its status. Browsers write a separate entry
        /// for each redirect instead, and leave this `nil`.
        package var finalURL: String?

        /// Creates a response from its parts.
        package init(
            statusCode: Int, statusText: String = "", httpVersion: String = "HTTP/1.1", headers: HeaderFields = [:],
            body: Body = Body(), trailers: HeaderFields = [:], bodySize: Int64 = -1, finalURL: String? = nil
        ) {
            self.statusCode = statusCode
            self.statusText = statusText
            self.httpVersion = httpVersion
            self.headers = headers
            self.body = body
            self.trailers = trailers
            self.bodySize = bodySize
            self.finalURL = finalURL
        }
    }

    /// The body of a recorded message, as far as the file contains it.
    package struct Body: Sendable, Hashable {
        /// The bytes; `nil` if there was a body that the file does not contain.
        package var data: Data?
        /// The media type with its parameters; empty if the file has none.
        package var mimeType: String
        /// Whether ``data`` is only the beginning of the body.
        package var isTruncated: Bool
        /// Whether secrets in ``data`` were replaced by `<redacted>`.
        package var isRedacted: Bool

        /// Creates a body from its parts.
        package init(_ data: Data? = Data(), mimeType: String = "", isTruncated: Bool = false, isRedacted: Bool = false) {
            self.data = data
            self.mimeType = mimeType
            self.isTruncated = isTruncated
            self.isRedacted = isRedacted
        }
    }

    /// The reason why an exchange has no complete response.
    package struct Failure: Sendable, Hashable {
        /// The error code, for callers to branch on.
        package var code: TransportError.Code
        /// The phase in which the transfer failed; `nil` if it is unknown.
        package var phase: TransportError.Phase?
        /// A message for human readers. In a browser's archive, the browser's error name: `net::ERR_…`.
        package var message: String

        /// Creates a failure from its parts.
        package init(_ code: TransportError.Code, phase: TransportError.Phase? = nil, message: String = "") {
            self.code = code
            self.phase = phase
            self.message = message
        }
    }

    /// The durations of the phases of an exchange; `nil` for a phase that did not happen or is unknown.
    package struct Timings: Sendable, Hashable {
        /// The time spent waiting for a connection.
        package var blocked: Duration?
        /// The duration of the name lookup.
        package var dns: Duration?
        /// The duration of the TCP connect and the TLS handshake together.
        package var connect: Duration?
        /// The duration of the TLS handshake alone; it is part of ``connect``.
        package var ssl: Duration?
        /// The time spent sending the request.
        package var send: Duration?
        /// The time spent waiting for the first byte of the response.
        package var wait: Duration?
        /// The time spent receiving the response.
        package var receive: Duration?

        /// Creates timings from the durations of the phases.
        package init(
            blocked: Duration? = nil, dns: Duration? = nil, connect: Duration? = nil, ssl: Duration? = nil, send: Duration? = nil,
            wait: Duration? = nil, receive: Duration? = nil
        ) {
            self.blocked = blocked
            self.dns = dns
            self.connect = connect
            self.ssl = ssl
            self.send = send
            self.wait = wait
            self.receive = receive
        }

        /// The sum of all phases; ``ssl`` is part of ``connect``. Each phase counts as at most 10^9 seconds.
        package var total: Duration {
            [blocked, dns, connect, send, wait, receive].reduce(.zero) { $0 + ($1?.bounded ?? .zero) }
        }
    }
}

// The archive of a browser is full of secrets, so descriptions show no query, no header field and no body.

extension HTTPArchive.Entry: RedactedStringConvertible {
    /// Method, origin and path, status, size of the bodies, and the failure code if there is one.
    package var description: String { "\(request): \(response)" + (failure.map { ", \($0.code.rawValue.printable)" } ?? "") }
}

extension HTTPArchive.Request: RedactedStringConvertible {
    /// Method, origin and path, and the size of the body.
    package var description: String {
        "\(method.rawValue.printable) \(URLText(url).originAndPath.printableLine)" + (body.map { ", \($0)" } ?? "")
    }
}

extension HTTPArchive.Response: RedactedStringConvertible {
    /// The status code and the size of the body.
    package var description: String { "\(statusCode), \(body)" }
}

extension HTTPArchive.Body: RedactedStringConvertible {
    /// The size of the body in bytes.
    package var description: String { data.map { "\($0.count)-byte body" } ?? "body not recorded" }
}
