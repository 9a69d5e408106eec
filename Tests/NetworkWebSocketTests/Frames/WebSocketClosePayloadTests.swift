import Foundation
import NetworkWebSocket
import TransferTestSupport
import Testing

/// Payloads of close frames (RFC 6455 §5.5.1, §7.4).
@Suite struct WebSocketClosePayloadTests {
    private static func bytes(_ code: UInt16, _ reason: [UInt8] = []) -> [UInt8] {
        [UInt8(code >> 8), UInt8(code & 0xFF)] + reason
    }

    private static func parsed(_ payload: [UInt8]) throws(WebSocketViolation) -> (UInt16, String) {
        let (code, reason) = try WebSocketClosePayload.parse(payload)
        return (code.rawValue, reason)
    }

    @Test func `exactly the codes of the RFC, of the registry and of applications are accepted`() {
        let allowed = Set(
            [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014] + Array(3000...4999) as [UInt16])
        for code in UInt16.min...UInt16.max {
            let found = Result { () throws(WebSocketViolation) in try Self.parsed(Self.bytes(code)) }
            switch found {
            case .success(let (parsed, reason)): #expect(allowed.contains(code) && parsed == code && reason.isEmpty)
            case .failure(let violation): #expect(!allowed.contains(code) && violation == .invalidCloseCode(code))
            }
        }
    }

    @Test func `an empty payload has no code, and one byte is invalid`() throws {
        #expect(try Self.parsed([]) == (1005, ""))
        for byte in UInt8.min...UInt8.max {
            #expect(throws: WebSocketViolation.invalidCloseFrame) { try Self.parsed([byte]) }
        }
    }

    @Test func `the reason is UTF-8`() throws {
        #expect(try Self.parsed(Self.bytes(1000, Array("née 🎉".utf8))) == (1000, "née 🎉"))
        for reason in [[0xC3], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x61, 0xFF], [0x80]] as [[UInt8]] {
            #expect(throws: WebSocketViolation.invalidUTF8) { try Self.parsed(Self.bytes(1000, reason)) }
        }
    }

    @Test func `an invalid code is reported before an invalid reason`() {
        #expect(throws: WebSocketViolation.invalidCloseCode(1005)) { try Self.parsed(Self.bytes(1005, [0xFF])) }
    }

    @Test func `what is written is read, and a reason is cut between characters`() throws {
        for reason in ["", "bye", String(repeating: "a", count: 123), "🎉é"] {
            #expect(try Self.parsed(WebSocketClosePayload.make(.goingAway, reason)) == (1001, reason))
        }
        for (reason, kept) in [("a", 123), ("é", 61), ("€", 41), ("🎉", 30), ("👨‍👩‍👧‍👦", 4)] {
            let payload = WebSocketClosePayload.make(.normal, String(repeating: reason, count: 200))
            #expect(payload.count <= 125)
            #expect(try Self.parsed(payload) == (1000, String(repeating: reason, count: kept)))
        }
        #expect(WebSocketClosePayload.make(.noStatus, "unseen").isEmpty)
    }

    @Test func `the codes without a fault are 1000, 1001 and none`() {
        let orderly = (UInt16.min...UInt16.max).filter { WebSocketCloseCode(rawValue: $0).isOrderly }
        #expect(orderly == [1000, 1001, 1005])
    }
}
