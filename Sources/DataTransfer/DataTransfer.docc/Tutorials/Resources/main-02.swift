import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
guard (1...2).contains(arguments.count) else {
    FileHandle.standardError.write(Data("usage: fetch URL [FOLDER]\n".utf8))
    exit(64)
}

let folder = URL(
    fileURLWithPath: arguments.count > 1 ? arguments[1] : ".", isDirectory: true
)
try await Fetch(address: arguments[0], folder: folder).run()
