import DataTransfer
import Foundation

/// Cancels a task when the user presses Control-C, as long as the returned
/// source is kept.
func cancelOnInterrupt(_ task: Task<ExitCode, Never>)
    -> any DispatchSourceSignal
{
    signal(SIGINT, SIG_IGN)
    let source = DispatchSource.makeSignalSource(
        signal: SIGINT, queue: .global())
    source.setEventHandler { task.cancel() }
    source.resume()
    return source
}

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
let fetch = Fetch(address: arguments[0], folder: folder, digest: digest)
let download = Task { await fetch.run() }
let interrupts = cancelOnInterrupt(download)
exit(await download.value.rawValue)
