import Endpoints
import NetworkCore

/// The progress of a download: it adds the bytes of earlier downloads.
typealias DownloadProgress = FileProgress<DownloadCounting>

struct DownloadCounting: FileCounting {
    /// The position in the file at which the current response's body begins; `nil` until its head has been received.
    fileprivate var offset: Int64?
    /// The latest progress that was received before `offset` was known.
    fileprivate var early: TransferProgress?
    /// The rates of the requests that load ranges at the same time, by their numbers; `nil` while one request loads the file.
    fileprivate var rates: [Int: Double]?

    init() {}

    static func add(_ part: TransferProgress, of request: Int, to state: inout DownloadProgress.State) -> Bool {
        if state.counting.rates != nil {
            state.counting.rates?[request] = part.isFinished ? nil : part.recentBytesPerSecond
            state.progress.recentBytesPerSecond = state.counting.rates?.values.reduce(0, +) ?? 0
            return !part.isFinished
        }
        guard request == state.request, !part.isFinished else { return false }
        guard let offset = state.counting.offset else {
            state.counting.early = part
            return false
        }
        state.progress.add(part, at: offset)
        return true
    }
}

extension DownloadProgress {
    /// Returns the observer for the next request of the download.
    func beginAttempt() -> any TransferProgressObserver {
        beginRequest { $0 = DownloadCounting() }
    }

    /// Starts counting ranges that are loaded at the same time. Their bytes are those that ``note(received:)`` records.
    ///
    /// - Parameters:
    ///   - received: The number of bytes of the file that have been received.
    ///   - total: The length of the complete file.
    func beginRanges(at received: Int64, of total: Int64) {
        beginBody(at: received, of: total)
        report { state in
            state.counting.rates = [:]
            return false
        }
    }

    /// Returns the observer for a request of a range, after ``beginRanges(at:of:)``.
    func beginRange() -> any TransferProgressObserver { beginRequest() }

    /// Starts counting the body of a response whose head has been received.
    ///
    /// - Parameters:
    ///   - offset: The position in the file at which the body begins.
    ///   - total: The length of the complete file, if it is known.
    func beginBody(at offset: Int64, of total: Int64?) {
        report { state in
            state.counting.offset = offset
            state.progress.bytesReceived = offset
            // Bytes that were received in the same call do not count as resumed.
            state.progress.bytesResumed = state.hasBegun ? min(state.progress.bytesResumed, offset) : offset
            state.hasBegun = true
            state.progress.totalBytesToReceive = total
            defer { state.counting.early = nil }
            return state.counting.early.map { state.progress.add($0, at: offset) } != nil
        }
    }

    /// Records the number of bytes in the file without sending an event. The last event contains it at the latest.
    func note(received: Int64) {
        report { state in
            state.progress.bytesReceived = received
            return false
        }
    }

    /// Records that the file is complete, without sending an event.
    func complete(length: Int64) {
        report { state in
            state.progress.bytesReceived = length
            state.progress.totalBytesToReceive = length
            return false
        }
    }
}

extension TransferProgress {
    /// Adds the progress of a transfer to that of the file.
    ///
    /// - Parameter offset: The position in the file at which the body of the transfer begins.
    fileprivate mutating func add(_ part: TransferProgress, at offset: Int64) {
        bytesSent = part.bytesSent
        totalBytesToSend = part.totalBytesToSend
        bytesReceived = max(bytesReceived, offset + part.bytesReceived)
        recentBytesPerSecond = part.recentBytesPerSecond
    }
}
