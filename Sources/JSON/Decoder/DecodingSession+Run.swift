import Foundation
import NetworkSupport

extension DecodingSession {
    private static let pool = SessionPool<SessionOwner>()

    /// Scans a document and decodes a value with a session of this thread.
    ///
    /// - Throws: `DecodingError`, or the error of `body`.
    @inline(__always)
    static func run<T>(_ text: PaddedBytes.Slice, _ options: DecodingOptions, _ body: (DecodingSession) throws -> T) throws
        -> T
    {
        let encoding = TextEncoding.detect(text.bytes)
        guard encoding == .utf8 else { return try runConverted(text, encoding, options, body) }
        return try run(options, load: { try $0.load(text) }, body)
    }

    /// Decodes a value with a session of this thread.
    ///
    /// - Parameter load: Scans the text.
    @inline(__always)
    static func run<T>(
        _ options: DecodingOptions, load: (DecodingSession) throws -> Void, _ body: (DecodingSession) throws -> T
    ) throws -> T {
        var owner = pool.take() ?? SessionOwner()
        let session = owner.session
        session.storage.pointee.options = options
        defer { withExtendedLifetime(options) { finish(&owner) } }
        do {
            try load(session)
        } catch let failure as ScanFailure {
            throw session.notJSON(failure)
        }
        return try session.decode { try body(session) }
    }

    /// Decodes a value, and completes the error.
    @inline(__always)
    func decode<T>(_ body: () throws -> T) throws -> T {
        storage.pointee.hasNoRoom = false
        do {
            let value = try body()
            if storage.pointee.hasNoRoom { throw hasNoRoom() }
            return value
        } catch let error as DecodingError {
            // The value may have caught the error, and thrown another one.
            if storage.pointee.hasNoRoom { throw hasNoRoom() }
            error.resolveDetails()
            throw error
        }
    }

    @inline(__always)
    private static func finish(_ owner: inout SessionOwner) {
        guard release(&owner) else { return }
        owner.session.reset()
        pool.give(owner)
    }

    /// Ends a call.
    ///
    /// - Returns: False if a decoder or container outlives the call; the session must not be used for another call then.
    @inline(__always)
    static func release(_ owner: inout SessionOwner) -> Bool {
        let session = owner.session
        // Before the owner's references are counted, of which details have one.
        session.storage.pointee.errorParts.endDocument()
        let escaped = session.storage.pointee.containers.finish(
            owner: owner,
            release: { if $0.pointee.map != nil { $0.pointee.map = nil } },
            escape: {
                session.keepText()
                $0.pointee.outlive()
            })
        if escaped.isEmpty, isKnownUniquelyReferenced(&owner) { return true }
        session.keepText()
        if !escaped.isEmpty { EscapedBox.keep(escaped) }
        return false
    }

    @inline(never)
    func notJSON(_ failure: ScanFailure) -> DecodingError {
        .dataCorrupted(
            .init(
                codingPath: [], debugDescription: "The given data was not valid JSON.",
                underlyingError: JSONErrorDetails(details(of: failure))))
    }

    /// Decodes text in another encoding, or with a byte order mark.
    @inline(never)
    private static func runConverted<T>(
        _ text: PaddedBytes.Slice, _ encoding: TextEncoding, _ options: DecodingOptions,
        _ body: (DecodingSession) throws -> T
    ) throws -> T {
        let rest = text.dropFirst(encoding.markLength)
        guard let foundation = encoding.foundation else {
            return try run(options, load: { try $0.load(rest) }, body)
        }
        guard var string = String(data: Data(rest.bytes), encoding: foundation) else {
            return try run(options, load: { _ in throw ScanFailure(reason: .unsupportedEncoding, offset: 0) }, body)
        }
        return try string.withUTF8 { utf8 in
            try run(options, load: { try $0.load(PaddedBytes.Slice(bytes: UnsafeRawBufferPointer(utf8))) }, body)
        }
    }
}
