import DataTransfer

/// The exit codes of the tool: those of `sysexits.h`, and 130 as shells have
/// it after an interruption.
enum ExitCode: Int32 {
    case success = 0
    case usage = 64
    case wrongData = 65
    case unavailable = 69
    case cannotCreate = 73
    case temporaryFailure = 75
    case interrupted = 130

    init(_ error: any Error) {
        if case DataTransferError.networkFailure(.requestGeneration) = error {
            self = .usage
        } else if error.isCancelled {
            self = .interrupted
        } else if error.isRetryable {
            self = .temporaryFailure
        } else if case DataTransferError.file(let failure) = error {
            self = failure.code == .digestMismatch ? .wrongData : .cannotCreate
        } else {
            self = .unavailable
        }
    }
}
