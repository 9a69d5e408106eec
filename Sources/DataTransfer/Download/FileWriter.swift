import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// A writer that appends chunks to a file in order, while the next ones are received.
///
/// At most about 1 MiB is buffered. A caller that passes more is suspended, which slows down the server in the end (back-pressure).
final class FileWriter: Sendable {
    private struct State {
        var chunks: [Data] = []
        /// The number of bytes that have not been written yet.
        var waitingBytes = 0
        var isWorking = false
        var failure: FileFailure?
        var sender: (waiter: UnsafeContinuation<Void, Never>, until: Int)?
        /// The position of the next byte, and the digests so far. While the worker is running, it has its own copies of both.
        var offset: Int64
        var digests: [RunningDigest]
        /// The position up to which bytes have been written.
        var written: Int64
    }

    private static let capacity = 1 << 20

    let file: OutputFile
    private let state: Locked<State>

    /// Creates a writer that starts at an offset.
    ///
    /// - Parameter digests: The digests that are updated with the written bytes.
    init(_ file: OutputFile, from offset: Int64 = 0, digests: [RunningDigest] = []) {
        self.file = file
        state = Locked(State(offset: offset, digests: digests, written: offset))
    }

    /// The position up to which all bytes have been written.
    var written: Int64 { state.withLock(\.written) }

    /// Adds a chunk to the buffer, and returns when there is room for more.
    ///
    /// - Throws: The failure to write an earlier chunk.
    func write(_ chunk: Data) async throws(FileFailure) {
        let (startsWork, isFull) = state.withLock { state in
            guard state.failure == nil else { return (false, false) }
            state.chunks.append(chunk)
            state.waitingBytes += chunk.count
            defer { state.isWorking = true }
            return (!state.isWorking, state.waitingBytes > Self.capacity)
        }
        if startsWork { BackgroundThreads.files.run { self.work() } }
        if isFull { await waiting(until: Self.capacity / 2) }
        if let failure = state.withLock(\.failure) { throw failure }
    }

    /// Waits until all chunks have been written.
    ///
    /// - Returns: The digests, each up to the last byte if its position was that at which the writer started.
    /// - Throws: The failure to write a chunk.
    func finish() async throws(FileFailure) -> [RunningDigest] {
        await waiting(until: 0)
        let (failure, digests) = state.withLock { ($0.failure, $0.digests) }
        if let failure { throw failure }
        return digests
    }

    private func waiting(until bytes: Int) async {
        await withUnsafeContinuation { continuation in
            let isReady = state.withLock { state in
                if !state.isWorking || state.failure != nil && bytes > 0 { return true }
                state.sender = (continuation, bytes)
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    private func work() {
        var (offset, digests) = state.withLock { ($0.offset, $0.digests) }
        while true {
            let (chunk, finished): (Data?, UnsafeContinuation<Void, Never>?) = state.withLock { state in
                if state.failure == nil, !state.chunks.isEmpty { return (state.chunks.removeFirst(), nil) }
                state.isWorking = false
                state.offset = offset
                state.digests = digests
                defer { state.sender = nil }
                return (nil, state.sender?.waiter)
            }
            guard let chunk else {
                finished?.resume()
                return
            }
            let result = Result { () throws(FileFailure) in
                try chunk.withBytes { (bytes) throws(FileFailure) in
                    try file.write(bytes, at: offset)
                    for index in digests.indices { digests[index].take(bytes, at: offset) }
                }
            }
            offset += Int64(chunk.count)
            let sender: UnsafeContinuation<Void, Never>? = state.withLock { [offset] state in
                state.waitingBytes -= chunk.count
                switch result {
                case .success: state.written = offset
                case .failure(let failure):
                    state.failure = failure
                    state.chunks = []
                }
                guard let sender = state.sender, sender.until > 0, state.waitingBytes <= sender.until || state.failure != nil
                else {
                    return nil
                }
                state.sender = nil
                return sender.waiter
            }
            sender?.resume()
        }
    }
}
