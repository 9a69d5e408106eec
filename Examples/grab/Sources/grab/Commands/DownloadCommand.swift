import ArgumentParser
import DataTransfer
import Foundation

/// `grab URL`: saves a resource as a file, or prints it.
struct DownloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "download", abstract: "Save a resource as a file. The same command resumes an interrupted download.")

    @Argument(help: "The URL.")
    var url: URLArgument

    @Option(name: .shortAndLong, help: "The file; '-' prints the resource. Default: the name that the server or the URL states.")
    var output: String?

    @Option(help: "The number of ranges of the file to load at the same time.")
    var parallel = 1

    @Option(help: "The expected SHA-256 of the file. One that the server announces is checked in any case.")
    var sha256: String?

    @Option(help: "The maximum size of the file in bytes.")
    var maxFilesize: Int64?

    @Flag(name: [.customShort("I"), .customLong("head")], help: "Print the header fields only.")
    var isHead = false

    @Option(
        name: [.customShort("d"), .customLong("data")], help: "Send this text, or the content of @FILE, as a form with POST.")
    var body: String?

    @Flag(name: .shortAndLong, help: "Do not print the body of a response that reports an error (400 and above).")
    var fail = false

    @OptionGroup var transfer: TransferOptions

    func validate() throws {
        guard (1...64).contains(parallel) else { throw ValidationError("--parallel must be 1...64") }
    }

    func run() async throws {
        try await Operation(transfer, url.url, parallel: parallel).run { client in
            let request = transfer.request(url.url, method: isHead ? .head : body == nil ? .get : .post, body: requestBody)
            // As curl does, only what a GET returns becomes a file without `-o`.
            if output == "-" || output == nil && request.method != .get {
                try await print(request, client)
            } else {
                try await save(request, client)
            }
        }
    }

    private var requestBody: EndpointBody? {
        guard let body else { return nil }
        let content: NetworkBody =
            body.hasPrefix("@") ? .file(URL(fileURLWithPath: String(body.dropFirst()))) : .data(Data(body.utf8))
        return EndpointBody(contentType: "application/x-www-form-urlencoded", content: content)
    }

    /// Saves the resource. An error page is never saved under the name of the file.
    private func save(_ request: Endpoint<Void>, _ client: Client) async throws {
        let folder = URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
        let destination = output.map { DownloadDestination.file(URL(fileURLWithPath: $0)) } ?? .folder(folder)
        let options = DownloadOptions(
            digest: sha256.map(ContentDigest.sha256), maximumBytes: maxFilesize, permissions: 0o644, maximumConcurrency: parallel)
        let bar = ProgressBar(.received, isShown: !transfer.silent)
        async let drawn: Void = bar.draw()
        let file = try await client.service.download(request, to: destination, options: options, progress: bar.progress)
        await drawn
        if transfer.waterfall { Terminal.note(PhaseChart(file.timings).text(width: Terminal.width)) }
        if output == nil, !transfer.silent { Terminal.note("saved as \(file.url.lastPathComponent)") }
    }

    /// Prints the response, piece by piece.
    private func print(_ request: Endpoint<Void>, _ client: Client) async throws {
        var request = request
        if !fail { request.acceptedStatuses = .any }
        let response = try await client.service.stream(for: request)
        if isHead {
            let lines = ["HTTP \(response.statusCode)"] + response.headers.map { "\($0.name): \($0.value)" }
            try Terminal.write(Data((lines.joined(separator: "\n") + "\n").utf8))
        }
        for try await chunk in response { try Terminal.write(chunk) }
        if transfer.waterfall { Terminal.note(PhaseChart(response.timings).text(width: Terminal.width)) }
    }
}
