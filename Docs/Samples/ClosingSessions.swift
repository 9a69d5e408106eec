import DataTransfer
import Foundation

#if os(Linux)
    let session = SocketSessionManager()

    // snippet.counts
    let counts = await session.connectionCounts()
    print(
        counts.total.open, counts.total.waiting,
        counts.byOrigin["https://api.example.com:443"]?.idle ?? 0)
    let report = await session.close(grace: .seconds(10))
    for error in report.cancelled {
        print(error.request ?? "", error.phase?.rawValue ?? "")
    }
// snippet.end
#endif

func serve() async throws { try await Task.sleep(for: .seconds(3600)) }

// snippet.signal
/// Returns when the process receives SIGTERM.
func terminated() async {
    signal(SIGTERM, SIG_IGN)
    let (signals, continuation) = AsyncStream<Void>.makeStream()
    let source = DispatchSource.makeSignalSource(
        signal: SIGTERM, queue: .global())
    source.setEventHandler { continuation.finish() }
    source.resume()
    for await _ in signals {}
    source.cancel()
}

let serving = Task { try await serve() }
await terminated()
serving.cancel()
_ = await serving.result
let rest = await DefaultSessionManager.shared.close(grace: .seconds(10))
print(rest.completed, rest.cancelledCount)
// snippet.end
