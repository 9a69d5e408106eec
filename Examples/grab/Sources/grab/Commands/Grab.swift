import ArgumentParser
import Foundation

/// The tool: `grab URL` is `grab download URL`.
struct Grab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Downloads, uploads and follows resources over HTTP. Options and exit codes are curl's where both have them.",
        discussion: "An interrupted download is resumed by the same command.",
        version: "grab 0.1.0",
        subcommands: [DownloadCommand.self, UploadCommand.self, TailCommand.self],
        defaultSubcommand: DownloadCommand.self)
}

@main
enum Main {
    static func main() async {
        do {
            var command = try Grab.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            // curl's code for a command line that it cannot use is 2, ArgumentParser's is 64.
            guard Grab.exitCode(for: error) == .validationFailure else { Grab.exit(withError: error) }
            Terminal.note(Grab.fullMessage(for: error))
            exit(ExitStatus.usage.rawValue)
        }
    }
}
