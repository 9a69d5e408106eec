import Endpoints
import Foundation
import NetworkSupport
import NetworkLogging

/// An error that occurred while a response was stored in a file.
///
/// Descriptions contain the name of the file but not its folder, which may reveal the user's name.
public struct FileFailure: Error, Sendable {
    /// The kind of a failure. It is extensible: more codes may be added.
    public struct Code: ErrorCode {
        /// The text of the code, as it appears in descriptions.
        public var rawValue: String

        /// Creates a code with any text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The kind of the failure, for decisions of the caller.
    public var code: Code
    /// The file to be written, or its folder if the name is not known yet.
    public var url: URL
    /// The method and URL of the request without the query, such as `GET https://host/path`.
    ///
    /// If no response was received, it is the method and path of the endpoint; `nil` if the failure does not concern a request.
    package internal(set) var request: String?
    /// The system's error number (`errno`), if a system call failed.
    package var systemError: Int32?
    /// A human-readable explanation of the failure.
    public private(set) var message: String
    /// The hidden file with the bytes that were received, from which the same download continues; `nil` if nothing is kept.
    ///
    /// It takes space until the download is repeated, or ``PartialDownload/removeAll(in:where:)`` removes it.
    public private(set) var partialFile: URL?
    /// Whether the bytes that were received before must be discarded too.
    let spoilsFile: Bool

    /// Creates a failure. Of `message`, the first 400 characters are kept, with secrets redacted and control characters escaped.
    package init(_ code: Code, _ message: String, url: URL, systemError: Int32? = nil) {
        self.init(code, message, url: url, systemError: systemError, spoilsFile: false)
    }

    init(_ code: Code, _ message: String, url: URL, systemError: Int32? = nil, spoilsFile: Bool) {
        self.code = code
        self.spoilsFile = spoilsFile
        self.url = url
        self.systemError = systemError
        self.message = message.printableLine
    }
}

extension FileFailure.Code {
    /// The file exists, and must not be replaced.
    public static let destinationExists = Self(rawValue: "destinationExists")
    /// A folder with this name exists.
    public static let destinationIsFolder = Self(rawValue: "destinationIsFolder")
    /// The folder of the file does not exist, or is not a folder.
    public static let folderMissing = Self(rawValue: "folderMissing")
    /// The folder or the file is not writable, or something other than a regular file has this name.
    public static let notWritable = Self(rawValue: "notWritable")
    /// There is no space: the disk is full, a quota is used up, or the file would be too large.
    ///
    /// The received bytes are kept if the download can be resumed: ``FileFailure/partialFile``.
    public static let diskFull = Self(rawValue: "diskFull")
    /// Another download to the same file is running, in this process or another.
    public static let busy = Self(rawValue: "busy")
    /// The body is shorter or longer than announced. If it is shorter and the download can be resumed, it is kept.
    public static let lengthMismatch = Self(rawValue: "lengthMismatch")
    /// The server sent another range than requested, or did not specify it. Nothing is kept.
    public static let rangeMismatch = Self(rawValue: "rangeMismatch")
    /// The digest of the bytes is not the one that the caller expects or the server announced. Nothing is kept.
    public static let digestMismatch = Self(rawValue: "digestMismatch")
    /// The body exceeds `DownloadOptions.maximumBytes`. Nothing is kept.
    public static let tooLarge = Self(rawValue: "tooLarge")
    /// The options are invalid: a malformed digest, a URL that is not a file URL, or an invalid file name.
    public static let invalidOptions = Self(rawValue: "invalidOptions")
    /// Another failure, described by the message.
    public static let other = Self(rawValue: "other")
}

extension FileFailure {
    /// Adds the place of the bytes that are kept.
    mutating func add(kept path: String, byteCount: Int64) {
        let file = URL(fileURLWithPath: path, isDirectory: false)
        partialFile = file
        message += """
            ; \(byteCount) bytes are kept beside it in "\(file.lastPathComponent.printable)", with which the same download continues; \
            PartialDownload.removeAll(in:) removes them
            """
    }

    /// Whether another attempt may succeed later.
    var isRetryable: Bool { code == .lengthMismatch || code == .busy }

    /// Creates a failure from that of a system call.
    package init(_ what: String, url: URL, _ error: SystemError) {
        self.init(Self.code(of: error), "\(what): \(error.message)", url: url, systemError: error.number)
    }

    private static func code(of error: SystemError) -> Code {
        switch error.kind {
        case .exists: .destinationExists
        case .isFolder: .destinationIsFolder
        case .missing: .folderMissing
        case .noPermission, .symbolicLink, .isRunning: .notWritable
        case .noSpace: .diskFull
        case .nameTooLong: .invalidOptions
        case .other: .other
        }
    }
}

extension FileFailure: RedactedStringConvertible, LocalizedError {
    /// A textual representation on one line: request, file name, code and message.
    public var description: String {
        (request.map { "\($0): " } ?? "") + "\"\(url.lastPathComponent.printable)\": \(code.rawValue): \(message.printableLine)"
    }
}
