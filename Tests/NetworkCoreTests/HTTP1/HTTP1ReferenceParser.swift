import Endpoints

@testable import NetworkEngine
@testable import NetworkTransport

/// The result of parsing a response from a connection that was closed after the last byte.
struct HTTP1Outcome: Equatable, Sendable {
    var interim: [Int] = []
    /// The fields of each interim response.
    var interimHeaders: [[HeaderFields.Field]] = []
    /// 0 if there is no final head.
    var status = 0
    var minorVersion = 1
    var headers: [HeaderFields.Field] = []
    var trailers: [HeaderFields.Field] = []
    var body: [UInt8] = []
    /// The number of bytes after the response.
    var leftover = 0
    var keepsConnection = false
    var contentLength: Int64?
    var isDelimitedByClose = false
    var keepAliveTimeout: Int?
    var keepAliveMaximum: Int?
    /// `nil` for a complete response.
    var failure: HTTP1Error.Kind?
}

/// Parses a complete response line by line, slowly, with rules that are written as simply as possible. It is the reference for
/// ``HTTP1ResponseParser``, and shares no code with it.
struct HTTP1ReferenceParser {
    private typealias Kind = HTTP1Error.Kind
    private typealias Text = ArraySlice<UInt8>

    private struct Stop: Error {
        let kind: Kind?
    }

    private static let tokens = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    private var rest: Text
    private var budget: Int
    private let isHead: Bool
    private let expectsUpgrade: Bool
    private var outcome = HTTP1Outcome()

    static func read(_ bytes: [UInt8], isHead: Bool, expectsUpgrade: Bool, maximumHeaderBytes: Int) -> HTTP1Outcome {
        var parser = HTTP1ReferenceParser(
            rest: bytes[...], budget: maximumHeaderBytes, isHead: isHead, expectsUpgrade: expectsUpgrade)
        do {
            try parser.readResponse()
        } catch {
            parser.outcome.failure = (error as? Stop)?.kind
        }
        if parser.outcome.failure == nil { parser.outcome.leftover = parser.rest.count }
        if parser.outcome.failure != nil || parser.outcome.isDelimitedByClose { parser.outcome.keepsConnection = false }
        return parser.outcome
    }

    private mutating func readResponse() throws {
        try skipStrayLine()
        while true {
            let (status, minor) = try readStatusLine()
            let lines = try readFields(isTrailer: false)
            guard status >= 200 || status == 101 else {
                if outcome.interim.count == 64 { throw Stop(kind: .headersTooLarge) }
                outcome.interim.append(status)
                outcome.interimHeaders.append(lines.map(\.field))
                continue
            }
            outcome.status = status
            outcome.minorVersion = minor
            outcome.headers = lines.map(\.field)
            return try readBody(Self.framing(lines))
        }
    }

    // MARK: Lines

    /// One CR LF before the first status line, which counts for no limit.
    private mutating func skipStrayLine() throws {
        guard rest.first == 13 else { return }
        rest = rest.dropFirst()
        guard let next = rest.popFirst() else { throw Stop(kind: .connectionLost) }
        if next != 10 { throw Stop(kind: .malformedResponse) }
    }

    /// - Returns: The line without its line end, and whether the line end was CR LF.
    private mutating func readLine(onEnd: Kind, isStatusLine: Bool = false) throws -> (Text, Bool) {
        let prefix = Array("HTTP/1.".utf8)
        if isStatusLine, !rest.prefix(min(7, budget)).elementsEqual(prefix.prefix(min(7, budget, rest.count))) {
            throw Stop(kind: .malformedResponse)
        }
        guard let end = rest.firstIndex(of: 10) else { throw Stop(kind: rest.count > budget ? .headersTooLarge : onEnd) }
        let line = rest[...end]
        if line.count > budget { throw Stop(kind: .headersTooLarge) }
        budget -= line.count
        rest = rest[(end + 1)...]
        let content = line.dropLast()
        return content.last == 13 ? (content.dropLast(), true) : (content, false)
    }

