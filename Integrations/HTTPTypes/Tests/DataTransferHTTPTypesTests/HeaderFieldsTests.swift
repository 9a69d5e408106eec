import DataTransferHTTPTypes
import Foundation
import Testing

struct HeaderFieldsTests {
    @Test(arguments: 0..<300 as Range<UInt64>) func `names, bytes and order of random fields stay the same in both directions`(
        seed: UInt64
    )
        throws
    {
        var generator = SeededGenerator(seed)
        let headers = generator.fields()
        let fields = try HTTPFields(headers)
        #expect(fields.lines == headers.lines)
        #expect(HeaderFields(fields).lines == headers.lines)
        #expect(try HTTPFields(HeaderFields(fields)).lines == fields.lines)
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `fields with any bytes are converted unchanged, or one that is invalid is named`(seed: UInt64) {
        var generator = SeededGenerator(seed)
        var headers = generator.fields()
        let name = "X-Random"
        let value = (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) }
        headers = HeaderFields(headers.fields + [HeaderFields.Field(name: name, received: value)])
        do throws(HTTPTypesError) {
            #expect(try HTTPFields(headers).lines == headers.lines)
        } catch {
            #expect(error.part == .headerValue(name))
            let isInvalid = value.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
            let spaces: [UInt8] = [0x20, 0x09]
            let hasOuterSpace = spaces.contains(value[0]) || spaces.contains(value[3])
            #expect(isInvalid || hasOuterSpace)
        }
    }

    @Test(arguments: ["", " ", "a b", "a:", ":path", "a\n", "ä", "a\u{0}"])
    func `a name that is not a token is refused and named`(name: String) {
        let error = #expect(throws: HTTPTypesError.self) { try HTTPFields(["Accept": "*/*", name: "v"]) }
        #expect(error?.part == .headerName(name))
        #expect(error?.description.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } == true)
    }

    @Test(arguments: ["a\r\nb", "a\nb", "a\u{0}b", "\u{1}", "a\u{7F}", " a", "a\t"])
    func `a value that would be changed is refused, and its field is named without it`(value: String) {
        let error = #expect(throws: HTTPTypesError.self) { try HTTPFields(["X-Good": "1", "X-Bad": value]) }
        #expect(error?.part == .headerValue("X-Bad"))
    }

    @Test func `a lenient value is kept, and is an error when the request is validated`() throws {
        let name = try #require(HTTPField.Name("X-Lenient"))
        var fields = HTTPFields()
        fields.append(HTTPField(name: name, lenientValue: [0x61, 0x01]))
        let headers = HeaderFields(fields)
        #expect(headers.lines == fields.lines)
        let url = try #require(URL(string: "https://example.com"))
        let error = #expect(throws: RequestGenerationError.self) { try NetworkRequest(url: url, headers: headers).validate() }
        #expect(error?.field == .headerValue("X-Lenient"))
    }

    @Test func `cookies that a server sets stay separate lines`() throws {
        let headers: HeaderFields = ["Set-Cookie": "a=1, b", "Date": "x", "set-cookie": "c=2"]
        let fields = try HTTPFields(headers)
        #expect(fields[values: .setCookie] == ["a=1, b", "c=2"])
        #expect(HeaderFields(fields).values(for: "Set-Cookie") == ["a=1, b", "c=2"])
    }
}
