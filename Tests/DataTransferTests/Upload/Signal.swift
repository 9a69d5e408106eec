/// Something that happens once, and that one task waits for.
struct Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let sink: AsyncStream<Void>.Continuation

    init() {
        (stream, sink) = AsyncStream.makeStream()
    }

    func fire() {
        sink.finish()
    }

    func wait() async {
        for await _ in stream {}
    }
}
