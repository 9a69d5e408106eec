import TransferTestSupport

@testable import NetworkEngine

/// What a proxy sends, as text with its bytes as they are.
enum ProxyConversation {
    /// How each message of a proxy is split.
    enum Cut: Sendable {
        case whole
        case bytes
        case random(seed: UInt64)
    }

    /// The last step of a handshake, or its refusal, and all that was sent to the proxy.
    struct Outcome: Equatable {
        var sent: [[UInt8]] = []
        var steps: [ProxyStep] = []
        var refusal: ProxyRefusal?
        var last: ProxyStep { steps.last ?? .receive }
    }

    static let cuts: [Cut] = [.whole, .bytes] + (0..<20).map { .random(seed: $0) }

    /// Returns the outcome of a handshake with a proxy that sends one message after each that it receives.
    ///
    /// - Parameter ends: Whether the proxy then closes the connection.
    static func outcome(
        _ handshake: some ProxyHandshake, _ messages: [[UInt8]], _ cut: Cut = .whole, ends: Bool = false
    ) -> Outcome {
        var handshake = handshake
        var outcome = Outcome()
        do throws(ProxyRefusal) {
            outcome.sent.append(try handshake.begin())
            for piece in messages.flatMap({ pieces(of: $0, cut) }) {
                let step = try receive(piece, by: &handshake)
                if case .send(let bytes) = step { outcome.sent.append(bytes) }
                if step != .receive { outcome.steps.append(step) }
            }
            if ends { outcome.refusal = handshake.receiveEnd() }
        } catch {
            outcome.refusal = error
            // It remains the same.
            let later = Result { () throws(ProxyRefusal) in try receive([5, 0], by: &handshake) }
            precondition(later == .failure(error) && handshake.receiveEnd() == error, "another error after the first one")
        }
        return outcome
    }

    /// Passes bytes in memory of exactly this size, so that a sanitizer detects a read beyond it.
    static func receive(_ bytes: [UInt8], by handshake: inout some ProxyHandshake) throws(ProxyRefusal) -> ProxyStep {
        let input = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { input.deallocate() }
        input.copyBytes(from: bytes)
        return try handshake.receive(UnsafeRawBufferPointer(input))
    }

    /// Some pieces at random are empty.
    private static func pieces(of message: [UInt8], _ cut: Cut) -> [[UInt8]] {
        switch cut {
        case .whole: return [message]
        case .bytes: return message.map { [$0] }
        case .random(let seed):
            var random = SeededGenerator(seed: seed)
            var (pieces, rest): ([[UInt8]], ArraySlice<UInt8>) = ([], message[...])
            while !rest.isEmpty {
                let count = random.below(min(rest.count, 20) + 1)
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            return pieces
        }
    }
}
