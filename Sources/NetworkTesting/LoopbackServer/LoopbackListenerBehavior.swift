/// What a ``LoopbackServer`` does with the connections it accepts.
public struct LoopbackListenerBehavior: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case serve, neverAnswer, closeOnAccept, resetOnAccept
    }

    let kind: Kind

    /// Requests are read, routed and answered.
    public static let serve = LoopbackListenerBehavior(kind: .serve)

    /// Whatever arrives is read, complete requests are recorded, and not one byte is ever sent: no response, no interim 100,
    /// no 400. Handlers do not run.
    public static let neverAnswer = LoopbackListenerBehavior(kind: .neverAnswer)

    /// The connection is closed in an orderly way (FIN) as soon as it is accepted.
    public static let closeOnAccept = LoopbackListenerBehavior(kind: .closeOnAccept)

    /// The connection is reset (RST) as soon as it is accepted.
    public static let resetOnAccept = LoopbackListenerBehavior(kind: .resetOnAccept)
}
