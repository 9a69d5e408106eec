import Foundation
import NetworkSupport

extension TransferJSONDecoder {
    /// Decodes a document.
    ///
    /// - Parameter text: UTF-8, UTF-16 or UTF-32, with or without a byte order mark.
    /// - Throws: As ``decode(_:from:)``.
    package func decode<T: Decodable>(_ type: T.Type, from text: PaddedBytes) throws -> T {
        try options.read { options in
            try text.withUnsafeBytes { input in
                try DecodingSession.run(input, options) {
                    try $0.decode(type, Scanner.root, 0, DecodingPlace(index: Scanner.root, depth: 0))
                }
            }
        }
    }

    /// Scans a document once, and calls a closure that decodes values in it. The rest of the document is validated, but not decoded.
    ///
    /// - Throws: ``JSONPathFailure`` if the document is not JSON; else what `body` throws.
    package func scan<Result>(_ text: PaddedBytes, _ body: (ScannedDocument) throws -> Result) throws -> Result {
        try options.read { options in
            try text.withUnsafeBytes { input in
                try DecodingSession.search(input, options) { try body(ScannedDocument(session: $0, source: $1)) }
            }
        }
    }
}

/// A document that was scanned once. Valid only during the call that passes it.
package struct ScannedDocument {
    fileprivate let session: DecodingSession
    fileprivate let source: DecodingSession.Source

    /// Decodes the value at a path. Coding paths begin at the document, with the steps to the value.
    ///
    /// - Parameter path: A valid path. Names are compared as they are written; the key strategy applies below the value.
    /// - Throws: ``JSONPathFailure`` if there is no value at the path; else as ``TransferJSONDecoder/decode(_:from:)``.
    package func decode<T: Decodable>(_ type: T.Type, under path: JSONKeyPath) throws -> T {
        let index = try session.locate(path, source)
        let depth = path.components.count
        return try session.decode(type, index, depth, DecodingPlace(index: index, depth: depth))
    }
}

extension JSONKeyPath {
    /// Finds the bytes of the value at this path, without the white space around it. The path must be valid.
    ///
    /// - Parameter data: A document in UTF-8, UTF-16 or UTF-32.
    /// - Returns: The bytes in UTF-8, a slice of `data` if that is UTF-8; and the path with every pointer token resolved.
    /// - Throws: ``JSONPathFailure``.
    package func located(in data: Data) throws(JSONPathFailure) -> (data: Data, path: JSONKeyPath) {
        let found: Located
        do {
            found = try PaddedBytes(data).withUnsafeBytes { input in
                try DecodingSession.search(input, SessionOwner.noOptions) { try Located(self, $0, $1) }
            }
        } catch {
            // A search throws no other error.
            throw error as? JSONPathFailure ?? JSONPathFailure(.notJSON(.unsupportedEncoding), byteOffset: 0)
        }
        let text = found.converted ?? data
        let start = text.startIndex + found.range.lowerBound
        return (text[start..<start + found.range.count], components == found.steps ? self : JSONKeyPath(components: found.steps))
    }

    private struct Located {
        var range: Range<Int>
        var steps: [Component]
        /// The text in UTF-8, if it was in another encoding.
        var converted: Data?

        init(_ path: JSONKeyPath, _ session: DecodingSession, _ source: DecodingSession.Source) throws(JSONPathFailure) {
            let index = try session.locate(path, source)
            steps = session.steps(path.components.count)
            range = source.markLength + session.start(of: index)..<source.markLength + session.end(of: index)
            if source.isConverted { converted = Data(bytes: session.text, count: session.length) }
        }
    }
}

extension DecodingSession {
    /// Where the text of a session is from.
    struct Source {
        /// Bytes of a byte order mark before the text.
        var markLength = 0
        /// Whether it was converted from another encoding.
        var isConverted = false
    }

    /// Scans a document, with a session of this thread, to decode a value in it.
    ///
    /// - Throws: ``JSONPathFailure`` if the document is not JSON; else what `body` throws.
    static func search<T>(
        _ text: PaddedBytes.Slice, _ options: DecodingOptions, _ body: (DecodingSession, Source) throws -> T
    ) throws -> T {
        let encoding = TextEncoding.detect(text.bytes)
        if encoding.foundation == nil {
            let rest = text.dropFirst(encoding.markLength)
            return try search(rest, Source(markLength: encoding.markLength), options, body)
        }
        let converted: Data
        do throws(ScanFailure) {
            converted = try encoding.converted(text.bytes)
        } catch {
            throw JSONPathFailure(error, isBlank: false)
        }
        return try PaddedBytes(converted).withUnsafeBytes { try search($0, Source(isConverted: true), options, body) }
    }

    @inline(__always)
    private static func search<T>(
        _ text: PaddedBytes.Slice, _ source: Source, _ options: DecodingOptions,
        _ body: (DecodingSession, Source) throws -> T
    ) throws -> T {
        func load(_ session: DecodingSession) throws {
            do throws(ScanFailure) {
                try session.load(text)
            } catch {
                let isBlank = (0..<session.length).allSatisfy { Bytes.isWhiteSpace(session.text[$0]) }
                throw JSONPathFailure(error, isBlank: isBlank, offset: source.markLength)
            }
        }
        return try run(options, load: load) { try body($0, source) }
    }
}
