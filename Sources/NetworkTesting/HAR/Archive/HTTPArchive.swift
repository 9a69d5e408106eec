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
