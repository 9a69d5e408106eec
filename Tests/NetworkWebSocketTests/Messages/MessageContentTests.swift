#if os(Linux)
    import Foundation
    import NetworkCore
    import NetworkWebSocket
    import TransferTestSupport
    import Testing

    /// Compression of messages, and decoding of their content (RFC 7692).
    @Suite(.timeLimit(.ofStorm)) struct MessageContentTests {
        private static func agreed(_ change: (inout AgreedCompression) -> Void = { _ in }) -> AgreedCompression {
            var agreed = AgreedCompression()
            agreed.minimumBytes = 0
            change(&agreed)
            return agreed
        }

        private static func compressed(_ deflater: MessageDeflater, _ bytes: [UInt8]) throws -> [UInt8] {
            try bytes.withUnsafeBytes { bytes in
                Result { () throws(WebSocketError) in try deflater.payload(bytes, isLast: true) }
            }.get()
        }

        /// Decodes a message that is received in pieces of this many bytes.
        private static func decoded(
            _ content: MessageContent, _ payload: [UInt8], kind: WebSocketMessage.Kind = .binary, pieces: Int = .max
        ) throws(WebSocketViolation) -> [UInt8] {
            content.begin(kind, isCompressed: true)
            var output: [UInt8] = []
            var rest = payload[...]
            repeat {
                let piece = rest.prefix(pieces)
                rest = rest.dropFirst(piece.count)
                content.append(Data(piece), isLast: rest.isEmpty)
                while let part = try content.next() { output += part }
            } while !rest.isEmpty
            return output
        }

        // RFC 7692 §7.2.3.
        @Test(
            arguments: [
                [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
                [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
                [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
            ] as [[UInt8]])
        func `the examples of the RFC are decoded, in pieces of any size`(payload: [UInt8]) throws {
            for pieces in 1...payload.count {
                #expect(
                    try Self.decoded(MessageContent(Self.agreed()), payload, kind: .text, pieces: pieces) == Array("Hello".utf8))
            }
        }

        @Test func `a second message refers to the first, as in the RFC`() throws {
            let deflater = MessageDeflater(Self.agreed())
            let text = Array("Hello, hello".utf8)
            let first = try Self.compressed(deflater, text)
            #expect(try Self.compressed(deflater, text).count < first.count)
            let content = MessageContent(Self.agreed())
            #expect(try Self.decoded(content, [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]) == Array("Hello".utf8))
            #expect(try Self.decoded(content, [0xF2, 0x00, 0x11, 0x00, 0x00]) == Array("Hello".utf8))
            // Without the context, the reference leads nowhere.
            let forgetful = MessageContent(Self.agreed { $0.receivesWithoutContext = true })
            #expect(try Self.decoded(forgetful, [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]) == Array("Hello".utf8))
            #expect(throws: WebSocketViolation.self) { try Self.decoded(forgetful, [0xF2, 0x00, 0x11, 0x00, 0x00]) }
        }

        @Test func `without context, equal messages are equal bytes`() throws {
            let deflater = MessageDeflater(Self.agreed { $0.sendsWithoutContext = true })
            let first = try Self.compressed(deflater, Array("Hello".utf8))
            #expect(try Self.compressed(deflater, Array("Hello".utf8)) == first)
        }

        @Test(arguments: [9, 10, 12, 15], [false, true])
        func `messages of all sizes are the same again, with windows of all sizes`(bits: Int, forgets: Bool) throws {
            let agreed = Self.agreed {
                $0.windowBits = bits
                $0.sendsWithoutContext = forgets
                $0.receivesWithoutContext = forgets
            }
            let deflater = MessageDeflater(agreed)
            let content = MessageContent(agreed)
            var random = SeededGenerator(seed: UInt64(bits))
            for size in [0, 1, 2, 255, 256, 257, 1023, 1024, 1025, 70_000, 300_000, 0] {
                let bytes = (0..<size).map { UInt8($0 % 7 == 0 ? random.below(256) : $0 % 97) }
                let payload = try Self.compressed(deflater, bytes)
                #expect(!payload.isEmpty)
                #expect(try Self.decoded(content, payload, pieces: random.pick([.max, 1000, 777])) == bytes)
            }
        }

        @Test func `a window of 9 bits refers back no further`() throws {
            let noise = Self.noise(2000)
            let narrow = try Self.compressed(MessageDeflater(Self.agreed { $0.windowBits = 9 }), noise + noise)
            let wide = try Self.compressed(MessageDeflater(Self.agreed { $0.windowBits = 15 }), noise + noise)
            #expect(narrow.count > 3900 && wide.count < 2500)
        }

        private static func noise(_ count: Int) -> [UInt8] {
            var random = SeededGenerator(seed: 3)
            return (0..<count).map { _ in UInt8(random.below(256)) }
        }

        @Test func `a message in parts is one message`() throws {
            let deflater = MessageDeflater(Self.agreed())
            let parts: [[UInt8]] = [Array("Hel".utf8), [], Array("lo, hel".utf8), Array("lo".utf8), []]
            var payload: [UInt8] = []
            for (index, part) in parts.enumerated() {
                payload += try part.withUnsafeBytes { part in
                    Result { () throws(WebSocketError) in try deflater.payload(part, isLast: index == parts.count - 1) }
                }.get()
            }
            #expect(try Self.decoded(MessageContent(Self.agreed()), payload) == Array("Hello, hello".utf8))
        }

        @Test(arguments: 0..<4) func `damaged messages are errors, or end`(seed: UInt64) throws {
            var random = SeededGenerator(seed: seed)
            let good = try Self.compressed(MessageDeflater(Self.agreed()), Array(String(repeating: "abcdef", count: 50).utf8))
            for _ in 0..<runs(100, slow: 300) {
                var bytes = good
                for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
                do throws(WebSocketViolation) {
                    #expect(try Self.decoded(MessageContent(Self.agreed()), bytes).count < 1 << 20)
                } catch {
                    guard case .damagedCompression = error else { throw error }
                }
            }
        }

        @Test func `many streams that are empty and final are decoded in bounded memory`() throws {
            // Each pair of bytes is a whole stream without content, with BFINAL (RFC 7692 §7.2.3.4).
            let payload = [UInt8](repeating: 0, count: 200_000).indices.map { $0 % 2 == 0 ? UInt8(0x03) : 0x00 } + [0x00]
            #expect(try Self.decoded(MessageContent(Self.agreed()), payload).isEmpty)
        }

        @Test func `a text is validated after it was decoded, across parts`() throws {
            let deflater = MessageDeflater(Self.agreed())
            let content = MessageContent(Self.agreed())
            for pieces in [1, 3, .max] {
                let payload = try Self.compressed(deflater, Array("né €🎉".utf8))
                #expect(try Self.decoded(content, payload, kind: .text, pieces: pieces) == Array("né €🎉".utf8))
            }
            for text in [[0xC3], [0xC3, 0x28], [0xED, 0xA0, 0x80]] as [[UInt8]] {
                let payload = try Self.compressed(MessageDeflater(Self.agreed()), text)
                #expect(throws: WebSocketViolation.invalidUTF8) {
                    try Self.decoded(MessageContent(Self.agreed()), payload, kind: .text)
                }
            }
        }

        @Test func `without a window, or below the minimum, nothing is compressed`() {
            #expect(!MessageDeflater(Self.agreed { $0.windowBits = nil }).compresses(.max))
            let deflater = MessageDeflater(Self.agreed { $0.minimumBytes = 10 })
            #expect(!deflater.compresses(9) && deflater.compresses(10))
        }
    }
#endif
