import Endpoints
import Foundation
import NetworkCore

/// Writes chunks to a file one behind the other while the next ones are on their way.
///
/// At most about 1 MiB waits. Whoever hands over more waits too, and with it, in the end, the server.
final class FileWriter: Sendable {
    private struct State {
        var chunks: [Data] = []
        /// Bytes that are not in the file yet.
        var waitingBytes = 0
        var isWorking = false
        var failure: FileFailure?
        var sender: (waiter: UnsafeContinuation<Void, Never>, until: Int)?
        /// Where the next byte goes, and what is made of the bytes on the way: the worker's while it works.
        var offset: Int64
        var digests: [RunningDigest]
    }

    private static let capacity = 1 << 20

    let file: OutputFile
    private let state: Locked<State>

    /// - Parameter digests: Those that are to be known at the end.
    init(_ file: OutputFile, from offset: Int64 = 0, digests: [RunningDigest] = []) {
        self.file = file
        state = Locked(State(offset: offset, digests: digests))
    }

    /// Returns when there is room for more.
    ///
    /// - Throws: What went wrong with an earlier chunk.
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

    /// Returns when all is in the file.
    ///
    /// - Returns: The digests, up to the last byte unless they began later than the file's beginning.
    /// - Throws: What went wrong with any chunk.
    func finish() async throws(FileFailure) -> [RunningDigest] {
        await waiting(until: 0)
        let (failure, digests) = state.withLock { ($0.failure, $0.digests) }
        if let failure { throw failure }
        return digests
    }

    private func waiting(until bytes: Int) async {
        await withUnsafeContinuation { continuation in
            let mayGoOn = state.withLock { state in
                if !state.isWorking || state.failure != nil && bytes > 0 { return true }
                state.sender = (continuation, bytes)
                return false
            }
            if mayGoOn { continuation.resume() }
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
            let sender: UnsafeContinuation<Void, Never>? = state.withLock { state in
                state.waitingBytes -= chunk.count
                if case .failure(let failure) = result {
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

/// The SHA-256 of a file from some byte on, made while the file is written.
struct RunningDigest: Sendable {
    let start: Int64
    /// Up to where it has come.
    private var position: Int64
    private var hash = SHA256()

    init(from start: Int64) {
        self.start = start
        position = start
    }

    /// Bytes that are not the next ones are left for later.
    mutating func take(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        guard offset == position else { return }
        hash.update(bytes)
        position += Int64(bytes.count)
    }

    /// Reads what is missing. May take long.
    mutating func catchUp(with file: OutputFile, to end: Int64, isCancelled: () -> Bool = { false }) throws(FileFailure) {
        guard position < end else { return }
        var piece = Data(count: 256 << 10)
        while position < end, !isCancelled() {
            let wanted = Int(min(Int64(piece.count), end - position))
            let count = try piece.withMutableBytes { (bytes) throws(FileFailure) in
                try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<wanted]), at: position)
            }
            guard count > 0 else { throw FileFailure(.other, "the file became shorter while it was read", url: file.url) }
            piece.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            position += Int64(count)
        }
    }

    var bytes: [UInt8] { hash.finalized() }
}

/// What the bytes of a file from some byte on have to hash to.
struct DigestCheck: Sendable, Hashable {
    var start: Int64
    var expected: [UInt8]
    /// Who says so, for people.
    var source: String

    /// What a response's header or trailer fields announce (RFC 9530): `Content-Digest` of its body, `Repr-Digest` of the whole.
    ///
    /// - Parameter start: Where its body begins in the whole.
    static func announced(in fields: HTTPHeaders, bodyAt start: Int64) -> [DigestCheck] {
        [("Content-Digest", start), ("Repr-Digest", 0)].compactMap { name, start in
            guard let digest = fields[name].flatMap({ DigestField($0).digests["sha-256"] }), digest.count == SHA256.byteCount
            else { return nil }
            return DigestCheck(start: start, expected: Array(digest), source: "the response's \(name)")
        }
    }
}
