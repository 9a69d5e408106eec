import DataTransfer
import Foundation
import NetworkRecordings
import ResumableUploads

/// The exit code of the tool, curl's if it has one for the failure (`man curl`, “EXIT CODES”).
struct ExitStatus: RawRepresentable, Error, Equatable {
    let rawValue: Int32

    static let other = ExitStatus(rawValue: 1)
    static let usage = ExitStatus(rawValue: 2)
    static let httpError = ExitStatus(rawValue: 22)
    static let cannotWrite = ExitStatus(rawValue: 23)
    static let cannotRead = ExitStatus(rawValue: 26)
    static let timedOut = ExitStatus(rawValue: 28)
    static let loginDenied = ExitStatus(rawValue: 67)
    /// The digest of the file is wrong. curl has no code for it.
    static let digestMismatch = ExitStatus(rawValue: 110)
    /// Ctrl-C was pressed: 128 and the number of the signal, as shells have it.
    static let interrupted = ExitStatus(rawValue: 130)

    private static let transport: [TransportError.Code: Int32] = [
        .unsupported: 1, .invalidRequest: 3, .invalidConfiguration: 2, .nameLookupFailed: 6, .cannotConnect: 7,
        .malformedResponse: 8,
        .incompleteBody: 18, .bodyFailed: 26, .outOfResources: 27, .timedOut: 28, .tooManyRedirects: 47, .redirectRefused: 1,
        .connectionLost: 56, .undecodableContent: 61, .bodyTooLarge: 63, .bodyNotReplayable: 65, .authenticationFailed: 67,
        .trustUnavailable: 77, .proxyFailed: 97, .headersTooLarge: 56,
    ]
    private static let file: [FileFailure.Code: ExitStatus] = [
        .digestMismatch: .digestMismatch, .lengthMismatch: ExitStatus(rawValue: 18), .rangeMismatch: ExitStatus(rawValue: 33),
        .tooLarge: ExitStatus(rawValue: 63), .invalidOptions: .usage,
    ]

    /// What to print instead of the error's own text.
    var message: String? {
        switch self {
        case .interrupted: "interrupted; if the server supports ranges, the same command resumes the transfer"
        case .timedOut: "the time is over; if the server supports ranges, the same command resumes the transfer"
        default: nil
        }
    }

    init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Returns the code for a failure.
    init(_ error: any Error) {
        switch error {
        case let status as ExitStatus: self = status
        case let error as DataTransferError: self.init(error)
        case is Netrc.Failure: self = .loginDenied
        case is Terminal.Closed, is HTTPArchiveError: self = .cannotWrite
        default: self = .other
        }
    }

    private init(_ error: DataTransferError) {
        if let failure = error.fileFailure {
            self = Self.file[failure.code] ?? .cannotWrite
        } else if let failure = error.uploadFailure {
            self = failure.code == .fileUnreadable || failure.code == .fileChanged ? .cannotRead : .httpError
        } else if let failure = error.networkError?.transportError {
            self.init(failure)
        } else if error.statusCode != nil {
            self = .httpError
        } else if case .networkFailure(.requestGeneration(let failure)) = error, case .file = failure.field {
            self = .cannotRead
        } else {
            self.init(rawValue: 3)
        }
    }

    private init(_ error: TransportError) {
        switch (error.code, error.phase) {
        case (.connectionLost, .firstByte): self.init(rawValue: 52)
        case (.connectionLost, .send): self.init(rawValue: 55)
        case (.tlsFailed, _):
            switch error.tlsFailure {
            case .pinMismatch: self.init(rawValue: 90)
            case .protocolVersion, .handshakeRefused, .other, nil: self.init(rawValue: 35)
            case .clientCertificateRequired, .clientCertificateRejected: self.init(rawValue: 58)
            default: self.init(rawValue: 60)
            }
        default: self.init(rawValue: Self.transport[error.code] ?? 1)
        }
    }
}
