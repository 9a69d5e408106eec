import Endpoints
import Foundation
import NetworkCore

extension NetworkBody {
    /// Returns a body of chunks that are produced while they are sent: of any collections of bytes, such as `ArraySlice<UInt8>`.
    ///
    /// About 256 KiB are requested ahead of the connection, besides the current chunk.
    ///
    /// - Parameters:
    ///   - chunks: The chunks. Iterated in a separate task, which is cancelled when the transfer ends. An error that it throws ends the transfer.
    ///   - length: The total number of bytes; a different total is an error. `nil` if it is not known. Default: `nil`.
    ///   - isReplayable: Whether the sequence can be iterated again from its beginning, for a redirect or another attempt. Default: `false`.
    public static func bytes<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, length: Int64? = nil, isReplayable: Bool = false
    ) -> NetworkBody where Chunks.Element: Collection & Sendable, Chunks.Element.Element == UInt8 {
        let data = chunks.map { Data($0) }
        return isReplayable ? .stream(length: length) { data } : .stream(data, length: length)
    }

    /// The chunks as slices of arrays, for libraries with that type. Each is received when it is requested, as with the body itself.
    public var slices: AsyncMapSequence<NetworkBody, ArraySlice<UInt8>> {
        map { ArraySlice($0) }
    }
}
