import DataTransfer
import Endpoints
import NetworkCore
import NetworkSupport

/// The progress of an upload, which never decreases.
typealias UploadProgress = FileProgress<UploadCounting>

struct UploadCounting: FileCounting {
    /// The position in the file at which the body of the current request begins.
    fileprivate var offset: Int64 = 0

    init() {}

    static func add(_ part: TransferProgress, of request: Int, to state: inout UploadProgress.State) -> Bool {
        guard request == state.request, !part.isFinished else { return false }
        let total = state.progress.totalBytesToSend ?? .max
        let sent = min(state.counting.offset + part.bytesSent.clamped(to: 0...UploadRecord.maximumLength), total)
        guard sent > state.progress.bytesSent else { return false }
        state.progress.bytesSent = sent
        state.progress.recentBytesPerSecond = part.recentBytesPerSecond
        return true
    }
}

extension UploadProgress {
    /// Returns the observer of a request that sends bytes from a position on.
    func part(from offset: Int64) -> any TransferProgressObserver {
        beginRequest { $0.offset = offset }
    }

    /// Reports the position up to which the server has the file.
    func reached(_ offset: Int64, of length: Int64) {
        report { state in
            state.progress.totalBytesToSend = length
            if !state.hasBegun { state.progress.bytesResumed = offset }
            state.hasBegun = true
            state.progress.bytesSent = max(state.progress.bytesSent, offset)
            return true
        }
    }
}
