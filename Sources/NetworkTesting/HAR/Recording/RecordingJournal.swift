import DataTransfer
import Foundation

/// The exchanges of a recording, each under the number it got when it began.
final class RecordingJournal: Sendable {
    private struct State {
        var entries: [Int: HTTPArchive.Entry] = [:]
        var begun = 0
        var bytes = 0
        var omission: HTTPArchiveError?
    }

    let redaction: Redaction
    let limits: RecordingLimits
    private let state = Locked(State())

    init(redaction: Redaction, limits: RecordingLimits) {
        self.redaction = redaction
        // Less than nothing is nothing.
        self.limits = RecordingLimits(
            bodyBytes: max(0, limits.bodyBytes), totalBytes: max(0, limits.totalBytes), entries: max(0, limits.entries))
    }

    var archive: HTTPArchive {
        let entries = state.withLock(\.entries)
        return HTTPArchive(entries: entries.sorted { $0.key < $1.key }.map(\.value))
    }

    /// The limit that has kept something from being recorded.
    var omission: HTTPArchiveError? { state.withLock(\.omission) }

    func begin(_ request: NetworkRequest) -> RecordingExchange {
        let number = state.withLock { state in
            state.begun += 1
            return state.begun
        }
        return RecordingExchange(request, number: number, journal: self)
    }

    func add(_ entry: HTTPArchive.Entry, number: Int) {
        let bytes = (entry.request.body?.data?.count ?? 0) + (entry.response.body.data?.count ?? 0)
        state.withLock { state in
            if state.entries.count >= limits.entries {
                state.omission = HTTPArchiveError("log.entries", "would hold more than \(limits.entries) entries (entries)")
            } else if bytes > limits.totalBytes - state.bytes {
                state.omission = HTTPArchiveError(
                    "log.entries", "would hold more than \(limits.totalBytes) bytes of bodies (totalBytes)")
            } else {
                state.bytes += bytes
                state.entries[number] = entry
            }
        }
    }
}
