import Foundation

@testable import Endpoints

/// Takes the input apart into what a form is made of: bytes up to the next 0xFF, of which each form holds many.
struct Ingredients {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        rest = ArraySlice(bytes)
    }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func bytes() -> [UInt8] {
        let piece = rest.prefix { $0 != 0xFF }
        rest = rest.dropFirst(piece.count + 1)
        return Array(piece)
    }

    mutating func text() -> String { String(decoding: bytes(), as: UTF8.self) }
}

struct ReadPart: Equatable {
    var name: [UInt8]
    var fileName: [UInt8]?
    var contentType: [UInt8]?
    var content: [UInt8]
}

/// Where `pattern` begins for the first time.
func place(of pattern: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.indices.first { bytes[$0...].starts(with: pattern) }
}

/// Reads a form as RFC 2046 §5.1.1 says, byte for byte, and traps where it is malformed.
func parts(of form: [UInt8], boundary: String) -> [ReadPart] {
    let delimiter = Array("\r\n--\(boundary)".utf8)
    var rest = ArraySlice(Array("\r\n".utf8) + form)
    precondition(rest.starts(with: delimiter), "the form does not begin with its boundary")
    rest = rest.dropFirst(delimiter.count)
    var parts: [ReadPart] = []
    while rest.starts(with: Array("\r\n".utf8)) {
        guard let end = place(of: delimiter, in: rest) else { preconditionFailure("a part does not end") }
        parts.append(part(rest[(rest.startIndex + 2)..<end]))
        rest = rest[(end + delimiter.count)...]
    }
    precondition(Array(rest) == Array("--\r\n".utf8), "something follows the end")
    return parts
}

func part(_ bytes: ArraySlice<UInt8>) -> ReadPart {
    guard let end = place(of: Array("\r\n\r\n".utf8), in: bytes) else { preconditionFailure("no end of the head") }
    var part = ReadPart(name: [], content: Array(bytes[(end + 4)...]))
    var lines: [[UInt8]] = []
    var head = bytes[..<end]
    while let next = place(of: Array("\r\n".utf8), in: head) {
        lines.append(Array(head[..<next]))
        head = head[(next + 2)...]
    }
    lines.append(Array(head))
    let start = Array("Content-Disposition: form-data; name=\"".utf8)
    precondition(lines[0].starts(with: start), "no name")
    let values = lines[0].dropFirst(start.count).split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
    precondition(values.count == 2 || values.count == 4, "a quote inside a name")
    part.name = unescaped(values[0])
    if values.count == 4 {
        precondition(Array(values[1]) == Array("; filename=".utf8) && values[3].isEmpty, "not a file name")
        part.fileName = unescaped(values[2])
    }
    if lines.count > 1 {
        let start = Array("Content-Type: ".utf8)
        precondition(lines.count == 2 && lines[1].starts(with: start), "a line too many")
        part.contentType = Array(lines[1].dropFirst(start.count))
    }
    return part
}

func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
        let escapes: [[UInt8]: UInt8] = [Array("22".utf8): 0x22, Array("0D".utf8): 0x0D, Array("0A".utf8): 0x0A]
        if byte == UInt8(ascii: "%"), let meant = escapes[Array(rest.prefix(2))] {
            result.append(meant)
            rest = rest.dropFirst(2)
        } else {
            result.append(byte)
        }
    }
    return result
}

/// `%22` in a name cannot be distinguished from a quote, by design of the WHATWG: both sides are read as the escapes say.
func meant(_ text: String) -> [UInt8] { unescaped(ArraySlice(text.utf8)) }

/// The text with CRLF for each of its line breaks, as the WHATWG says of names, but not of file names.
func withWholeLineBreaks(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
        guard byte == 0x0D || byte == 0x0A else {
            bytes.append(byte)
            continue
        }
        bytes += [0x0D, 0x0A]
        if byte == 0x0D, rest.first == 0x0A { rest.removeFirst() }
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// libFuzzer calls it with each of its inputs.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = Ingredients(UnsafeBufferPointer(start: start, count: count))
    let boundary = input.text()
    var form = MultipartForm(boundary: boundary.isEmpty ? nil : boundary)
    var expected: [ReadPart] = []
    while !input.isEmpty {
        let kind = input.byte()
        let name = input.text()
        let fileName = kind & 1 == 0 ? nil : input.text()
        let contentType = kind & 2 == 0 ? nil : input.text()
        let content = input.bytes()
        form.parts.append(.init(name: name, fileName: fileName, contentType: contentType, data: Data(content)))
        expected.append(
            ReadPart(
                name: meant(withWholeLineBreaks(name)), fileName: fileName.map(meant),
                contentType: contentType.map { Array($0.utf8) },
                content: content))
    }
    let mustFail =
        expected.contains { place(of: Array("--\(form.boundary)".utf8), in: ArraySlice($0.content)) != nil }
        || expected.contains { ($0.contentType ?? []).contains { $0 < 0x20 || $0 == 0x7F } }
    guard let body = try? form.encoded() else {
        let isLegal = boundary.isEmpty || boundary.utf8.allSatisfy { (0x27...0x7A).contains($0) } && boundary.utf8.count <= 70
        precondition(mustFail || !isLegal || !boundary.allSatisfy { $0.isLetter || $0.isNumber }, "a form is refused")
        return 0
    }
    precondition(!mustFail, "a form that cannot be read is sent")
    precondition(parts(of: Array(body), boundary: form.boundary) == expected, "another form is read")

    // The same in pieces, whose boundary is looked for across their borders.
    let pattern = BytePattern("--\(form.boundary)")
    for part in expected where part.content.count > 1 {
        var search = BytePatternSearch(pattern)
        let cut = Int(part.content[0]) % part.content.count
        precondition(!search.finds(in: Data(part.content[..<cut])) && !search.finds(in: Data(part.content[cut...])))
    }
    return 0
}
