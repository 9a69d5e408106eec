#if os(Linux)
    import Endpoints
    import Foundation
    import TransferTestSupport

    /// A valid response in parts, so that one of them can be damaged.
    struct FuzzDraft {
        enum Framing { case none, length, chunks, untilEnd }

        var interim = Data()
        var statusLine = Data("HTTP/1.1 200 OK".utf8)
        /// The field lines, without line ends.
        var lines: [Data] = []
        var framing = Framing.length
        /// The chunks of the body as they are sent, or a single piece for other framings.
        var pieces: [Data] = []
        var trailers: [Data] = []
        var status = 200
        /// The content that the reader has to receive.
        var content = Data()
        var coding: String?

        /// Creates a response without a defect.
        ///
        /// - Parameter codings: The content codings that the client accepts.
        init(_ random: inout SeededGenerator, method: RequestMethod, codings: Set<String>) {
            status = random.pick([200, 200, 200, 200, 200, 201, 206, 204, 304, 404, 410, 500, 503])
            let reason = random.pick(["OK", "", "A long reason with words", "\u{e4}\u{f6}"])
            statusLine = Data("HTTP/1.1 \(status) \(reason)".utf8)
            lines = (0..<random.below(8)).map { Self.field(&random, $0) }
            if random.chance(10) {
                interim = (0...random.below(4)).map { _ in
                    Data("HTTP/1.1 \(random.pick([100, 102, 103])) Wait\r\nLink: </a>\r\n\r\n".utf8)
                }.reduce(Data(), +)
            }
            let hasBody = method != .head && status != 204 && status != 304
            guard hasBody else {
                framing = .none
                if method == .head, status != 204 { lines.append(Data("Content-Length: \(random.below(1_000_000))".utf8)) }
                return
            }
            var coded = Data.pattern(random.chance(80) ? random.below(3_000) : random.below(60_000), seed: random.next())
            content = coded
            if random.chance(25) {
                let names = FuzzCodings.coded.keys.sorted().filter(codings.contains) + ["x-unknown"]
                let name = random.pick(names)
                coding = name
                if let text = FuzzCodings.coded[name] {
                    coded = text
                    content = FuzzCodings.text
                }
                lines.append(Data("Content-Encoding: \(name)".utf8))
            }
            frame(coded, &random)
        }

        private mutating func frame(_ coded: Data, _ random: inout SeededGenerator) {
            framing = random.pick([.length, .length, .chunks, .chunks, .untilEnd])
            switch framing {
            case .none: break
            case .length:
                lines.append(Data(random.pick(["Content-Length: ", "content-length:", "CONTENT-LENGTH:  "]).utf8))
                lines[lines.count - 1] += Data("\(coded.count)".utf8)
                pieces = [coded]
            case .chunks:
                lines.append(Data(random.pick(["Transfer-Encoding: chunked", "transfer-encoding:Chunked"]).utf8))
                var rest = coded[...]
                let largest = max(1, coded.count / (1 + random.below(8)))
                while !rest.isEmpty {
                    let chunk = rest.prefix(1 + random.below(largest))
                    rest = rest.dropFirst(chunk.count)
                    pieces.append(Self.chunk(chunk, &random))
                }
                pieces.append(Data("\(random.pick(["0", "0", "000", "0;last=yes"]))\r\n".utf8))
                if random.chance(30) { trailers = (0...random.below(3)).map { Self.field(&random, 100 + $0) } }
            case .untilEnd: pieces = [coded]
            }
        }

        private static func chunk(_ bytes: Data, _ random: inout SeededGenerator) -> Data {
            let size = String(bytes.count, radix: 16, uppercase: random.chance(30))
            let ending = random.chance(80) ? "" : random.pick([";a", ";a=b", ";a=\"b;c\"", " ;a=b"])
            return Data("\(random.chance(10) ? "000" : "")\(size)\(ending)\r\n".utf8) + bytes + Data("\r\n".utf8)
        }

        /// Returns an arbitrary field line: sometimes folded, empty, long, or with bytes that are not ASCII.
        private static func field(_ random: inout SeededGenerator, _ number: Int) -> Data {
            let value: Data =
                switch random.below(10) {
                case 0: Data()
                case 1: Data("one\r\n two\r\n\tthree".utf8)
                case 2: Data(repeating: 0x61, count: random.below(8_000))
                case 3: Data([0x61, 0xFF, 0x80, 0xE4])
                case 4: Data("\tvalue \t".utf8)
                default: Data("value-\(random.below(1_000))".utf8)
                }
            return Data("X-Field-\(number): ".utf8) + value
        }

        var head: Data {
            ([statusLine] + lines).reduce(into: Data()) { $0 += $1 + Data("\r\n".utf8) } + Data("\r\n".utf8)
        }

        /// The body with its framing and trailers.
        var body: Data {
            let lineEnd = Data("\r\n".utf8)
            var body = pieces.reduce(into: Data()) { $0 += $1 }
            for trailer in trailers { body += trailer + lineEnd }
            if framing == .chunks { body += lineEnd }
            return body
        }

        /// The maximum number of bytes of the body that can be sent while it is still incomplete.
        var longestCut: Int {
            switch framing {
            case .none: -1
            case .length: body.count - 1
            case .chunks: pieces.dropLast().reduce(0) { $0 + $1.count }
            case .untilEnd: body.count
            }
        }
    }
#endif
