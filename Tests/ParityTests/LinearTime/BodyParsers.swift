import Foundation

@testable import DataTransfer
@testable import Endpoints
@testable import NetworkAuthorization
@testable import NetworkEngine
@testable import NetworkRecordings
@testable import NetworkTransport
@testable import NetworkJSON
@testable import NetworkPipeline
@testable import NetworkTesting
@testable import NetworkWebSocket

extension Parser {
    private static let url = URL(string: "https://host.test/a")!

    /// Passes a text in pieces of a size to a parser of streams, and reads all elements.
    private static func feed<P: StreamParser>(_ text: String, _ parser: P, pieces: Int) throws {
        var parser = parser
        let data = Data(text.utf8)
        for start in stride(from: 0, to: data.count, by: pieces) {
            parser.receive(data[start..<min(start + pieces, data.count)])
            while try parser.next() != nil {}
        }
        parser.finish()
        while try parser.next() != nil {}
    }

    private static func stream<P: StreamParser>(
        _ name: String, _ texts: [HostileText], _ make: @escaping @Sendable () -> P
    ) -> Parser {
        Parser(name, texts) { text in
            for pieces in [7, text.utf8.count] { try? feed(text, make(), pieces: pieces) }
        }
    }

    private static func response(_ pieces: Int, _ text: String, isHTTP2: Bool = false) {
        let bytes = Array(text.utf8)
        var parser = HTTP1ResponseParser(isHead: false, maximumHeaderBytes: .max / 4, maximumHeaderFields: .max)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            let isLost = bytes[start..<min(start + pieces, bytes.count)].withUnsafeBytes { piece in
                var offset = 0
                while let step = try? parser.next(piece, at: &offset) {
                    if step == .needsMore || step == .end { return false }
                }
                return true
            }
            if isLost { break }
        }
        let head = parser.head
        _ = (head.headers, head.trailers, head.value(for: "set-cookie"), head.value(for: "content-length"))
    }

    /// Messages of HTTP/1 and of WebSocket.
    static let messages: [Parser] = [
        Parser(
            "response",
            [
                "HTTP/1.1 200 OK\r\n⟨a: b\r\n⟩\r\n", "HTTP/1.1 200 OK\r\na: b\r\n⟨ c\r\n⟩\r\n", "HTTP/1.1 200 ⟨a⟩\r\n\r\n",
                "HTTP/1.1 200 OK\r\nConnection: ⟨close,⟩\r\n\r\n", "HTTP/1.1 200 OK\r\n⟨Set-Cookie: a=b\r\n⟩\r\n",
                "HTTP/1.1 200 OK\r\n⟨Content-Length: 1\r\n⟩\r\na", "HTTP/1.1 200 OK\r\nKeep-Alive: ⟨max=1,⟩\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n⟨1;a\r\na\r\n⟩0\r\n\r\n", "⟨HTTP/1.1 103 OK\r\n\r\n⟩",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n⟨a: b\r\n⟩\r\n", "HTTP/1.1 200 OK\r\na: ⟨ ⟩b\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;⟨a⟩\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: ⟨1,⟩\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: ⟨identity,⟩\r\n\r\n", "HTTP/1.1 200 OK\r\nÿ⟨ÿ⟩: b\r\n",
            ]
        ) { text in
            response(7, text)
            response(text.utf8.count, text)
        },
        Parser(
            "response over HTTP/2", ["HTTP/2 200\r\n⟨a: b\r\n⟩\r\n", "HTTP/2 200\r\n\r\n⟨a: b\r\n⟩", "⟨HTTP/2 103\r\n\r\n⟩"],
            isSpecific: true
        ) { text in
            var head = ResponseHead()
            let middle = text.utf8.count / 2
            Array(text.utf8.prefix(middle)).withUnsafeBytes { head.append($0) }
            head.complete(length: AnnouncedLength())
            Array(text.utf8.dropFirst(middle)).withUnsafeBytes { head.append($0) }
            _ = (head.headers, head.trailers)
        },
        Parser("request to the loopback server", ["GET / HTTP/1.1\r\n⟨a: b\r\n⟩\r\n", "⟨GET / HTTP/1.1\r\n\r\n⟩"]) { text in
            for pieces in [7, text.utf8.count] {
                var parser = LoopbackRequestParser(maximumHeadBytes: .max, maximumBodyBytes: .max)
                let bytes = Array(text.utf8)
                for start in stride(from: 0, to: bytes.count, by: pieces) {
                    parser.receive(bytes[start..<min(start + pieces, bytes.count)])
                    reading: while true {
                        switch parser.next() {
                        case .needsMoreBytes: break reading
                        case .failure: return
                        default: continue
                        }
                    }
                }
            }
        },
        Parser("WebSocket frames", ["\u{1}\u{1}a", "\u{0}\u{0}", "\u{1}\u{0}⟨\u{0}\u{1}a⟩"]) { text in
            let bytes = Array(text.utf8)
            var parser = WebSocketFrameParser(.client, allowsCompression: false)
            var validator = UTF8Validator()
            for start in stride(from: 0, to: bytes.count, by: 7) {
                try bytes[start..<min(start + 7, bytes.count)].withUnsafeBytes { piece in
                    _ = validator.receive(piece)
                    var offset = 0
                    while offset < piece.count { _ = try parser.next(piece, at: &offset) }
                }
            }
        },
        Parser("certificate", ["0", "0\u{2}0\u{0}", "0\u{0}", "⟨0\u{7E}⟩"]) { text in
            _ = X509Certificate.publicKeyInfo(in: Array(text.utf8))
        },
    ]

    private static let json: [HostileText] = [
        "[⟨[⟩", "⟨{\"a\":⟩", "[⟨1,⟩1]", "{⟨\"a\":1,⟩\"b\":1}", "{⟨\"a№\":1,⟩\"b\":1}", "\"⟨\\u0041⟩\"", "\"⟨\\ud83d⟩\"",
        "\"⟨a⟩\"", "[⟨\"\",⟩0]",
        "{⟨\"\\u0061№\":1,⟩\"b\":1}", "{⟨\"abcdefgh№abcdefgh\":1,⟩\"b\":1}", "{⟨\"é№\":1,⟩\"b\":1}", "{\"⟨e\u{301}⟩\":1}", "⟨ ⟩1",
        "⟨9⟩", "0.⟨0⟩1",
        "1e⟨9⟩", "1⟨0⟩.⟨0⟩", "[⟨1e999,⟩1]", "-⟨9⟩", "1.⟨123⟩", "[⟨1\n,⟩]", "[⟨null,⟩1]", "{\"type\":⟨[⟩",
        "{\"title\":\"⟨\\\\⟩\"}",
        "{⟨\"a_b№\":1,⟩\"expires_in\":1}", "{\"expires_in\":\"⟨9⟩\"}", "{\"access_token\":\"⟨a⟩\",\"token_type\":\"bearer\"}",
    ]

    private struct Model: Decodable {
        var a: Double?
        var b: Decimal?
        var c: [Int]?
        var aB: Date?
    }

    private static func decode<T: Decodable>(_ type: T.Type, _ data: Data, _ decoder: TransferJSONDecoder) {
        do { _ = try decoder.decode(type, from: data) } catch { _ = "\(error)" }
    }

    /// The bodies of responses.
    static let bodies: [Parser] = [
        Parser("JSON", json) { text in
            let data = Data(text.utf8)
            let decoder = TransferJSONDecoder()
            decode([String: Int].self, data, decoder)
            decode([String: Model].self, data, decoder)
            decode(Model.self, data, decoder)
            decode([Double].self, data, decoder)
            decode([Decimal].self, data, decoder)
            decode(Decimal.self, data, decoder)
            decode(Double.self, data, decoder)
            decode(Int.self, data, decoder)
            decode(String.self, data, decoder)
            decode(Date.self, data, decoder)
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            decoder.dateDecodingStrategy = .iso8601
            decode([String: Int].self, data, decoder)
            decode(Model.self, data, decoder)
            decode([Date].self, data, decoder)
            decode(ProblemDetails.self, data, decoder)
        },
        Parser("place in JSON", json) { text in
            for path: JSONKeyPath in ["", "b", "a.a", "[1]"] { _ = try? JSONSlicer().slice(of: Data(text.utf8), at: path) }
        },
        Parser("excerpt of a body", json, size: 512) { text in
            let response = NetworkResponse(statusCode: 200, body: .data(Data(text.utf8)), url: url)
            do {
                _ = try TransferJSONDecoder().decode([String: Model].self, from: response.data)
            } catch {
                _ = ParsingFailure(error, of: response, method: .get).description
            }
        },
        Parser("tokens", json) { text in
            let response = NetworkResponse(statusCode: 200, body: .data(Data(text.utf8)), url: url)
            do throws(OAuthError) {
                _ = try TokenResponse.tokens(of: response, requested: Date(timeIntervalSince1970: 0))
            } catch {
                _ = "\(error)"
            }
        },
        stream("events", ["data:a\n", "data\n\n", "id:№\n", ":\n", "retry:⟨9⟩\n", "event:a\n", "\r", "\n", "data: ⟨a⟩"]) {
            ServerSentEventParser(maximumEventBytes: .max)
        },
        stream("lines", ["\n", "a\r\n", "a", "\r"]) { LineParser(maximumLineBytes: .max / 2) },
        stream("JSON lines", ["{}\n", "\n", "[", "1\r\n", "⟨ ⟩\n"]) { NDJSONParser(maximumLineBytes: .max / 2) },
        stream(
            "JSON sequence",
            [
                "\u{1E}1\n", "\u{1E}", "\u{1E}[⟨1,⟩", "\u{1E}⟨9⟩", "\u{1E}{\"⟨\\\"⟩", "\u{1E}{\"⟨a⟩", "\u{1E}\"⟨a⟩", "\u{1E}⟨]⟩",
                "\u{1E}⟨ ⟩",
            ]
        ) {
            JSONSequenceParser()
        },
        stream("JSON array", json + ["[⟨9⟩", "[{\"⟨\\\"⟩", "[{\"⟨é⟩", "[{\"⟨a\\n⟩"]) { JSONElementParser() },
        stream(
            "JSON array at a path",
            ["{\"a\":{⟨\"b\":1,⟩", "{⟨\"b\":1,⟩", "{\"a\":[⟨[],⟩", "{\"⟨a⟩", "{\"b\":⟨9⟩", "{\"b\":\"⟨a⟩", "{\"a\":[\"⟨a⟩"]
        ) {
            JSONElementParser(at: "a")
        },
        Parser("chunks of a body", ["a"], isSpecific: true) { text in
            var parser = ChunkParser()
            for byte in text.utf8 { parser.receive(Data([byte])) }
            while try parser.next() != nil {}
        },
        Parser("text in a charset", ["\u{FEFF}", "\u{1B}$B"]) { text in
            for name in ["utf-8", "latin1", "utf-16", "shift_jis", "iso-2022-jp"] {
                _ = TextCharset(name: name)?.decode(Data(text.utf8))
            }
        },
        Parser(
            "property list",
            [
                "<plist>⟨<array>⟩", "<?xml version=\"1.0\"?><!DOCTYPE plist ⟨<!ENTITY a \"b\">⟩", "(", "{⟨a=b;⟩}", "<⟨ab⟩>",
                "\"⟨\\U00e9⟩\"", "/⟨*⟩",
            ]
        ) { text in
            _ = try? StandardResponseDecoder.propertyList.decode(
                [String: String].self, from: ResponseData(Data(text.utf8), contentType: nil))
        },
        Parser("archive", ["{\"log\":{\"entries\":[⟨{},⟩{}]}}", "{\"log\":⟨[⟩"]) { text in
            _ = try? HTTPArchive(data: Data(text.utf8))
        },
    ]
}
