import ArgumentParser
import DataTransfer
import Foundation

/// `grab tail URL`: prints events or lines while the server sends them, and connects again when the connection is lost.
struct TailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "Print server-sent events or lines (NDJSON, logs) as they arrive.",
        discussion: """
            After a lost connection, events continue after the last one (Last-Event-ID). For lines, the request is repeated. It ends when the server \
            responds with 204, or after --attempts connections in a row without a line.
            """)

    @Argument(help: "The URL.")
    var url: URLArgument

    @Option(help: "The maximum number of connections in a row that bring nothing.")
    var attempts = 5

    @Option(help: "The pause before another connection, in seconds.")
    var delay = 1.0

    @OptionGroup var transfer: TransferOptions

    func validate() throws {
        guard attempts > 0, delay >= 0 else { throw ValidationError("--attempts must be positive, --delay not negative") }
    }

    func run() async throws {
        try await Operation(transfer, url.url).run { client in
            var request = transfer.request(url.url).request
            if !request.headerParameters.contains("Accept") {
                request.headerParameters["Accept"] = "text/event-stream, application/x-ndjson, */*;q=0.5"
            }
            try await printLines(of: request, client)
        }
    }

    private func printLines(of request: RequestDescription, _ client: Client) async throws {
        var failures = 0
        while true {
            do {
                let lines = try await client.service.stream(request, as: .lines())
                if lines.statusCode == 204 { return }
                if lines.headers["Content-Type"]?.hasPrefix("text/event-stream") == true {
                    return try await printEvents(of: request, client)
                }
                for try await line in lines {
                    failures = 0
                    try Terminal.write(Data((line + "\n").utf8))
                }
                failures += 1
                if failures >= attempts { return }
            } catch let error as DataTransferError {
                failures += 1
                guard error.isRetryable, failures < attempts else { throw error }
                if !transfer.silent { Terminal.note("\(error); connecting again") }
            }
            try await Task.sleep(for: .seconds(delay))
        }
    }

    private func printEvents(of request: RequestDescription, _ client: Client) async throws {
        let options = EventStreamOptions(
            maximumAttempts: attempts, backoff: Backoff(base: .seconds(delay), maximumDelay: .seconds(60), isRandom: false))
        for try await event in client.service.events(request, options: options) {
            try Terminal.write(Data((event.data + "\n").utf8))
        }
    }
}
