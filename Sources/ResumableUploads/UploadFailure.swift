import DataTransfer
import Endpoints
import Foundation
import NetworkSupport
import NetworkLogging

/// An error of a resumable upload that is not a failure of the network: its file, its state or a response is not as expected.
///
/// Descriptions contain the name of the file but not its folder, which may reveal the user's name.
public struct UploadFailure: Error, Sendable {
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
    /// The file to be uploaded, or its state file if that is the cause.
    public var url: URL
    /// The status of the response that is the cause; `nil` if no response is.
    public var statusCode: Int?
    /// A human-readable explanation of the failure, which names the field or option and its value.
    public private(set) var message: String
    /// The method and URL of the request without the query, such as `PATCH https://host/path`.
    package internal(set) var request: String?
    /// The system's error number (`errno`), if a system call failed.
    package var systemError: Int32?
    /// Whether the upload on the server cannot become a copy of the file any more, so that its state is removed.
    let spoilsUpload: Bool

    /// Creates a failure. Of `message`, the first 400 characters are kept, with secrets redacted and control characters escaped.
    init(
        _ code: Code, _ message: String, url: URL, statusCode: Int? = nil, systemError: Int32? = nil, spoilsUpload: Bool = false
    ) {
        self.code = code
        self.url = url
        self.statusCode = statusCode
        self.systemError = systemError
        self.spoilsUpload = spoilsUpload
        self.message = message.printableLine
    }

    /// Creates a failure from that of a system call.
    init(_ code: Code, _ what: String, url: URL, _ error: SystemError) {
        self.init(code, "\(what): \(error.message)", url: url, systemError: error.number)
    }
}

extension UploadFailure.Code {
    /// The file does not exist, cannot be read, or is not a regular file.
    public static let fileUnreadable = Self(rawValue: "fileUnreadable")
    /// The file is not the one whose upload was begun, or it has changed during the upload.
    ///
    /// The upload cannot be completed. ``DataTransfer/DataTransferService/terminateUpload(_:to:options:)`` ends it; then the file can be uploaded again.
    public static let fileChanged = Self(rawValue: "fileChanged")
    /// The state file cannot be written, contains something else, or is not private to this user.
    public static let stateUnusable = Self(rawValue: "stateUnusable")
    /// Another upload with the same state file is running, in this process or another.
    public static let busy = Self(rawValue: "busy")
    /// A value of ``UploadOptions``, or the URL of the file, is invalid; the message names it. Nothing was sent.
    public static let invalidOptions = Self(rawValue: "invalidOptions")
    /// The file is larger than the server accepts (`Tus-Max-Size`, or status 413).
    public static let tooLarge = Self(rawValue: "tooLarge")
    /// The server does not implement version 1.0.0 of the protocol (`Tus-Version`, status 412).
    public static let unsupportedVersion = Self(rawValue: "unsupportedVersion")
    /// The response has no valid URL of the upload (`Location`), or an http URL although the request was sent over https.
    public static let invalidLocation = Self(rawValue: "invalidLocation")
    /// The position that the server reports (`Upload-Offset`) is missing, malformed, beyond the sent bytes, or before a position that the
    /// same request continued from.
    public static let invalidOffset = Self(rawValue: "invalidOffset")
    /// The length that the server reports (`Upload-Length`) is malformed, or not that of the file.
    public static let lengthMismatch = Self(rawValue: "lengthMismatch")
    /// The upload does not exist on the server any more (403, 404 or 410), not even after it was created once more.
    public static let gone = Self(rawValue: "gone")
    /// The server repeatedly reported that another request is using the upload (423).
    public static let locked = Self(rawValue: "locked")
    /// The server repeatedly refused the position that it had reported before (409).
    public static let conflict = Self(rawValue: "conflict")
    /// The server repeatedly received bytes whose checksum was another one (460).
    public static let checksumMismatch = Self(rawValue: "checksumMismatch")
    /// The server repeatedly responded with success, but did not store a byte.
    public static let noProgress = Self(rawValue: "noProgress")
}

extension UploadFailure {
    /// Whether another attempt may succeed later.
    var isRetryable: Bool { [.busy, .locked, .conflict, .checksumMismatch, .noProgress].contains(code) }
}

extension UploadFailure: RedactedStringConvertible, LocalizedError {
    /// A textual representation on one line: request, file name, code and message.
    public var description: String {
        (request.map { "\($0): " } ?? "")
            + "\"\(url.lastPathComponent.printable)\" cannot be uploaded: \(code.rawValue): \(message.printableLine)"
    }
}

extension UploadFailure: OperationFailure {
    package var facts: CallFacts { CallFacts(statusCode: statusCode, isRetryable: isRetryable) }
}

extension DataTransferError {
    /// The failure of a resumable upload; `nil` for any other error.
    public var uploadFailure: UploadFailure? {
        if case .operation(let failure as UploadFailure) = self { failure } else { nil }
    }
}
