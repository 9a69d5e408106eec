import Endpoints
import Foundation
import NetworkLogging

/// Why a response did not become a file.
///
/// Descriptions name the file but not its folder, which may tell who the user is.
public struct FileFailure: Error, Sendable {
    /// What a caller branches on. The vocabulary is open.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code as descriptions show it.
        public var rawValue: String

        /// A code of any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// What a caller branches on.
    public var code: Code
    /// The file that was to be made, or its folder where no name is known yet.
    public var url: URL
    /// `GET https://host/path`, without the query; before a response came, method and path of the endpoint. `nil` where it is about no request.
    public internal(set) var request: String?
    /// The system's error number (`errno`), where a call to the system failed.
    public var systemError: Int32?
    /// What happened, for people.
    public private(set) var message: String
    /// Whether the bytes that are there are of no use either.
    let spoilsFile: Bool

    /// A failure. Secrets in `message` are replaced.
    public init(_ code: Code, _ message: String, url: URL, systemError: Int32? = nil) {
        self.init(code, message, url: url, systemError: systemError, spoilsFile: false)
    }

    init(_ code: Code, _ message: String, url: URL, systemError: Int32? = nil, spoilsFile: Bool) {
        self.code = code
        self.spoilsFile = spoilsFile
        self.url = url
        self.systemError = systemError
        self.message = Redaction.default.redacted(text: message)
    }
}

extension FileFailure.Code {
    /// There is such a file, and it is not to be replaced.
    public static let destinationExists = Self(rawValue: "destinationExists")
    /// There is a folder of that name.
    public static let destinationIsFolder = Self(rawValue: "destinationIsFolder")
    /// The folder to write to is not there, or is no folder.
    public static let folderMissing = Self(rawValue: "folderMissing")
    /// The folder or the file may not be written, or something else than a file is in the way.
    public static let notWritable = Self(rawValue: "notWritable")
    /// No room: the disk is full, a quota is used up, or a file may not be that large. What has come is kept, if it can be resumed.
    public static let diskFull = Self(rawValue: "diskFull")
    /// Another download to the same file is under way, in this process or another.
    public static let busy = Self(rawValue: "busy")
    /// The body is shorter or longer than announced. One that is shorter is kept, if it can be resumed.
    public static let lengthMismatch = Self(rawValue: "lengthMismatch")
    /// The server sent another part than it was asked for, or does not say which. Nothing is kept.
    public static let rangeMismatch = Self(rawValue: "rangeMismatch")
    /// The bytes are not those that the caller expects or the server announced. Nothing is kept.
    public static let digestMismatch = Self(rawValue: "digestMismatch")
    /// `DownloadOptions.maximumBytes`. Nothing is kept.
    public static let tooLarge = Self(rawValue: "tooLarge")
    /// What the caller asked for makes no sense: a digest that is none, a URL that is no file URL, a name that is none.
    public static let invalidOptions = Self(rawValue: "invalidOptions")
    /// What no other code names; the message says more.
    public static let other = Self(rawValue: "other")
}

extension FileFailure {
    /// Whether another attempt might fare better a moment later.
    var isRetryable: Bool { code == .lengthMismatch || code == .busy }

    /// A failed call to the system.
    init(_ what: String, url: URL, errno number: Int32) {
        self.init(Self.code(of: number), "\(what): \(String(cString: strerror(number)))", url: url, systemError: number)
    }

    private static func code(of number: Int32) -> Code {
        switch number {
        case EEXIST: .destinationExists
        case EISDIR, ENOTEMPTY: .destinationIsFolder
        case ENOENT, ENOTDIR: .folderMissing
        case EACCES, EPERM, EROFS, ELOOP, ETXTBSY: .notWritable
        case ENOSPC, EDQUOT, EFBIG: .diskFull
        case ENAMETOOLONG: .invalidOptions
        default: .other
        }
    }
}

extension FileFailure: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, LocalizedError {
    /// Request, file name, code and message on one line.
    public var description: String {
        (request.map { "\($0): " } ?? "") + "\"\(url.lastPathComponent.printable)\": \(code.rawValue): \(message.printableLine)"
    }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The same as `description`.
    public var errorDescription: String? { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