    private mutating func readStatusLine() throws -> (status: Int, minor: Int) {
        let line = try readLine(onEnd: .connectionLost, isStatusLine: true).0
        let words = line.split(separator: 32, maxSplits: 2, omittingEmptySubsequences: false)
        let version = words[0].dropFirst(7)
        guard words.count >= 2, version.count == 1, version.allSatisfy(Self.isDigit), words[1].count == 3,
            words[1].allSatisfy(Self.isDigit), let status = Int(Self.text(words[1])), status >= 100,
            !line.contains(where: Self.isControl)
        else { throw Stop(kind: .malformedResponse) }
        if status == 101 && !expectsUpgrade { throw Stop(kind: .malformedResponse) }
        return (status, version.first == 48 ? 0 : 1)
    }

    private struct Line {
        let name: Text
        /// More than one for a folded line.
        var values: [Text]

        var field: HeaderFields.Field {
            let values = values.filter { !$0.isEmpty }.map(HTTP1ReferenceParser.text)
            return HeaderFields.Field(name: HTTP1ReferenceParser.text(name), value: values.joined(separator: " "))
        }

        func isNamed(_ name: String) -> Bool {
            HTTP1ReferenceParser.lowercased(self.name).elementsEqual(name.utf8)
        }

        var isFraming: Bool { isNamed("content-length") || isNamed("transfer-encoding") }
    }

    private mutating func readFields(isTrailer: Bool) throws -> [Line] {
        var lines: [Line] = []
        while true {
            let (line, endsWithReturn) = try readLine(onEnd: isTrailer ? .incompleteBody : .connectionLost)
            if isTrailer && !endsWithReturn { throw Stop(kind: .malformedResponse) }
            if line.isEmpty { return lines }
            if line.contains(where: Self.isControl) { throw Stop(kind: .malformedResponse) }
            if line.first == 32 || line.first == 9 {
                guard let last = lines.popLast(), isTrailer || !last.isFraming else { throw Stop(kind: .malformedResponse) }
                lines.append(Line(name: last.name, values: last.values + [Self.trimmed(line)]))
                continue
            }
            guard let colon = line.firstIndex(of: 58), colon > line.startIndex, line[..<colon].allSatisfy(Self.tokens.contains)
            else { throw Stop(kind: .malformedResponse) }
            lines.append(Line(name: line[..<colon], values: [Self.trimmed(line[(colon + 1)...])]))
            // Checked after each line, so that the first error is reported.
            if !isTrailer, lines[lines.count - 1].isFraming { _ = try Self.framing(lines) }
        }
    }

    // MARK: Framing

    private struct Framing {
        var length: Int64?
        var codings: [String] = []
        var connection: [String] = []
        var keepAlive: [String] = []
    }

    private static func framing(_ lines: [Line]) throws -> Framing {
        var framing = Framing()
        for line in lines {
            let elements = line.values[0].split(separator: 44, omittingEmptySubsequences: false).map(trimmed)
            let texts = elements.filter { !$0.isEmpty }.map { text(lowercased($0)) }
            if line.isNamed("connection") { framing.connection += line.values.count > 1 ? ["close"] : texts }
            if line.isNamed("keep-alive") { framing.keepAlive += texts }
            if line.isNamed("content-length") {
                for element in elements.isEmpty ? [[]] : elements {
                    guard !element.isEmpty, element.allSatisfy(isDigit), let length = Int64(text(element)),
                        length == framing.length ?? length
                    else { throw Stop(kind: .malformedResponse) }
                    framing.length = length
                }
            }
            if line.isNamed("transfer-encoding") {
                if texts.isEmpty { throw Stop(kind: .malformedResponse) }
                framing.codings += texts
            }
        }
        let isKnown = framing.codings.allSatisfy { $0 == "chunked" || $0 == "identity" }
        if !isKnown || framing.codings.dropLast().contains("chunked") { throw Stop(kind: .malformedResponse) }
        return framing
    }

    private static func parameter(_ name: String, of elements: [String]) -> Int? {
        elements.compactMap { element in
            let parts = element.utf8.split(separator: 61, maxSplits: 1, omittingEmptySubsequences: false)
                .map { trimmed(Array($0)[...]) }
            guard parts.count == 2, text(parts[0]) == name, !parts[1].isEmpty, parts[1].allSatisfy(isDigit) else { return nil }
            return min(Int(text(parts[1])) ?? .max, 1_000_000_000)
        }.min()
    }

