import DataTransfer
import Foundation
import NetworkLogging

/// An HTTP archive (HAR 1.2): recorded exchanges in the format that browsers export and import.
///
/// ```swift
/// let archive = try HTTPArchive(contentsOf: URL(fileURLWithPath: "Fixtures/users.har"))
/// print(archive.entries.map(\.request.url))
/// ```
///
/// It contains what a replay needs. Pages, `cache` objects and browser-specific members (`_initiator`) are ignored when a file is read, and
/// are not written again. Cookies and query items are derived from header fields and URLs when a file is written.
public struct HTTPArchive: Sendable, Hashable {
    /// The name and version of the program that wrote an archive.
    public struct Creator: Sendable, Hashable {
        /// The name of the program.
        public var name: String
        /// The version of the program.
        public var version: String

        /// Creates a creator with a name and version.
        public init(name: String, version: String) {
            self.name = name
            self.version = version
        }

        /// The creator of archives that this package writes.
        public static let dataTransfer = Creator(name: "swift-data-transfer", version: "1")
    }

    /// The program that wrote the archive.
    public var creator: Creator
    /// The exchanges, in the order in which they began.
    public var entries: [Entry]
    /// A comment for human readers.
    public var comment: String?

    /// Creates an archive from its parts.
    public init(creator: Creator = .dataTransfer, entries: [Entry] = [], comment: String? = nil) {
        self.creator = creator
        self.entries = entries
        self.comment = comment
    }

    /// A single exchange: a request, and its response or failure.
    public struct Entry: Sendable, Hashable {
        /// The time at which the exchange began; `nil` if the file has no valid date.
        public var started: Date?
        /// The request that was sent.
        public var request: Request
        /// The response that was received. Its status is 0 if the exchange failed without a response.
        public var response: Response
        /// The durations of the phases of the exchange.
        public var timings: Timings
        /// The error because of which there is no complete response; `nil` if the exchange succeeded.
        public var failure: Failure?
        /// The IP address of the server; `nil` if it is unknown.
        public var serverAddress: String?

        /// Creates an entry from its parts.
        public init(
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
    public struct Limits: Sendable, Hashable {
        /// The maximum size of the file in bytes. Default: 256 MiB.
        public var fileBytes: Int
        /// The maximum number of exchanges. Default: 100,000.
        public var entries: Int
        /// The maximum size of the body of a request or response in bytes, after decoding base64. Default: 64 MiB.
        public var bodyBytes: Int

        /// Creates limits, with defaults for those not passed.
        public init(fileBytes: Int = 256 << 20, entries: Int = 100_000, bodyBytes: Int = 64 << 20) {
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
    /// Reads an archive file written by this package or a browser.
    ///
    /// Fields that a replay does not need may be missing or invalid: sizes are not relied on, invalid times and addresses are dropped, and a
    /// missing list is empty. Method, URL, status, header fields and the encoding of bodies must be valid.
    ///
    /// - Throws: ``HTTPArchiveError`` if the file cannot be read, exceeds one of the limits, or has an invalid field.
    public init(contentsOf file: URL, limits: Limits = Limits()) throws(HTTPArchiveError) {
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            // Reading one byte more than allowed detects a file that is too large even if its size changes meanwhile.
            let data = try handle.read(upToCount: max(limits.fileBytes, 0).addingReportingOverflow(1).partialValue) ?? Data()
            try self.init(data: data, limits: limits)
        } catch let error as HTTPArchiveError {
            throw error.named(file)
        } catch {
            throw HTTPArchiveError("", "cannot be read", file: file.lastPathComponent, underlying: error)
        }
    }

    /// Reads an archive from memory, with the same rules as ``init(contentsOf:limits:)``.
    ///
    /// - Throws: ``HTTPArchiveError`` if the data exceeds one of the limits or has an invalid field.
    public init(data: Data, limits: Limits = Limits()) throws(HTTPArchiveError) {
        guard data.count <= limits.fileBytes else {
            throw HTTPArchiveError("", "is larger than the \(limits.fileBytes) bytes allowed (fileBytes)")
        }
        let decoder = JSONDecoder()
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
    public func data() throws(HTTPArchiveError) -> Data {
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
    public func write(to file: URL) throws(HTTPArchiveError) {
        let data = try data()
        do {
            try PrivateReplacement(of: file).write(data)
        } catch {
            throw HTTPArchiveError("", "cannot be written: \(error)", file: file.lastPathComponent, underlying: error)
        }
    }
}

extension CodingUserInfoKey {
    /// The key of the ``HTTPArchive/Limits`` that a decoder applies.
    static let archiveLimits = CodingUserInfoKey(rawValue: "archiveLimits")
}

/// A file with mode 0600 that replaces another file atomically once it is written completely.
struct PrivateReplacement {
    /// An error with the system's message.
    struct Failure: Error, CustomStringConvertible {
        var description: String
        var underlying: (any Error)?
    }

    private let file: URL

    init(of file: URL) {
        self.file = file
    }

    func write(_ data: Data) throws(Failure) {
        let folder = file.deletingLastPathComponent()
        var name = Array(folder.appendingPathComponent(".recording-XXXXXX").path.utf8CString)
        // POSIX mkstemp creates the file with mode 0600, whatever the umask.
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw Self.failure("cannot create a file in its folder") }
        do {
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try handle.write(contentsOf: data)
            try handle.close()
        } catch {
            unlink(name)
            throw Failure(description: "cannot write the data", underlying: error)
        }
        guard rename(name, file.path) == 0 else {
            let failure = Self.failure("cannot move it into place")
            unlink(name)
            throw failure
        }
    }

    private static func failure(_ what: String) -> Failure {
        Failure(description: "\(what): \(String(cString: strerror(errno)))")
    }
}
