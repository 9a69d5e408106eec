import DataTransfer
import Foundation
import NetworkSupport
import NetworkTesting
import Testing

extension LoopbackServer {
    /// Returns a service for this server; by default with a separate session of the kind with which the test runs.
    package func service(
        session: any NetworkSessionManager = testedSession(), logger: (any DataTransferErrorLogger)? = nil
    ) -> DefaultDataTransferService {
        DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: url), sessionManager: session, errorLogger: logger)
    }
}

/// Returns pseudo-random bytes, the same for each seed: a shorter result is a prefix of a longer one.
package func sampleBytes(_ count: Int, seed: UInt64 = 1) -> Data {
    if let known = samples.withLock({ $0[seed] }), known.count >= count { return Data(known.prefix(count)) }
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    var bytes = [UInt8](repeating: 0, count: max((count + 7) / 8 * 8, 1 << 20))
    bytes.withUnsafeMutableBytes { bytes in
        for index in stride(from: 0, to: bytes.count, by: 8) {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            bytes.storeBytes(of: state, toByteOffset: index, as: UInt64.self)
        }
    }
    samples.withLock { $0[seed] = bytes }
    return Data(bytes.prefix(count))
}

// Stored as arrays, not as `Data`, because a leak checker cannot follow the references of `Data`.
private let samples = Locked<[UInt64: [UInt8]]>([:])

/// Returns the error that the work throws, which must be a ``DataTransferError``.
package func downloadFailure(
    at location: SourceLocation = #_sourceLocation, _ work: () async throws -> some Sendable
) async throws -> DataTransferError {
    try await #require(throws: DataTransferError.self, sourceLocation: location) { try await work() }
}
