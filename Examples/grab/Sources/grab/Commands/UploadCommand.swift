import ArgumentParser
import DataTransfer
import Foundation
import ResumableUploads

/// `grab upload FILE URL`: sends a file with PUT, as a form, or in parts that can be resumed.
struct UploadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload", abstract: "Send a file: resumably if the server offers tus, otherwise with PUT, or in a form.")

    @Argument(help: "The file.")
    var file: String

    @Argument(help: "The URL. For tus, that which creates uploads.")
    var url: URLArgument

    @Option(name: [.customShort("F"), .long], help: "Send the file as the field with this name of a form (multipart/form-data).")
    var form: String?

    @OptionGroup var transfer: TransferOptions

    func run() async throws {
        try await Operation(transfer, url.url).run { client in
            let file = URL(fileURLWithPath: self.file)
            let bar = ProgressBar(.sent, isShown: !transfer.silent)
            async let drawn: Void = bar.draw()
            if form == nil, transfer.method == nil, try await offersTus(client) {
                let options = UploadOptions(
                    metadata: ["filename": file.lastPathComponent], maximumAttempts: transfer.retry + 1,
                    backoff: Backoff(base: .milliseconds(250), maximumDelay: .seconds(max(transfer.retryDelay, 1))))
                let uploaded = try await client.service.uploadResumably(
                    file, to: transfer.request(url.url, method: .post), options: options, progress: bar.progress)
                await drawn
                try Terminal.write(Data("\(uploaded.url.absoluteString)\n".utf8))
                return
            }
            let target = transfer.request(url.url, method: form == nil ? .put : .post).as(Data.self, decoder: .rawData)
            let response = try await client.service.response(for: target, uploading: content(file), progress: bar.progress)
            await drawn
            try Terminal.write(response.value)
            if transfer.waterfall { Terminal.note(PhaseChart(response.timings).text(width: Terminal.width)) }
        }
    }

    private func content(_ file: URL) -> EndpointBody {
        guard let form else { return .file(file) }
        var fields = MultipartForm()
        fields.append(.file(file), name: form)
        return .multipart(fields)
    }

    /// Whether the server says that it supports tus 1.0.0.
    private func offersTus(_ client: Client) async throws -> Bool {
        var question = transfer.request(url.url, method: .options)
        question.acceptedStatuses = .any
        let versions = try await client.service.response(for: question).headers["Tus-Version"] ?? ""
        return versions.split(separator: ",").contains { $0.trimmingCharacters(in: .whitespaces) == "1.0.0" }
    }
}
