import Foundation
import NetworkCore

extension ResponseStream {
    /// The same stream, whose bytes are gathered while they are read: nothing is read ahead.
    ///
    /// - Parameters:
    ///   - maximum: With more bytes, nothing is kept, and those that were are let go of at once.
    ///   - keep: Runs at most once: with all bytes, when the reader has come to the end, which waits for it.
    func kept(upTo maximum: Int, _ keep: @escaping @Sendable (Data) async -> Void) -> ResponseStream {
        let gathered = Locked<Data?>(Data())
        return ResponseStream { () async throws(TransportError) in
            var iterator = makeAsyncIterator()
            do throws(TransportError) {
                if let chunk = try await iterator.next() {
                    gathered.withLock { bytes in
                        if let count = bytes?.count, chunk.count <= maximum - count { bytes?.append(chunk) } else { bytes = nil }
                    }
                    return chunk
                }
            } catch {
                gathered.withLock { $0 = nil }
                throw error
            }
            let body = gathered.withLock { bytes in
                defer { bytes = nil }
                return bytes
            }
            if let body { await keep(body) }
            return nil
        } end: {
            end
        } stop: {
            stop()
            gathered.withLock { $0 = nil }
        }
    }
}
