#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import TransferTestSupport

    /// A defect that makes any valid response invalid.
    enum FuzzDefect: CaseIterable {
        case chunkSize, chunkEnd, lengthValue, lengthsDiffer, version, statusCode, noStatusLine, nulInName
        case headTooLarge, endlessInterim, cutHead, cutBody, cutCoding, damagedCoding, lengthTooLarge

        static let hugeNumbers = ["9223372036854775808", "18446744073709551616", "99999999999999999999999999"]

        /// - Returns: The errors that may report it; `nil` if it does not apply to this response, which is then unchanged.
        func apply(to draft: inout FuzzDraft, _ random: inout SeededGenerator) -> Set<TransportError.Code>? {
            switch self {
            case .chunkSize:
                guard draft.framing == .chunks else { return nil }
                let size = random.pick([
                    "", "xyz", "-5", "+5", "0x5", "5 5", "fffffffffffffffff", "8000000000000000", "\u{0}5", "5,",
                ])
                draft.pieces.insert(Data("\(size)\r\nhello\r\n".utf8), at: random.below(draft.pieces.count))
                return [.malformedResponse, .bodyTooLarge]
            case .chunkEnd:
                guard draft.framing == .chunks, draft.pieces.count > 1, draft.coding == nil else { return nil }
                draft.pieces.insert(Data("5\r\nhello\(random.pick(["xx", "x", "more\r\n", " \r\n"]))".utf8), at: 0)
                return [.malformedResponse]
            case .lengthValue:
                guard draft.framing == .length else { return nil }
                let value = random.pick(["banana", "-1", "+5", "5 5", "0x5", "5.0", ""] + Self.hugeNumbers)
                draft.lines[draft.lines.count - 1] = Data("Content-Length: \(value)".utf8)
                return [.malformedResponse, .bodyTooLarge]
            case .lengthsDiffer:
                guard draft.framing == .length else { return nil }
                draft.lines.append(Data("Content-Length: \(draft.body.count + 1)".utf8))
                return [.malformedResponse]
            case .version:
                draft.statusLine = Data(random.pick(["HTTP/2.0 200 OK", "HTTP/7.3 200 OK", "ICY 200 OK", "HTTP/1 200 OK"]).utf8)
                return [.malformedResponse]
            case .statusCode:
                draft.statusLine = Data(
                    "HTTP/1.1 \(random.pick(["", "20", "2000", "abc", "-200", "2 0", "\u{0}00", "099"])) OK".utf8)
                return [.malformedResponse]
            case .noStatusLine:
                draft.statusLine = Data(random.pick(["X: y", "<html>", "\u{0}\u{1}\u{2}", "200 OK"]).utf8)
                draft.interim = Data()
                return [.malformedResponse, .connectionLost]
            case .nulInName:
                draft.lines.insert(Data("X\u{0}: y".utf8), at: 0)
                return [.malformedResponse]
            case .headTooLarge:
                let line = Data("X-Long: ".utf8) + Data(repeating: 0x61, count: 500)
                draft.lines.insert(contentsOf: repeatElement(line, count: 200), at: 0)
                return [.headersTooLarge]
            case .endlessInterim:
                draft.interim = Data(String(repeating: "HTTP/1.1 103 Early Hints\r\nX-A: b\r\n\r\n", count: 4_000).utf8)
                return [.headersTooLarge, .malformedResponse]
            case .cutCoding, .damagedCoding:
                guard let name = draft.coding, let coded = FuzzCodings.coded[name], draft.framing != .none else { return nil }
                var damaged = coded
                if self == .cutCoding {
                    damaged = coded.prefix(1 + random.below(coded.count - 1))
                } else {
                    // Changes the checksum at the end: elsewhere, not every change is damage. Brotli has no checksum.
                    guard name != "br" else { return nil }
                    damaged[damaged.count - 1 - (name == "gzip" ? 4 : 0)] ^= UInt8(1 << random.below(8))
                }
                draft.reframe(damaged)
                return [.undecodableContent, .incompleteBody]
            case .lengthTooLarge:
                guard draft.framing == .length else { return nil }
                draft.lines[draft.lines.count - 1] = Data("Content-Length: 1000000000000".utf8)
                return [.bodyTooLarge]
            case .cutHead: return [.connectionLost, .malformedResponse]
            case .cutBody: return draft.longestCut < 0 ? nil : [.incompleteBody, .connectionLost, .undecodableContent]
            }
        }

        /// Whether the message is still complete, so that its connection may be reused.
        var isWhole: Bool { self == .cutCoding || self == .damagedCoding }
    }

    extension FuzzDraft {
        /// Replaces the body, with the same framing.
        fileprivate mutating func reframe(_ body: Data) {
            switch framing {
            case .none: break
            case .untilEnd: pieces = [body]
            case .length:
                pieces = [body]
                lines[lines.count - 1] = Data("Content-Length: \(body.count)".utf8)
            case .chunks:
                pieces = [Data("\(String(body.count, radix: 16))\r\n".utf8) + body + Data("\r\n".utf8), Data("0\r\n".utf8)]
            }
        }
    }
#endif
