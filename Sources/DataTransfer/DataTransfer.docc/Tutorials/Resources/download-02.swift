import DataTransfer
import Foundation

/// One download of a file to a folder.
struct Fetch: Sendable {
    let address: String
    let folder: URL
    let service = DefaultDataTransferService(configuration: .composed)

    func run() async throws {
        let endpoint = Endpoint<Void>(path: address, isFullPath: true)
        let file = try await service.download(endpoint, to: .folder(folder))
        print("\(file.url.path): \(file.byteCount) bytes")
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard (1...2).contains(arguments.count) else {
    FileHandle.standardError.write(Data("usage: fetch URL [FOLDER]\n".utf8))
    exit(64)
}

let folder = URL(
    fileURLWithPath: arguments.count > 1 ? arguments[1] : ".", isDirectory: true
)
try await Fetch(address: arguments[0], folder: folder).run()
