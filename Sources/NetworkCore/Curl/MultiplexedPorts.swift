/// The local ports of connections that were last seen to carry HTTP/2. Confined to the engine's turn.
///
/// A port that is used again is noted again with the first answer, before its connection can be a kept one.
final class MultiplexedPorts {
    private var ports: Set<Int32> = []

    func note(_ port: Int32, isMultiplexed: Bool) {
        if isMultiplexed { ports.insert(port) } else { ports.remove(port) }
    }

    func contains(_ port: Int32) -> Bool { ports.contains(port) }
}
