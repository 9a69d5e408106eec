import TransferTestSupport

@testable import NetworkTransport

extension HTTP1Exchange {
    /// Creates a random response: valid, unusual, invalid in one place, or with some bytes changed.
    init(random: inout SeededGenerator) {
        var writer = RandomResponse(random: random)
        writer.writeResponse()
        random = writer.random
        var bytes = writer.bytes
        if Int.random(in: 0..<5, using: &random) == 0 { Self.mutate(&bytes, &random) }
        if Int.random(in: 0..<8, using: &random) == 0 { bytes.removeLast(Int.random(in: 0...bytes.count, using: &random)) }
        self.init(
            bytes: bytes, isHead: Int.random(in: 0..<8, using: &random) == 0,
            expectsUpgrade: Int.random(in: 0..<3, using: &random) == 0,
            maximumHeaderBytes: Int.random(in: 0..<8, using: &random) == 0 ? Int.random(in: 0...200, using: &random) : 1 << 18)
    }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let byte = Array("\r\n \t:;,\u{0}\u{7F}0aHZ-1=".utf8 + [0x80, 0xFF, 0x0B]).randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[place] = byte
            case 1: bytes.insert(byte, at: place)
            case 2: bytes.remove(at: place)
            default: bytes.insert(contentsOf: bytes[place...].prefix(Int.random(in: 1...30, using: &random)), at: place)
            }
        }
    }
}

private struct RandomResponse {
    var random: SeededGenerator
    var bytes: [UInt8] = []

    private static let fields = [
        "Date: Mon, 01 Jan 2024 00:00:00 GMT", "Content-Type: text/plain", "X-Empty:", "x-tabs:\ta\tb\t", "Set-Cookie: a=b",
        "X-Long: " + String(repeating: "long ", count: 40), "Location: /x", "Content-Encoding: gzip", "X-Utf8: grüße", "A:1",
        "Connection: close", "connection: Keep-Alive", "Connection: x, CLOSE ,y", "Keep-Alive: timeout=5, max=100",
        "keep-alive: max=x,timeout=99999999999999999999", "Keep-Alive: timeout = 7", "Upgrade: h2c", "X-Spaces:   a  b   ",
    ]
    private static let oddFields = [
        " folded", "\tfolded", " ", "X-Space : 1", ": no name", "no colon", "X\u{1}: 1", "X: \u{1}", "X: a\rb", "X: \u{0}",
        "(x): 1", "Content-Length: 5, 5", "Content-Length: -1", "Content-Length:", "Content-Length: 4", "Content-Length: 5,",
        "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked, identity", "Transfer-Encoding: identity",
        "Transfer-Encoding:", "transfer-encoding: , CHUNKED", "Content-Length: 9223372036854775808", "X: \u{7F}", "é: 1",
        "Content-Length: 0005",
    ]
    private static let statusLines = [
        "HTTP/1.1 200", "HTTP/1.1 200 ", "HTTP/1.0 200 OK", "HTTP/1.2 299 Fine", "HTTP/1.1 304 Not Modified", "HTTP/1.1 204 None",
        "HTTP/1.1 404 Not \tFöund", "HTTP/1.1 999 x", "HTTP/1.1 101 Switching Protocols",
    ]
    private static let oddStatusLines = [
        "", "HTTP/2 200", "http/1.1 200 OK", "HTTP/1.1 099 x", "HTTP/1.1  200 OK", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1",
        "HTTP/1.1 200\tOK", "HTTP/1.11 200 OK", "ICY 200 OK", "HTTP/1.x 200 OK", "HTTP/1.1 2x0 OK", "HTTP/1.1 200 O\u{0}K",
        "HTTP/1.1 200 O\rK", " HTTP/1.1 200 OK", "H",
    ]

    private mutating func chance(_ one: Int) -> Bool {
        Int.random(in: 0..<one, using: &random) == 0
    }

