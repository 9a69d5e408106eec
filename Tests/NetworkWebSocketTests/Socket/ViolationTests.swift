import Foundation
import NetworkCore
import NetworkTesting
import NetworkWebSocket
import TransferTestSupport
import Testing

/// What a peer does wrong, with the error and the close frame that follow.
struct Violation: Sendable, CustomTestStringConvertible {
    var name: String
    /// The bytes that are sent after a message that is whole.
    var bytes: [UInt8]
    var code: WebSocketError.Code
    var closeCode: WebSocketCloseCode
    var role = WebSocketFrameParser.Role.client

    init(
        _ name: String, _ bytes: [UInt8], _ code: WebSocketError.Code, _ closeCode: WebSocketCloseCode = .protocolError,
        role: WebSocketFrameParser.Role = .client
    ) {
        (self.name, self.bytes, self.code, self.closeCode, self.role) = (name, bytes, code, closeCode, role)
    }

    init(
        _ name: String, _ frames: [TestFrame], _ code: WebSocketError.Code, _ closeCode: WebSocketCloseCode = .protocolError
    ) {
        self.init(name, frames.flatMap { $0.bytes() }, code, closeCode)
    }

    var testDescription: String { name }

    static let all: [Violation] = [
        Violation("RSV1 without compression", [TestFrame(1, [0x61], reserved: 4)], .reservedBits),
        Violation("RSV2", [TestFrame(1, [0x61], reserved: 2)], .reservedBits),
        Violation("RSV3 of a control frame", [TestFrame(9, [], reserved: 1)], .reservedBits),
        Violation("opcode 3", [TestFrame(3)], .unknownOpcode),
        Violation("opcode 15", [TestFrame(15)], .unknownOpcode),
        Violation("a masked frame of a server", TestFrame.text("a").bytes(mask: [1, 2, 3, 4]), .maskedFrame),
        Violation("a plain frame of a client", TestFrame.text("a").bytes(), .maskedFrame, role: .server),
        Violation("a fragmented ping", [TestFrame(9, [], isFinal: false)], .invalidControlFrame),
        Violation("a ping of 126 bytes", [TestFrame(9, [UInt8](repeating: 0, count: 126))], .invalidControlFrame),
        Violation("a close frame of 126 bytes", [.close(1000, String(repeating: "a", count: 124))], .invalidControlFrame),
        Violation("a continuation of nothing", [.more("a")], .invalidFragmentation),
        Violation("a message within another", [.text("a", isFinal: false), .text("b")], .invalidFragmentation),
        Violation("a length in two bytes that needs one", [0x82, 126, 0, 125], .invalidLength),
        Violation("a length in eight bytes that needs two", [0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], .invalidLength),
        Violation("a length above 2^63", [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], .invalidLength),
        Violation("a frame above the limit", [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0], .messageTooLarge, .messageTooBig),
        Violation(
            "a message above the limit",
            [
                .binary([UInt8](repeating: 0, count: 900), isFinal: false),
                TestFrame(0, [UInt8](repeating: 0, count: 900), isFinal: false),
                TestFrame(0, [UInt8](repeating: 0, count: 900)),
            ], .messageTooLarge, .messageTooBig),
        Violation("a text that is not UTF-8", [TestFrame(1, [0xC3, 0x28])], .invalidUTF8, .invalidPayload),
        Violation("a text that ends within a character", [TestFrame(1, [0x61, 0xC3])], .invalidUTF8, .invalidPayload),
        Violation(
            "a text in fragments that is not UTF-8", [TestFrame(1, [0xC3], isFinal: false), TestFrame(0, [0x28])], .invalidUTF8,
            .invalidPayload),
        Violation("a close frame of one byte", [TestFrame(8, [3])], .invalidCloseFrame),
        Violation("a close frame with the code 1005", [.close(1005)], .invalidCloseFrame),
        Violation("a close frame with the code 999", [.close(999)], .invalidCloseFrame),
        Violation("a reason that is not UTF-8", [TestFrame(8, [0x03, 0xE8, 0xFF])], .invalidUTF8, .invalidPayload),
    ]
}

