import Foundation

/// What a client is put under: a number of requests under way at any time, each for a document of known size.
final class Load: Sendable {
    let url: URL
    let concurrency: Int
    let bodyBytes: Int
    /// A PEM file with the only certificates to trust; `nil` for the system's.
    let authority: URL?
    private let tally = Tally()

    init(url: URL, concurrency: Int, bodyBytes: Int, authority: URL?) {
        self.url = url
        self.concurrency = concurrency
        self.bodyBytes = bodyBytes
        self.authority = authority
    }

    /// Requests that have ended well.
    var completed: Int { tally.count }

    /// Counts a response, which must be the expected one.
    func count(status: Int, bytes: Int) {
        guard status == 200, bytes == bodyBytes else { fail("status \(status) with \(bytes) bytes") }
        tally.increment()
    }

    /// Counts a value that was made of a response.
    func count() {
        tally.increment()
    }

    /// Runs `send` in so many tasks, again and again, for the life of the process.
    ///
    /// - Parameter executors: Where the tasks run, in turn; if there are none, in the cooperative pool.
    func keepUp(on executors: [any TaskExecutor] = [], _ send: @escaping @Sendable (Load) async throws -> Void) {
        @Sendable func sendAll() async {
            do {
                while true { try await send(self) }
            } catch {
                fail("\(error)")
            }
        }
        for number in 0..<concurrency {
            // A preference for no executor would be a preference too, which costs a lock for each change of executors.
            if executors.isEmpty {
                Task.detached { await sendAll() }
            } else {
                Task.detached(executorPreference: executors[number % executors.count]) { await sendAll() }
            }
        }
    }
}

/// Ends the process: a benchmark that goes on after an error measures the error.
func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("bench: \(message)\n".utf8))
    exit(1)
}
