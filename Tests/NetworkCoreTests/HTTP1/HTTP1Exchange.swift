import Endpoints

@testable import NetworkEngine
@testable import NetworkTransport

/// A response, and the outcome of parsing it.
struct HTTP1Exchange: Sendable {
    var bytes: [UInt8]
    var isHead = false
    var expectsUpgrade = false
    var maximumHeaderBytes = 256 << 10

    /// How the response is split into reads.
    enum Cut: Sendable {
        case whole
        /// Single bytes.
        case all
        /// Pieces of these sizes, which may be 0; one more piece holds the rest.
        case sizes([Int])
    }

    /// The outcome of the response, and the complete error.
    func outcome(_ cut: Cut = .whole) -> (HTTP1Outcome, HTTP1Error?) {
        var parser = HTTP1ResponseParser(
            isHead: isHead, expectsUpgrade: expectsUpgrade, maximumHeaderBytes: maximumHeaderBytes)
        var outcome = HTTP1Outcome()
        var failure: HTTP1Error?
        do throws(HTTP1Error) {
            for piece in pieces(cut) {
                guard !parser.isComplete else {
                    outcome.leftover += piece.count
                    continue
                }
                try Self.feed(piece, to: &parser, &outcome)
            }
            try parser.receiveEnd()
        } catch {
            failure = error
            outcome.failure = error.kind
        }
        if parser.isHeadComplete {
            outcome.status = parser.statusCode
            outcome.minorVersion = parser.minorVersion
            outcome.headers = parser.head.headers.fields
            outcome.contentLength = parser.contentLength
            outcome.isDelimitedByClose = parser.isDelimitedByClose
            outcome.keepAliveTimeout = parser.keepAliveTimeoutSeconds
            outcome.keepAliveMaximum = parser.keepAliveMaximum
        }
        if parser.isComplete {
            outcome.trailers = parser.head.trailers.fields
            outcome.keepsConnection = parser.keepsConnection
        }
        precondition(parser.head.count <= max(maximumHeaderBytes, 0) || failure != nil, "the limit of the head is exceeded")
        precondition(parser.hasReceivedBytes == !bytes.isEmpty)
        return (outcome, failure)
    }

    private static func feed(
        _ piece: [UInt8], to parser: inout HTTP1ResponseParser, _ outcome: inout HTTP1Outcome
    ) throws(HTTP1Error) {
        // Memory of exactly this size, so that a sanitizer detects a read beyond it.
        let input = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
        defer { input.deallocate() }
        input.copyBytes(from: piece)
        var offset = 0
        while true {
            let before = offset
            let step = try parser.next(UnsafeRawBufferPointer(input), at: &offset)
            precondition(offset >= before && offset <= input.count)
            switch step {
            case .needsMore:
                precondition(offset == input.count, "input is left over")
                return
            case .interim(let status):
                outcome.interim.append(status)
                outcome.interimHeaders.append(parser.head.headers.fields)
                precondition(!parser.isHeadComplete && parser.statusCode == status)
            case .head: precondition(parser.isHeadComplete)
            case .body(let range):
                precondition(!range.isEmpty && range.lowerBound >= before && range.upperBound == offset)
                outcome.body += input[range]
            case .end:
                precondition(parser.isComplete)
                outcome.leftover += input.count - offset
                return
            }
        }
    }

    private func pieces(_ cut: Cut) -> [[UInt8]] {
        switch cut {
        case .whole: return [bytes]
        case .all: return bytes.map { [$0] }
        case .sizes(let sizes):
            var pieces: [[UInt8]] = []
            var rest = bytes[...]
            for size in sizes {
                pieces.append(Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            return pieces + [Array(rest)]
        }
    }

    /// The outcome according to the reference parser.
    var expected: HTTP1Outcome {
        HTTP1ReferenceParser.read(
            bytes, isHead: isHead, expectsUpgrade: expectsUpgrade, maximumHeaderBytes: maximumHeaderBytes)
    }
}

extension HTTP1Exchange {
    init(_ text: String, isHead: Bool = false, expectsUpgrade: Bool = false, maximumHeaderBytes: Int = 256 << 10) {
        self.init(
            bytes: Array(text.utf8), isHead: isHead, expectsUpgrade: expectsUpgrade, maximumHeaderBytes: maximumHeaderBytes)
    }
}
