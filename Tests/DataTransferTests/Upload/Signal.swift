/// An event that occurs once, for one task that waits for it.
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
