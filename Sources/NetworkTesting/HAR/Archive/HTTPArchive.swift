import DataTransfer
import Foundation

/// Recorded exchanges in the form that browsers export and open: an HTTP archive, HAR 1.2.
///
/// ```swift
/// let archive = try HTTPArchive(contentsOf: URL(fileURLWithPath: "Fixtures/users.har"))
/// print(archive.entries.map(\.request.url))
/// ```
///
/// It holds what a replay needs. Pages, the `cache` objects and what browsers add under names of their own (`_initiator`) are passed over when
/// a file is read, and are not written again. Cookies and query items are derived from header fields and URLs when a file is written.
public struct HTTPArchive: Sendable, Hashable {
    /// The program that wrote it.
    public struct Creator: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// Its version.
        public var version: String

        /// A program of this name and version.
        public init(name: String, version: String) {
            self.name = name
            self.version = version
        }

        /// This package.
        public static let dataTransfer = Creator(name: "swift-data-transfer", version: "1")
    }

    /// The program that wrote it.
    public var creator: Creator
    /// The exchanges, in the order in which they began.
    public var entries: [Entry]
    /// For people.
    public var comment: String?

    /// An archive of these parts.
    public init(creator: Creator = .dataTransfer, entries: [Entry] = [], comment: String? = nil) {
        self.creator = creator
        self.entries = entries
        self.comment = comment
    }

    /// One exchange: a request, and the response or failure that it met with.
    public struct Entry: Sendable, Hashable {
        /// When it began; `nil` where the file says nothing that can be read.
        public var started: Date?
        /// What was asked for.
        public var request: Request
        /// What came. With a ``failure`` and no answer, its status is 0.
        public var response: Response
        /// Where the time went.
        public var timings: Timings
        /// Why there was no whole answer.
        public var failure: Failure?
        /// The server's IP address, where it is known.
        public var serverAddress: String?

        /// An exchange of these parts.
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

    /// Bounds of what is read. A file beyond one of them is an ``HTTPArchiveError`` that names it.
    public struct Limits: Sendable, Hashable {
        /// The largest file, in bytes. 256 MiB.
        public var fileBytes: Int
        /// The most exchanges. 100,000.
        public var entries: Int
        /// The largest body of a request or response, in bytes, decoded from base64. 64 MiB.
        public var bodyBytes: Int

        /// Limits; those not given have their defaults.
        public init(fileBytes: Int = 256 << 20, entries: Int = 100_000, bodyBytes: Int = 64 << 20) {
            self.fileBytes = fileBytes
            self.entries = entries
            self.bodyBytes = bodyBytes
        }
    }
}

extension HTTPArchive: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Who wrote it, and how many exchanges it holds; nothing of them, as a browser's archive is full of secrets.
    public var description: String {
        "HTTP archive of \(creator.name.printable), \(entries.count) entries"
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension HTTPArchive {
    /// Reads a file, as this package and browsers write it.
    ///
    /// What a replay does not need may be missing or odd: sizes are not believed, times and addresses that make no sense are dropped, an
    /// absent list is empty. What it needs may not: method, URL, status, header fields, and the encoding of bodies.
    ///
    /// - Throws: ``HTTPArchiveError``: the file cannot be read, is larger than ``Limits/fileBytes``, or one of its fields is wrong.
    public init(contentsOf file: URL, limits: Limits = Limits()) throws(HTTPArchiveError) {
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            // One byte more tells a file that is too large, without a look at its size, which may change.
            let data = try handle.read(upToCount: max(limits.fileBytes, 0).addingReportingOverflow(1).partialValue) ?? Data()
            try self.init(data: data, limits: limits)
        } catch let error as HTTPArchiveError {
            throw error.named(file)
        } catch {
            throw HTTPArchiveError("", "cannot be read", file: file.lastPathComponent, underlying: error)
        }
    }

    /// Reads an archive from memory; otherwise like ``init(contentsOf:limits:)``.
    ///
    /// - Throws: ``HTTPArchiveError``.
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

    /// The archive as a HAR 1.2 document, indented, with the members of objects in alphabetical order: the same archive, the same bytes.
    ///
    /// - Throws: ``HTTPArchiveError`` where a value has no form in JSON; a text or number of this type always has one.
    public func data() throws(HTTPArchiveError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(ArchiveCoding(archive: self))
        } catch {
            throw HTTPArchiveError("", "cannot be encoded", underlying: error)
        }
    }

    /// Writes a file that this user alone can read (mode 0600), under a name of its own first, and moves it into place in one step: whoever
    /// reads finds the old file or the new one.
    ///
    /// Blocks for as long as the disk takes. The folder has to be there.
    ///
    /// - Throws: ``HTTPArchiveError``; the old file is as it was then.
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
    /// The ``HTTPArchive/Limits`` to be kept while reading.
    static let archiveLimits = CodingUserInfoKey(rawValue: "archiveLimits")
}

/// A file that takes another one's place when it is whole.
struct PrivateReplacement {
    /// What the system says, in its words.
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
        // Made with mode 0600, whatever the umask (POSIX mkstemp).
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw Self.failure("no file can be made in its folder") }
        do {
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try handle.write(contentsOf: data)
            try handle.close()
        } catch {
            unlink(name)
            throw Failure(description: "the disk does not take it", underlying: error)
        }
        guard rename(name, file.path) == 0 else {
            let failure = Self.failure("it cannot be moved into place")
            unlink(name)
            throw failure
        }
    }

    private static func failure(_ what: String) -> Failure {
        Failure(description: "\(what): \(String(cString: strerror(errno)))")
    }
}