    private mutating func readBody(_ framing: Framing) throws {
        let isChunked = framing.codings.last == "chunked"
        outcome.contentLength = isChunked || outcome.status == 101 ? nil : framing.length
        outcome.keepAliveTimeout = Self.parameter("timeout", of: framing.keepAlive)
        outcome.keepAliveMaximum = Self.parameter("max", of: framing.keepAlive)
        let isOld = outcome.minorVersion == 0
        outcome.keepsConnection =
            !framing.connection.contains("close") && (!isOld || framing.connection.contains("keep-alive"))
            && (framing.codings.isEmpty || (isChunked && framing.length == nil && !isOld))
        if outcome.status == 101 {
            outcome.isDelimitedByClose = true
        } else if isHead || outcome.status == 304 {
            return
        } else if outcome.status == 204 {
            if !framing.codings.isEmpty || framing.length ?? 0 > 0 { outcome.keepsConnection = false }
            return
        } else if isChunked {
            return try readChunks()
        } else if let length = framing.length {
            outcome.body = Array(rest.prefix(Int(length)))
            rest = rest.dropFirst(Int(length))
            if outcome.body.count < length { throw Stop(kind: .incompleteBody) }
            return
        }
        outcome.isDelimitedByClose = true
        outcome.body = Array(rest)
        rest = []
    }

    private mutating func readChunks() throws {
        var extensionBudget = 16_384
        while true {
            let size = try readChunkSize(&extensionBudget)
            if size == 0 {
                outcome.trailers = try readFields(isTrailer: true).map(\.field)
                return
            }
            outcome.body += rest.prefix(Int(clamping: size))
            if rest.count < size { throw Stop(kind: .incompleteBody) }
            rest = rest.dropFirst(Int(size))
            for byte in [13, 10] as [UInt8] {
                guard let next = rest.popFirst() else { throw Stop(kind: .incompleteBody) }
                if next != byte { throw Stop(kind: .malformedResponse) }
            }
        }
    }

    private mutating func readChunkSize(_ extensionBudget: inout Int) throws -> Int64 {
        var line: [UInt8] = []
        var isInDigits = true
        while let byte = rest.popFirst() {
            if line.last == 13 {
                if byte != 10 { throw Stop(kind: .malformedResponse) }
                let digits = String(decoding: line.prefix { Character(Unicode.Scalar($0)).isHexDigit }, as: UTF8.self)
                guard let size = Int64(digits, radix: 16) else { throw Stop(kind: .malformedResponse) }
                return size
            }
            line.append(byte)
            if isInDigits {
                if Character(Unicode.Scalar(byte)).isHexDigit, byte < 128 {
                    if line.count > 16 || Int64(String(decoding: line, as: UTF8.self), radix: 16) == nil {
                        throw Stop(kind: .malformedResponse)
                    }
                    continue
                }
                if line.count == 1 { throw Stop(kind: .malformedResponse) }
                isInDigits = false
                if byte == 59 { continue }
            }
            let isInExtension = line.dropLast().contains(59)
            if isInExtension || byte == 32 || byte == 9 {
                extensionBudget -= 1
                if extensionBudget < 0 { throw Stop(kind: .malformedResponse) }
            }
            if byte == 13 || (byte == 59 && !isInExtension) { continue }
            if isInExtension ? Self.isControl(byte) : byte != 32 && byte != 9 { throw Stop(kind: .malformedResponse) }
        }
        throw Stop(kind: .incompleteBody)
    }

    // MARK: Characters

    private static func isControl(_ byte: UInt8) -> Bool {
        (byte < 32 && byte != 9) || byte == 127
    }

    private static func trimmed(_ bytes: Text) -> Text {
        var bytes = bytes
        while bytes.first == 32 || bytes.first == 9 { bytes.removeFirst() }
        while bytes.last == 32 || bytes.last == 9 { bytes.removeLast() }
        return bytes
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (48...57).contains(byte)
    }

    private static func lowercased(_ bytes: Text) -> Text {
        bytes.map { (65...90).contains($0) ? $0 + 32 : $0 }[...]
    }

    private static func text(_ bytes: Text) -> String {
        String(validating: bytes, as: UTF8.self) ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