@Suite(.timeLimit(.minutes(10))) struct ViolationTests {
    private static let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    private static func socket(_ violation: Violation, compression: AgreedCompression? = nil) throws -> ScriptedSocket {
        try ScriptedSocket(violation.role, compression: compression) { $0.maximumMessageBytes = 2000 }
    }

    private static func check(_ violation: Violation, _ scripted: ScriptedSocket) async {
        let (messages, error) = await scripted.socket.collected()
        #expect(messages == [.text("whole")])
        #expect(error?.code == violation.code)
        #expect(error?.closeCode == violation.closeCode)
        let frames = scripted.transport.frames
        #expect(frames.first == .pong([7]))
        #expect(frames.count == 2 && frames.last?.closeCode == violation.closeCode.rawValue)
        let reason = String(decoding: frames.last?.payload.dropFirst(2) ?? [], as: UTF8.self)
        #expect(!reason.isEmpty && error?.message.hasPrefix(reason) == true)
        #expect(scripted.transport.isClosed)
        // The error stays: nothing that followed is received, and nothing is sent.
        let (rest, again) = await scripted.socket.collected()
        #expect(rest == [] && again?.code == violation.code)
        let sending = await #expect(throws: WebSocketError.self) { try await scripted.socket.send(.text("a")) }
        #expect(sending?.code == violation.code)
        #expect(scripted.transport.frames.count == 2)
    }

    @Test(arguments: Violation.all, [Int.max, 1, 3]) func `a violation has its error and close code, after what is whole`(
        violation: Violation, pieces: Int
    ) async throws {
        let scripted = try Self.socket(violation)
        let mask = violation.role == .server ? Self.mask : nil
        let before = [TestFrame.text("whole"), .ping([7])].flatMap { $0.bytes(mask: mask) }
        scripted.transport.feed(before + violation.bytes + TestFrame.text("after").bytes(mask: mask), pieces: pieces)
        await Self.check(violation, scripted)
    }

    @Test(arguments: Violation.all.filter { $0.role == .client }) func `a violation in a stream has its error`(
        violation: Violation
    ) async throws {
        guard violation.code != .messageTooLarge else { return }
        let scripted = try Self.socket(violation)
        var streams = scripted.socket.streams.makeAsyncIterator()
        scripted.transport.feed(violation.bytes + TestFrame.text("after").bytes(), pieces: 2)
        let found = await #expect(throws: WebSocketError.self) {
            while let stream = try await streams.next() {
                var chunks = stream.makeAsyncIterator()
                while try await chunks.next() != nil {}
            }
        }
        #expect(found?.code == violation.code)
        #expect(scripted.transport.frames.last?.closeCode == violation.closeCode.rawValue)
    }

    #if os(Linux)
        @Test(arguments: [
            Violation("damaged compression", [TestFrame(2, [0xFF, 0xFF], reserved: 4)], .invalidCompression, .invalidPayload),
            Violation("RSV1 of a continuation", [.text("a", isFinal: false), TestFrame(0, [], reserved: 4)], .reservedBits),
            Violation("RSV1 of a ping", [TestFrame(9, [], reserved: 4)], .reservedBits),
        ]) func `a violation of compression has its error and close code`(violation: Violation) async throws {
            let scripted = try Self.socket(violation, compression: AgreedCompression())
            scripted.feed(.text("whole"), .ping([7]))
            scripted.transport.feed(violation.bytes + TestFrame.text("after").bytes())
            await Self.check(violation, scripted)
        }
    #endif

    @Test func `each kind of violation has its own code`() {
        let kinds = Set(Violation.all.map(\.code) + [.invalidCompression])
        #expect(kinds.count == 10)
    }
}
