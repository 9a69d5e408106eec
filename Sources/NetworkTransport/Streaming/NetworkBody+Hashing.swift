import Endpoints
import Foundation
import NetworkSupport

extension NetworkBody {
    /// Returns the digest of all bytes of the body, which must be replayable. A file or a stream is read as for an attempt.
    ///
    /// - Throws: ``TransportError/Code/bodyFailed`` or ``TransportError/Code/bodyNotReplayable``.
    package func digest<Digest: MessageDigest>(
        _: Digest.Type, for request: NetworkRequest
    ) async throws(TransportError) -> [UInt8] {
        if let data { return Digest.digest(of: data) }
        var hash = Digest()
        do throws(TransportError) {
            try await send { chunk in chunk.withUnsafeBytes { hash.update($0) } }
        } catch {
            throw TransportError(like: error, request: request)
        }
        return hash.finalized()
    }
}
