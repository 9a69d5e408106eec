import NetworkSupport
import Testing

@testable import NetworkLogging

/// Texts from bytes, as on systems whose standard library does not check them.
struct ValidTextTests {
    @Test func `without the standard library's check, the same bytes are valid`() {
        let parts: [UInt8] = [
            0, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBD, 0xBF, 0xC0, 0xC2, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xFF,
        ]
        for first in parts {
            for second in parts {
                for third in parts {
                    for bytes in [[first], [first, second], [first, second, third], [0xF0, first, second, third]] {
                        let text = String(unrepaired: bytes)
                        #expect(text == String(validating: bytes, as: UTF8.self))
                        if let text { #expect(Array(text.utf8) == bytes) }
                    }
                }
            }
        }
    }
}
