#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import TransferTestSupport

    /// How the server of a storm responds to one arrival of a request. A pure value, which the server and the judge both use.
    struct StormResponse: Sendable {
        enum Place: CaseIterable { case beforeHead, insideHead, insideBody }
        enum Framing: CaseIterable { case length, chunks, untilEnd }

        enum Fate: Equatable {
            case whole
            /// The connection ends at this place, with FIN or with a reset.
            case ends(Place, isReset: Bool)
            /// Nothing more is sent, and the connection stays open.
            case silent(Place)
            /// The gzip content is truncated, but the message around it is complete.
            case cutCoding
            /// An unrequested 101, followed by bytes of another protocol.
            case upgrade
            /// A complete response before the request's body was read.
            case early(Early)
        }

        enum Early: CaseIterable {
            /// Closes the connection without reading the rest of the body, which causes a reset.
            case closes
            /// Sends `Connection: close`, and reads until the client ends the connection.
            case lingers
            /// Reads the body, and keeps the connection.
            case readsOn
        }

        /// Unrequested bytes that the server sends on an idle connection.
        enum Push: CaseIterable {
            case response, timeout, halfHead, garbage

            var bytes: Data {
                switch self {
                case .response: Data("HTTP/1.1 200 OK\r\nX-Unrequested: yes\r\nContent-Length: 8\r\n\r\nunwanted".utf8)
                case .timeout:
                    Data("HTTP/1.1 408 Late\r\nX-Unrequested: yes\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
                case .halfHead: Data("HTTP/1.1 200 OK\r\nX-Unrequested: yes\r\nConte".utf8)
                case .garbage: Data("unwanted".utf8)
                }
            }
        }

        /// What happens to the connection after a complete response. Times are in milliseconds.
        enum After {
            case keep
            case close(Int32)
            case reset(Int32)
            /// In the same segment as the end of the response.
            case pushJoined(Push)
            case pushLater(Push, Int32)
        }

        var status = 200
        var isVersion10 = false
        var framing = Framing.length
        var isGzip = false
        /// The size of the body before it is encoded, in bytes.
        var size = 0
        var interim: [Int] = []
        var sendsClose = false
        var sendsKeepAlive = false
        var hasTrailers = false
        var fate = Fate.whole
        var after = After.keep
        /// The maximum number of parts into which the sent bytes are split.
        var parts = 1
        /// Whether the server waits between the parts.
        var waits = false
        /// The seed for the random parts of the bytes.
        var seed: UInt64 = 0

        func hasBody(_ method: RequestMethod) -> Bool {
            method != .head && status != 204 && status != 304
        }

        /// The complete, decoded body that a reader receives.
        func content(_ plan: StormPlan, _ attempt: Int) -> Data {
            fate == .upgrade || hasBody(plan.method) ? StormBytes.response(plan.id, attempt, size) : Data()
        }

        /// Whether no further request is allowed on the connection.
        var isLast: Bool { sendsClose || isVersion10 || framing == .untilEnd || fate == .upgrade || fate == .early(.lingers) }
    }

    extension StormResponse: CustomStringConvertible {
        var description: String {
            let notes = [
                (isVersion10, "1.0"), (isGzip, "gzip"), (sendsClose, "close"), (sendsKeepAlive, "timeout=1"),
                (hasTrailers, "trailers"),
                (!interim.isEmpty, "interim \(interim)"), (parts > 1, "\(parts) parts"), (waits, "slowly"),
            ]
            let texts = ["\(status)", "\(size) bytes", "\(framing)"] + notes.filter(\.0).map(\.1) + ["\(fate)", "\(after)"]
            return "(\(texts.joined(separator: ", ")))".replacing("NetworkCoreTests.StormResponse.", with: "")
        }
    }

    extension StormResponse {
        /// The bytes of a response.
        struct Wire {
            var interim: Data
            var head: Data
            /// The body with its framing and trailers.
            var body: Data
            /// The maximum number of bytes of the body that can be sent while it is still incomplete.
            var longestCut: Int
        }

        func wire(id: Int, attempt: Int, method: RequestMethod) -> Wire {
            var random = SeededGenerator(seed: seed)
            var fields = "X-Id: \(id)\r\nX-Attempt: \(attempt)\r\n"
            if sendsClose || fate == .early(.lingers) { fields += "Connection: close\r\n" }
            if sendsKeepAlive { fields += "Keep-Alive: timeout=1\r\n" }
            var interimHeads = interim.map { "HTTP/1.1 \($0) Wait\r\nX-Interim: \(id)\r\n\r\n" }.joined()
            if fate == .upgrade {
                interimHeads = ""
                let head = "HTTP/1.1 101 Switching Protocols\r\n\(fields)Upgrade: chat\r\nConnection: Upgrade\r\n\r\n"
                return Wire(
                    interim: Data(), head: Data(head.utf8), body: StormBytes.response(id, attempt, size), longestCut: 0)
            }
            var content = StormBytes.response(id, attempt, size)
            if isGzip {
                fields += "Content-Encoding: gzip\r\n"
                content = StoredCoding.gzip.encoded(content)
                if fate == .cutCoding { content = content.prefix(Int.random(in: 1..<content.count, using: &random)) }
            }
            var wire = Wire(interim: Data(interimHeads.utf8), head: Data(), body: Data(), longestCut: 0)
            if hasBody(method) {
                switch framing {
                case .length:
                    fields += "Content-Length: \(content.count)\r\n"
                    wire.body = content
                    wire.longestCut = content.count - 1
                case .chunks:
                    fields += "Transfer-Encoding: chunked\r\n"
                    wire.body = Self.chunked(content, &random)
                    wire.longestCut = wire.body.count
                    wire.body += Data((hasTrailers ? "0\r\nX-Sum: \(id)\r\n\r\n" : "0\r\n\r\n").utf8)
                case .untilEnd:
                    wire.body = content
                    wire.longestCut = content.count
                }
            } else if status != 204 {
                fields += "Content-Length: \(content.count)\r\n"
            }
            wire.head = Data("HTTP/1.\(isVersion10 ? 0 : 1) \(status) Said\r\n\(fields)\r\n".utf8)
            return wire
        }

        private static func chunked(_ content: Data, _ random: inout SeededGenerator) -> Data {
            var body = Data()
            var rest = content[...]
            let largest = max(1, content.count / Int.random(in: 1...8, using: &random))
            while !rest.isEmpty {
                let chunk = rest.prefix(Int.random(in: 1...largest, using: &random))
                rest = rest.dropFirst(chunk.count)
                let ending = Int.random(in: 0..<8, using: &random) == 0 ? ";name=\"value\"" : ""
                body += Data("\(String(chunk.count, radix: 16))\(ending)\r\n".utf8)
                body += chunk
                body += Data("\r\n".utf8)
            }
            return body
        }
    }

    /// The bytes of all bodies: each is a slice of one pool, selected by the number of its request.
    enum StormBytes {
        static let largest = 2 << 20
        private static let pool = Data.pattern(2 * largest, seed: 77)

        private static func slice(_ offset: Int, _ count: Int) -> Data {
            let start = pool.startIndex + offset % largest
            return pool[start..<start + count]
        }

        static func request(_ id: Int, _ count: Int) -> Data { slice(id * 11 + 5, count) }
        static func response(_ id: Int, _ attempt: Int, _ count: Int) -> Data { slice((id * 2 + attempt) * 13, count) }
    }
#endif
