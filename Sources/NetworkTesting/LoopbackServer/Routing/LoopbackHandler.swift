/// A handler that answers in place, or one that needs a task.
enum LoopbackHandler: Sendable {
    case immediate(@Sendable (LoopbackRequest) throws -> LoopbackResponse)
    case asynchronous(@Sendable (LoopbackRequest) async throws -> LoopbackResponse)
}
