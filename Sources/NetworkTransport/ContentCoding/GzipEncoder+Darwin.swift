#if canImport(Darwin)
    import Foundation

    /// An encoder that is never available: zlib is loaded on Linux only.
    final class GzipEncoder {
        static var isAvailable: Bool { false }

        init?(level: Int) { return nil }

        func encode(_ chunk: Data, from offset: inout Int) throws(TransportError) -> Data? { nil }

        func finish() throws(TransportError) -> Data? { nil }
    }
#endif
