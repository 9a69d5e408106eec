import DataTransfer
import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
guard (1...3).contains(arguments.count) else {
    FileHandle.standardError.write(
        Data("usage: fetch URL [FOLDER [SHA256]]\n".utf8))
    exit(ExitCode.usage.rawValue)
}

let folder = URL(
    fileURLWithPath: arguments.count > 1 ? arguments[1] : ".", isDirectory: true
)
let digest = arguments.count > 2 ? ContentDigest.sha256(arguments[2]) : nil
exit(
    await Fetch(address: arguments[0], folder: folder, digest: digest).run()
        .rawValue)
