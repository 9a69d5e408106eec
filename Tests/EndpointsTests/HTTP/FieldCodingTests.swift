import Endpoints
import TestSupport
import Testing

/// The bytes of field values: UTF-8, or else ISO-8859-1 (RFC 9110 §5.5).
struct FieldCodingTests {
    @Test
    func `random bytes are the same when they are sent back`() {
        let random = SharedGenerator(5)
        for _ in 0..<5000 {
            let bytes = (0..<random.next(below: 6)).map { _ in
                random.next(below: 2) == 0 ? UInt8(random.next(below: 256)) : [0x41, 0xC3, 0xBC, 0xFC][random.next(below: 4)]
            }
            let field = HeaderFields.Field(name: "ETag", received: bytes)
            #expect(field.bytes == bytes)
            #expect(field.isLatin1 == (String(validating: bytes, as: UTF8.self) == nil))
        }
    }

    @Test
    func `a value that was changed after it was received is sent as UTF-8 if it is not ISO-8859-1`() {
        var field = HeaderFields.Field(name: "ETag", received: [0xFC])
        #expect(field.value == "\u{FC}")
        field.value = "\u{2192}"
        #expect(field.bytes == Array("\u{2192}".utf8))
    }

    @Test
    func `how a value was received is not part of its equality`() {
        let received = HeaderFields.Field(name: "ETag", received: [0xFC])
        let own = HeaderFields.Field(name: "ETag", value: "\u{FC}")
        #expect(received == own && received.hashValue == own.hashValue && own.bytes == [0xC3, 0xBC])
    }
}