    private mutating func write(_ text: String) {
        bytes += Array(text.utf8)
    }

    private mutating func writeLine(_ text: String, isStrict: Bool = false) {
        write(text)
        write(chance(isStrict ? 200 : 20) ? "\n" : "\r\n")
    }

    mutating func writeResponse() {
        if chance(40) { writeLine(chance(5) ? "\r\n" : "") }
        if chance(6) {
            for _ in 0..<(chance(10) ? 66 : Int.random(in: 1...3, using: &random)) {
                writeLine("HTTP/1.1 \(["100", "103", "199", "102"].randomElement(using: &random) ?? "") x")
                if chance(2) { writeFields(count: Int.random(in: 1...(chance(4) ? 12 : 2), using: &random)) }
                writeLine("")
            }
        }
        let choices = chance(40) ? Self.oddStatusLines : chance(3) ? Self.statusLines : ["HTTP/1.1 200 OK"]
        writeLine(choices.randomElement(using: &random) ?? "")
        writeFields(count: Int.random(in: 0...5, using: &random))
        writeBody()
        if chance(5) { write("HTTP/1.1 200 OK\r\n\r\n") }
    }

    private mutating func writeFields(count: Int) {
        for _ in 0..<count {
            writeLine((chance(25) ? Self.oddFields : Self.fields).randomElement(using: &random) ?? "")
            if chance(15) { writeLine(" more\t") }
            if chance(100) { bytes += [0x58, 0x3A, 0xE9, 0x0D, 0x0A] }
        }
    }

    private mutating func writeBody() {
        let content = (0..<Int.random(in: 0...60, using: &random)).map { _ in
            ["a", "\n", "\r", "0", "é", "HTTP/1.1 "].randomElement(using: &random) ?? ""
        }.joined()
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1, 2:
            writeLine("Content-Length: \(content.utf8.count)")
            if chance(8) { writeFields(count: 1) }
            writeLine("")
            write(content)
        case 3, 4, 5:
            writeLine(chance(4) ? "TRANSFER-encoding:chunked" : "Transfer-Encoding: chunked")
            if chance(10) { writeLine("Content-Length: 3") }
            if chance(8) { writeFields(count: 1) }
            writeLine("")
            writeChunks(Array(content.utf8)[...])
        default:
            writeLine("")
            write(content)
        }
    }

    private mutating func writeChunks(_ content: ArraySlice<UInt8>) {
        var rest = content
        while !rest.isEmpty {
            let chunk = rest.prefix(Int.random(in: 1...20, using: &random))
            rest = rest.dropFirst(chunk.count)
            writeChunkSize(chunk.count)
            bytes += chunk
            writeLine(chance(100) ? "x" : "", isStrict: true)
        }
        writeChunkSize(0)
        if chance(3) { for _ in 0..<Int.random(in: 1...3, using: &random) { writeLine("X-Sum: 1, 2", isStrict: true) } }
        if chance(40) { writeFields(count: 1) }
        writeLine("", isStrict: true)
    }

    private mutating func writeChunkSize(_ size: Int) {
        var line = String(size, radix: 16, uppercase: chance(2))
        if chance(8) { line = String(repeating: "0", count: Int.random(in: 0...16, using: &random)) + line }
        if chance(8) { line += [" ", "\t ", "  "].randomElement(using: &random) ?? "" }
        if chance(8) { line += [";", ";a=b", "; a=\"b\\\"\" ;c", ";\t", ";é"].randomElement(using: &random) ?? "" }
        if chance(300) { line += ";" + String(repeating: "x", count: Int.random(in: 16_380...16_390, using: &random)) }
        if chance(100) {
            line = ["x", "-1", "+1", "0x1", "", " 1", "FFFFFFFFFFFFFFFF", "1\r", "1 1"].randomElement(using: &random) ?? ""
        }
        writeLine(line, isStrict: true)
    }
}
