import Endpoints
import Foundation
import TestSupport
import Testing

/// Property lists that would overflow the stack of Foundation's parsers or exhaust memory.
@Suite(.timeLimit(.minutes(10))) struct PropertyListNestingTests {
    /// A type that decodes from any value without reading it.
    private struct Anything: Decodable, Sendable {
        init(from decoder: any Decoder) {}
    }

    private func error(_ document: Data) -> (any Error)? {
        do {
            _ = try PropertyListResponseDecoder().decode(Anything.self, from: ResponseData(document))
            return nil
        } catch {
            return error
        }
    }

    private func isTooDeep(_ document: Data) -> Bool {
        if case .tooDeep(maximumDepth: 512)? = (error(document) as? ResponseDecodingError)?.kind { true } else { false }
    }

    private func isRefused(_ document: Data) -> Bool {
        if case .dataCorrupted(let context)? = error(document) as? DecodingError {
            Self.isFromCheck(context.debugDescription)
        } else {
            false
        }
    }

    /// Returns whether the reason is from the check that runs before Foundation parses the document.
    private static func isFromCheck(_ reason: String) -> Bool {
        reason.contains("property list") && reason.first?.isLowercase == true
    }

    private static let start = #"<?xml version="1.0" encoding="UTF-8"?>"#
    private static let type =
        #"<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">"#

    private static func xml(_ body: String) -> String { start + "\n" + type + "\n<plist version=\"1.0\">" + body + "</plist>" }

    private static func arrays(_ count: Int) -> String {
        String(repeating: "<array>", count: count) + String(repeating: "</array>", count: count)
    }

    // MARK: XML

    @Test(arguments: [1, 100, 512]) func `elements nested up to the limit are decoded`(count: Int) {
        #expect(error(Data(Self.xml(Self.arrays(count)).utf8)) == nil)
    }

    @Test(arguments: [514, 20_000, 200_000]) func `elements nested beyond the limit are an error`(count: Int) {
        #expect(isTooDeep(Data(Self.xml(Self.arrays(count)).utf8)))
        // Elements without end tags count as well.
        #expect(isTooDeep(Data(Self.xml(String(repeating: "<dict><key>a</key>", count: count)).utf8)))
    }

    @Test func `the error for a deeply nested document names the limit`() throws {
        let body = ResponseData(Data(Self.xml(Self.arrays(20_000)).utf8))
        let error = #expect(throws: ResponseDecodingError.self) {
            try PropertyListResponseDecoder().decode([String].self, from: body)
        }
        #expect(error?.description == "the document is nested more than 512 levels deep")
    }

    @Test(arguments: [
        String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian, .utf32BigEndian, .isoLatin1,
    ])
    func `the nesting limit applies in every supported encoding`(encoding: String.Encoding) throws {
        let name =
            switch encoding {
            case .isoLatin1: "ISO-8859-1"
            case .utf16, .utf16LittleEndian, .utf16BigEndian: "UTF-16"
            default: "UTF-32"
            }
        let text = Self.xml(Self.arrays(20_000)).replacingOccurrences(of: "UTF-8", with: name)
        #expect(isTooDeep(try #require(text.data(using: encoding))))
        let small = Self.xml("<array><string>hé</string></array>").replacingOccurrences(of: "UTF-8", with: name)
        #expect(!isTooDeep(try #require(small.data(using: encoding))))
    }

    @Test(arguments: ["utf-7", "ebcdic-cp-us", "shift_jis", "iso-2022-jp"])
    func `an XML document in an unsupported encoding is refused`(name: String) {
        let text = Self.xml(Self.arrays(2)).replacingOccurrences(of: "UTF-8", with: name)
        #expect(isRefused(Data(text.utf8)))
    }

    @Test func `tags in comments, CDATA and processing instructions do not change the nesting depth`() {
        let many = String(repeating: "<array>", count: 1000)
        let closing = String(repeating: "</array>", count: 1000)
        for harmless in ["<!-- \(many) -->", "<?note \(many)?>"] {
            #expect(error(Data(Self.xml("<array>\(harmless)</array>").utf8)) == nil)
        }
        #expect(error(Data(Self.xml("<string><![CDATA[\(many)]]></string>").utf8)) == nil)
        for hidden in ["<!-- </array> -->", "<?a </array>?>"] {
            let text = String(repeating: "<array>" + hidden, count: 20_000)
            #expect(isTooDeep(Data(Self.xml(text).utf8)))
        }
        for end in ["<!-- \(closing)", "<?note \(closing)", "<string><![CDATA[\(closing)"] {
            #expect(isRefused(Data(Self.xml("<array>" + end).utf8)))
        }
    }

    @Test func `tags that XML parsers could read differently are refused`() {
        for tag in [
            #"<array a=">">"#, #"<array a="<x/>">"#, #"<array a=">"/>"#, "<array a='>'>", "<array <array>", "<array a=\">",
        ] {
            #expect(isRefused(Data(Self.xml(tag).utf8)), "\(tag)")
        }
        #expect(isRefused(Data(Self.xml("</plist></a>").utf8)))
    }

    @Test func `documents that declare entities are refused`() {
        let lol = (1...9).map { "<!ENTITY l\($0) \"\(String(repeating: "&l\($0 - 1);", count: 10))\">" }.joined()
        let text = Self.start + "<!DOCTYPE plist [<!ENTITY l0 \"lol\">\(lol)]><plist><string>&l9;</string></plist>"
        #expect(isRefused(Data(text.utf8)))
        #expect(isRefused(Data((Self.start + "<!DOCTYPE plist [<!-- ]> --> ]><plist/>").utf8)))
    }

    @Test func `the depth check takes time linear in the length of the document`() {
        func time(_ count: Int) -> Duration {
            let document = Data(
                Self.xml("<array>" + String(repeating: "<string>a<!--</a>--></string>", count: count) + "<x>").utf8)
            return (0..<3).map { _ in processorTime { _ = PropertyListProbe.check(document) } }.min() ?? .zero
        }
        // Four times the length: linear time is four times as long, and quadratic time 16 times. Quadratic time exceeds the limit in
        // every attempt.
        var ratios: [Double] = []
        for _ in 0..<5 where ratios.isEmpty || (ratios.last ?? 0) >= 12 {
            ratios.append(time(80_000) / max(time(20_000), .milliseconds(1)))
        }
        #expect((ratios.min() ?? 0) < 12, "\(ratios)")
    }

    // MARK: Old-style ASCII

    @Test func `containers in old-style ASCII property lists count towards the limit`() {
        #expect(isTooDeep(Data(String(repeating: "(", count: 20_000).utf8)))
        #expect(isTooDeep(Data(String(repeating: "{a=", count: 20_000).utf8)))
        #expect(isTooDeep(Data(("(a//," + String(repeating: "(", count: 20_000)).utf8)))
        #expect(isTooDeep(Data(("(a/*," + String(repeating: "(", count: 20_000)).utf8)))
        #expect(isTooDeep(Data(("(\"\\\"\"," + String(repeating: "('),',", count: 20_000)).utf8)))
        #expect(!isTooDeep(Data(("\"" + String(repeating: "(", count: 20_000) + "\"").utf8)))
        #expect(!isTooDeep(Data(("(/* " + String(repeating: "(", count: 20_000) + " */ 1)").utf8)))
    }

    // MARK: Binary

    /// Returns a binary property list of encoded objects. Each is a marker byte and its references, of one or two bytes.
    private static func binary(_ objects: [[UInt8]], referenceSize: UInt8 = 2) -> Data {
        var bytes = [UInt8]("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets { bytes += (0..<4).reversed().map { UInt8(truncatingIfNeeded: offset >> ($0 * 8)) } }
        bytes += [0, 0, 0, 0, 0, 0, 4, referenceSize]
        for number in [objects.count, 0, table] {
            bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        return Data(bytes)
    }

    private static func array(_ references: [Int]) -> [UInt8] {
        [0xA0 | UInt8(references.count)] + references.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    private static func chain(_ count: Int) -> Data {
        binary((1..<count).map { array([$0]) } + [array([])])
    }

    @Test func `a binary property list is decoded up to the nesting limit and refused beyond it`() {
        #expect(error(Self.chain(512)) == nil)
        #expect(isTooDeep(Self.chain(513)))
        #expect(isTooDeep(Self.chain(60_000)))
    }

    @Test func `a value with several references is checked at its greatest depth`() {
        // Array 1 is reached twice: at depth 2 from array 0, and at depth 302 after the arrays 300 to 599.
        var objects = [Self.array([1, 300])]
        for index in 1..<300 { objects.append(Self.array(index == 299 ? [] : [index + 1])) }
        for index in 300..<600 { objects.append(Self.array(index == 599 ? [1] : [index + 1])) }
        #expect(isTooDeep(Self.binary(objects)))
    }

    @Test func `a value that contains itself is refused`() {
        #expect(isRefused(Self.binary([Self.array([0])])))
        #expect(isRefused(Self.binary([Self.array([1]), Self.array([2]), Self.array([1])])))
        #expect(isRefused(Self.binary([[0xD1, 0, 1, 0, 0], [0x51, 0x61]])))
    }

    @Test func `references that expand to exponentially many values are refused`() {
        let doubled = (1...40).map { Self.array([$0, $0]) } + [[0x51, 0x61] as [UInt8]]
        #expect(isRefused(Self.binary(doubled)))
        let few = (1...10).map { Self.array([$0, $0]) } + [[0x51, 0x61] as [UInt8]]
        #expect(error(Self.binary(few)) == nil)
    }

    @Test func `changed or truncated binary data does not crash the decoder`() {
        let document = [UInt8](Self.chain(20))
        for index in document.indices {
            for byte in [0, 1, 0x0F, 0x7F, 0x80, 0xFF] as [UInt8] {
                var changed = document
                changed[index] = byte
                _ = error(Data(changed))
            }
            _ = error(Data(document[..<index]))
        }
    }

    @Test func `property lists that Foundation encodes are decoded`() throws {
        let value = ["a": [["b": [1, 2, 3]], ["c": []]], "d": Array(repeating: ["e": [7]], count: 300)]
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = format
            let body = ResponseData(try encoder.encode(value))
            #expect(try PropertyListResponseDecoder().decode([String: [[String: [Int]]]].self, from: body) == value)
        }
    }

    @Test func `a document as deep as a small stack allows is decoded on it, and a deeper one is an error`() async {
        struct Tree: Decodable {
            var children: [Tree]
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                children = []
                while !container.isAtEnd { children.append(try container.decode(Tree.self)) }
            }
        }
        for depth in [8, 32, 64, 100, 200, 512] {
            let text = String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
            for stack in [128, 512, 8192] {
                let result = await withCheckedContinuation {
                    (continuation: CheckedContinuation<Result<Void, any Error>, Never>) in
                    let thread = Thread {
                        let body = ResponseData(Data("<plist version=\"1.0\">\(text)</plist>".utf8))
                        continuation.resume(
                            returning: Result { _ = try PropertyListResponseDecoder().decode(Tree.self, from: body) })
                    }
                    thread.stackSize = stack << 10
                    thread.start()
                }
                if case .failure(let error) = result {
                    let isTooDeep = if case .tooDeep? = (error as? ResponseDecodingError)?.kind { true } else { false }
                    #expect(isTooDeep && stack < 8192 && depth > 8, "\(stack) \(depth) \(error)")
                }
            }
        }
    }
}

private enum PropertyListProbe {
    static func check(_ data: Data) -> Bool {
        (try? PropertyListResponseDecoder().decode(Int.self, from: ResponseData(data))) != nil
    }
}
