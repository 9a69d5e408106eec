import Foundation
import NetworkCore
import NetworkTesting
import NetworkWebSocket
import TransferTestSupport
import Testing

/// The cases of the Autobahn TestSuite for clients, by their public numbers. A client echoes each message.
///
/// What is expected is written here, and is compared with what another implementation finds.
@Suite(.timeLimit(.minutes(10))) struct AutobahnTests {
    /// What a case is to lead to: the server's close frame, or an error.
    private enum Outcome: Equatable {
        case closed(UInt16)
        case failed(WebSocketError.Code, UInt16)
    }

    @Test(arguments: AutobahnCase.all("1")) func `1: frames of all sizes are echoed`(test: AutobahnCase) async throws {
        try await check(test, .closed(1000), messages: 1)
    }

    @Test(arguments: AutobahnCase.all("2")) func `2: pings have pongs, and pongs have none`(test: AutobahnCase) async throws {
        let pings = ["2.5": 0, "2.7": 0, "2.8": 0, "2.10": 10, "2.11": 10][test.number] ?? 1
        try await check(
            test, test.number == "2.5" ? .failed(.invalidControlFrame, 1002) : .closed(1000), messages: 0, pings: pings)
    }

    @Test(arguments: AutobahnCase.all("3")) func `3: reserved bits are refused`(test: AutobahnCase) async throws {
        try await check(test, .failed(.reservedBits, 1002), messages: ["3.2", "3.3", "3.4"].contains(test.number) ? 1 : 0)
    }

    @Test(arguments: AutobahnCase.all("4")) func `4: unknown opcodes are refused`(test: AutobahnCase) async throws {
        let isFirst = test.number.hasSuffix(".1") || test.number.hasSuffix(".2")
        try await check(test, .failed(.unknownOpcode, 1002), messages: isFirst ? 0 : 1)
    }

    @Test(arguments: AutobahnCase.all("5")) func `5: fragments are joined, or refused`(test: AutobahnCase) async throws {
        let number = Int(test.number.dropFirst(2)) ?? 0
        let outcome: Outcome =
            switch number {
            case 1, 2: .failed(.invalidControlFrame, 1002)
            case 3...8, 19, 20: .closed(1000)
            default: .failed(.invalidFragmentation, 1002)
            }
        let pings = (6...8).contains(number) ? 1 : number >= 19 ? 2 : 0
        try await check(test, outcome, messages: (3...8).contains(number) || [15, 19, 20].contains(number) ? 1 : 0, pings: pings)
    }

    /// The cases of group 6 that are not UTF-8.
    private static func isInvalid(_ number: String) -> Bool {
        let parts = number.split(separator: ".").compactMap { Int($0) }
        return switch parts[1] {
        case 3, 4, 8, 10, 12...21: true
        // Prefixes of a text of characters of 2, 3, 2, 2 and 2 bytes.
        case 6: ![2, 5, 7, 9, 11].contains(parts[2])
        case 11: parts[2] == 5
        default: false
        }
    }

    @Test(arguments: AutobahnCase.all("6")) func `6: texts are UTF-8`(test: AutobahnCase) async throws {
        let isInvalid = Self.isInvalid(test.number)
        try await check(test, isInvalid ? .failed(.invalidUTF8, 1007) : .closed(1000), messages: isInvalid ? 0 : 1)
    }

    @Test(arguments: AutobahnCase.all("7")) func `7: close frames are checked, and end the connection`(
        test: AutobahnCase
    ) async throws {
        let outcome: Outcome =
            switch test.number {
            case "7.3.1": .closed(1005)
            case "7.3.2": .failed(.invalidCloseFrame, 1002)
            case "7.3.6": .failed(.invalidControlFrame, 1002)
            case "7.5.1": .failed(.invalidUTF8, 1007)
            case let number where number.hasPrefix("7.9.") || number.hasPrefix("7.13."): .failed(.invalidCloseFrame, 1002)
            default: .closed(test.code)
            }
        try await check(test, outcome, messages: ["7.1.1": 1, "7.1.6": 2][test.number] ?? 0)
    }

    @Test(arguments: AutobahnCase.all("9") + AutobahnCase.all("10")) func `9, 10: large and many messages are echoed`(
        test: AutobahnCase
    ) async throws {
        let isMany = test.number.hasPrefix("9.7") || test.number.hasPrefix("9.8")
        try await check(test, .closed(1000), messages: isMany ? 50 : 1)
    }

    #if os(Linux)
        @Test(arguments: AutobahnCase.all("12") + AutobahnCase.all("13")) func `12, 13: compressed messages are echoed`(
            test: AutobahnCase
        ) async throws {
            try await check(test, .closed(1000), messages: test.number.hasPrefix("12") ? 5 : 3)
        }
    #endif

    @Test func `no case is missing`() {
        let counts = ["1", "2", "3", "4", "5", "6", "7", "9", "10", "12", "13"].map { AutobahnCase.all($0).count }
        #expect(counts == [16, 11, 7, 10, 20, 145, 37, 33, 1, 10, 12])
    }

    private func check(_ test: AutobahnCase, _ outcome: Outcome, messages: Int, pings: Int = 0) async throws {
        // What is expected here is what the other implementation finds.
        #expect(test.messages.count == messages && test.pings.count == pings)
        switch outcome {
        case .closed(let code): #expect(!test.failed && test.code == code)
        case .failed(_, let code): #expect(test.failed && test.code == code)
        }
        let compression = test.forgets.map { forgets in
            var agreed = AgreedCompression()
            agreed.receivesWithoutContext = forgets
            agreed.sendsWithoutContext = forgets
            return agreed
        }
        let expected = test.messages
        for pieces in test.pieces.map({ [$0] }) ?? [.max, max(1, test.bytes.count / 200)] {
            try await run(test, outcome, expected, compression, pieces: pieces)
        }
        try await echo(expected, compression)
    }

    private func run(
        _ test: AutobahnCase, _ outcome: Outcome, _ expected: [WebSocketMessage], _ compression: AgreedCompression?, pieces: Int
    ) async throws {
        let scripted = try ScriptedSocket(compression: compression)
        // Without the server's close frame, the client can still send what it echoes.
        let (messages, error) = await receive(test.bytes, scripted, pieces)
        #expect(messages == expected)
        let frames = scripted.transport.frames
        #expect(frames.filter { $0.opcode == 10 }.map(\.payload) == test.pings)
        switch outcome {
        case .closed(let code):
            #expect(scripted.socket.closeStatus?.code.rawValue == code)
            #expect(frames.last == .close(code == 1005 ? nil : code))
            let isOrderly = [1000, 1001, 1005].contains(code)
            #expect(error?.code == (isOrderly ? nil : .closed))
        case .failed(let code, let closeCode):
            #expect(error?.code == code)
            #expect(frames.last?.closeCode == closeCode)
        }
        #expect(frames.count == test.pings.count + 1)
    }

    private func receive(_ bytes: [UInt8], _ scripted: ScriptedSocket, _ pieces: Int) async -> (
        [WebSocketMessage], WebSocketError?
    ) {
        let receiving = Task { await scripted.socket.collected() }
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieces))
            rest = rest.dropFirst(piece.count)
            scripted.transport.feed(piece)
        }
        return await receiving.value
    }

    /// The messages are sent again so that the peer receives them.
    private func echo(_ messages: [WebSocketMessage], _ compression: AgreedCompression?) async throws {
        let (client, server) = (
            try ScriptedSocket(compression: compression), try ScriptedSocket(.server, compression: compression)
        )
        for message in messages { try await client.socket.send(message) }
        let frames = client.transport.frames
        let receiving = Task {
            var received: [WebSocketMessage] = []
            while received.count < messages.count, let message = try await server.socket.receive() { received.append(message) }
            return received
        }
        for frame in frames { server.feed(frame) }
        #expect(try await receiving.value == messages)
    }
}
