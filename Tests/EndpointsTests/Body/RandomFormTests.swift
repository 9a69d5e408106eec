import Foundation
import Testing
import TestSupport

@testable import Endpoints

/// Forms with random content are parsed by a reader that shares no code with the writer.
@Suite struct RandomFormTests {
    // There is no `%`, which is not escaped: as in browsers, `%22` in a name cannot be distinguished from an escaped quote.
    private static let scalars: [Unicode.Scalar] = Array("ab\"\r\n;=\\'-: \u{301}ß日😀\u{0}\u{7F}".unicodeScalars)

    private func text(_ random: inout SeededGenerator, _ count: ClosedRange<Int>) -> String {
        let scalars = (0..<Int.random(in: count, using: &random)).map { _ in Self.scalars.randomElement(using: &random) ?? "a" }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Returns random content that consists mostly of the bytes of delimiters.
    private func content(_ random: inout SeededGenerator) -> Data {
        let bytes = Array("\r\n--AaB03x".utf8) + [0, 255]
        return Data((0..<Int.random(in: 0...80, using: &random)).map { _ in bytes.randomElement(using: &random) ?? 0 })
    }

    @Test func `random forms can be parsed again`() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            var form = MultipartForm(boundary: Bool.random(using: &random) ? "AaB03x" : nil)
            var parts: [FormReader.Part] = []
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let hasFile = Bool.random(using: &random)
                let name = text(&random, 0...6)
                // WHATWG HTML §4.10.21.8: each line break in a name becomes CRLF.
                let part = FormReader.Part(
                    name: name.replacingOccurrences(of: "\r\n|\r|\n", with: "\r\n", options: .regularExpression),
                    fileName: hasFile ? text(&random, 0...6) : nil,
                    contentType: hasFile ? "text/plain; charset=utf-8" : nil, content: content(&random))
                // Content that contains the boundary is refused, which another test checks.
                guard part.content.range(of: Data("--\(form.boundary)".utf8)) == nil else { continue }
                parts.append(part)
                form.parts.append(
                    .init(name: name, fileName: part.fileName, contentType: part.contentType, data: part.content))
            }
            #expect(try FormReader.parts(of: form.encoded(), boundary: form.boundary) == parts)
        }
    }

    @Test func `a byte pattern is found if and only if the text contains it, for any chunk sizes`() {
        var random = SeededGenerator(seed: 8)
        let pattern = BytePattern("--ab-a")
        let letters = Array("--ab".utf8)
        var found = 0
        for _ in 0..<2000 {
            let text = Data((0..<Int.random(in: 0...30, using: &random)).map { _ in letters.randomElement(using: &random) ?? 0 })
            let expected = String(decoding: text, as: UTF8.self).contains("--ab-a")
            found += expected ? 1 : 0
            #expect(text.withUnsafeBytes(pattern.occurs) == expected)
            var search = BytePatternSearch(pattern)
            var rest = text
            var isFound = false
            while !rest.isEmpty {
                let count = Int.random(in: 1...7, using: &random)
                isFound = search.finds(in: rest.prefix(count)) || isFound
                rest = rest.dropFirst(count)
            }
            #expect(isFound == expected, "\(String(decoding: text, as: UTF8.self))")
        }
        #expect(found > 10)
    }
}
