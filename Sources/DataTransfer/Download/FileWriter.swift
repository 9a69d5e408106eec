import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// A writer that appends chunks to a file in order, while the next ones are received.
///
/// At most about 1 MiB is buffered. A caller that passes more is suspended, which slows down the server in the end (back-pressure).
final class FileWriter: Sendable {
    /// The position of the next byte, and the digests so far. While a thread writes, it has its own copy of the digests.
    private struct Progress {
        var position: Int64
        var digests: [RunningDigest]
    }

    private static let capacity = 1 << 20

    let file: OutputFile
    private let pipe = BoundedPipe<ChunkQueue, Void, FileFailure>(ChunkQueue(), capacity: capacity, resumption: capacity / 2)
    private let progress: Locked<Progress>
    /// Whether all chunks were written, or one could not be.
    private let isDone = Promise<Void>()

    /// Creates a writer that starts at an offset.
    ///
    /// - Parameter digests: The digests that are updated with the written bytes.
    init(_ file: OutputFile, from offset: Int64 = 0, digests: [RunningDigest] = []) {
        self.file = file
        progress = Locked(Progress(position: offset, digests: digests))
        _ = pipe.access { $0.awaitContent(.callback) }
    }

    /// The position up to which all bytes have been written.
    var written: Int64 { progress.withLock(\.position) }

    /// Adds a chunk to the buffer, and returns when there is room for more, or the task is cancelled.
    ///
    /// - Throws: The failure to write an earlier chunk.
    func write(_ chunk: Data) async throws(FileFailure) {
        change { state in if state.end == nil { state.content.append(chunk) } }
        _ = await pipe.room()
        if case .failure(let failure) = pipe.end { throw failure }
    }

    /// Waits until all chunks have been written. Called once.
    ///
    /// - Returns: The digests, each up to the last byte if its position was that at which the writer started.
    /// - Throws: The failure to write a chunk.
    func finish() async throws(FileFailure) -> [RunningDigest] {
        change { $0.finish(.success(())) }
        await isDone.value()
        if case .failure(let failure) = pipe.end { throw failure }
        return progress.withLock(\.digests)
    }

    /// Changes the pipe, and lets a background thread write if it did not.
    private func change(_ change: (inout BoundedPipe<ChunkQueue, Void, FileFailure>.State) -> Void) {
        let mustBegin = pipe.access { state in
            change(&state)
            return state.takeReaderCall()
        }
        if mustBegin { BackgroundThreads.files.run { self.work() } }
    }

    private func work() {
        var (offset, digests) = progress.withLock { ($0.position, $0.digests) }
        while true {
            switch pipe.access({ $0.take() }) {
            case .wait:
                progress.withLock { $0.digests = digests }
                if pipe.access({ $0.awaitContent(.callback) }) { return }
            case .end:
                progress.withLock { $0.digests = digests }
                isDone.resolve(())
                return
            case .piece(let chunk):
                do throws(FileFailure) {
                    try chunk.withBytes { (bytes) throws(FileFailure) in
                        try file.write(bytes, at: offset)
                        for index in digests.indices { digests[index].take(bytes, at: offset) }
                    }
                    offset += Int64(chunk.count)
                    progress.withLock { [offset] in $0.position = offset }
                } catch {
                    pipe.cancel(error)
                }
            }
        }
    }
}
