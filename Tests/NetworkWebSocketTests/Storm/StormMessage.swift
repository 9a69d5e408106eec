import Foundation
import NetworkWebSocket
import TransferTestSupport

/// A message of the storm. Its type, size and content follow from where it belongs, so that a receiver can check it without knowing the sender.
struct StormMessage: Hashable, Sendable {
    /// The number of the socket.
    var socket: Int
    var side: StormSide
    /// The number of the task that sends. Messages of one sender are sent one after another, those of different senders at the same time.
    var sender: Int
    /// The position in the sender.
    var index: Int

    /// The beginning of the content.
    private var label: String { "\(socket)/\(side.rawValue)/\(sender)/\(index)|" }

    private var random: SeededGenerator {
        SeededGenerator(seed: UInt64(socket) << 24 ^ UInt64(sender) << 20 ^ UInt64(index) << 1 ^ (side == .client ? 1 : 0))
    }

    var kind: WebSocketMessage.Kind {
        var random = random
        return random.chance(50) ? .text : .binary
    }

    /// The content: mostly small, some larger than a fragment, some than all buffers.
    var content: Data {
        var random = random
        let isText = random.chance(50)
        let size =
            switch random.below(100) {
            case ..<60: random.below(200)
            case ..<90: random.below(5_000)
            case ..<98: random.below(100_000)
            default: random.below(900_000)
            }
        let isRepetitive = random.chance(50)
        let base = random.next()
        var content = Data(label.utf8)
        content.reserveCapacity(content.count + size + 8)
        while content.count < size {
            let value = isRepetitive ? base : random.next()
            if isText {
                content.append(contentsOf: "\(value) é 🦆 ".utf8)
            } else {
                withUnsafeBytes(of: value) { content.append(contentsOf: $0) }
            }
        }
        return content
    }

    /// The content as one message.
    var message: WebSocketMessage {
        kind == .text ? .text(String(decoding: content, as: UTF8.self)) : .binary(content)
    }

    /// The content in chunks of random sizes, which may divide characters.
    var chunks: [Data] {
        var random = random
        var rest = content[...]
        var chunks: [Data] = []
        while !rest.isEmpty {
            let chunk = rest.prefix(random.below(1 << random.below(18)))
            rest = rest.dropFirst(chunk.count)
            chunks.append(Data(chunk))
        }
        return chunks
    }

    init(socket: Int, side: StormSide, sender: Int, index: Int) {
        (self.socket, self.side, self.sender, self.index) = (socket, side, sender, index)
    }

    /// Reads the beginning of a received message; `nil` if there is no label.
    init?(labelOf content: Data) {
        guard let end = content.prefix(64).firstIndex(of: UInt8(ascii: "|")) else { return nil }
        let parts = String(decoding: content[..<end], as: UTF8.self).split(separator: "/")
        guard parts.count == 4, let socket = Int(parts[0]), let side = StormSide(rawValue: String(parts[1])),
            let sender = Int(parts[2]), let index = Int(parts[3])
        else { return nil }
        self.init(socket: socket, side: side, sender: sender, index: index)
    }
}

/// The side of a connection that sends a message.
enum StormSide: String, Sendable {
    case client
    case server

    var other: StormSide { self == .client ? .server : .client }
}
