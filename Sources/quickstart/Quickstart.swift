import DataTransfer
import Foundation

/// `swift run quickstart`: a tour against a server in this process, or one request to any server.
@main
struct Quickstart {
    static func main() async {
        Task { try await Terminal.watchSilence() }
        do {
            switch try QuickstartArguments(CommandLine.arguments.dropFirst()) {
            case .tour(let waterfall): try await Tour(waterfallFile: waterfall).run()
            case .single(let request): try await request.run()
            case .help: Terminal.print(verbatim: QuickstartArguments.usage)
            }
        } catch let error as QuickstartArguments.UsageError {
            Terminal.printError(error.reason)
            Terminal.print(verbatim: "\n\(QuickstartArguments.usage)", to: .standardError)
            exit(2)
        } catch {
            Terminal.printError("\(error)")
            exit(1)
        }
    }
}

/// The parsed arguments of the command line.
enum QuickstartArguments {
    /// The tour, with the file for an HTML page of its requests, if one is given.
    case tour(waterfall: String?)
    case single(SingleRequest)
    case help

    struct UsageError: Error {
        let reason: String
    }

    /// At most 40 columns wide.
    static let usage = """
        usage: quickstart [--waterfall FILE]
               quickstart --server URL
                   [--path PATH] [--key-path PATH]

        Without --server: a tour against a
        server in this process. --waterfall
        writes an HTML page of its requests.

        With --server: one GET, its timings,
        and its body or the JSON value in it at
        a key path:

        quickstart \\
          --server https://api.github.com \\
          --path /repos/swiftlang/swift \\
          --key-path stargazers_count

        NO_COLOR=1 prints no escape codes.
        """

    init(_ arguments: some Sequence<String>) throws {
        var values: [String: String] = [:]
        var iterator = arguments.makeIterator()
        while let name = iterator.next() {
            switch name {
            case "-h", "--help":
                self = .help
                return
            case "--server", "--path", "--key-path", "--waterfall":
                guard let value = iterator.next() else { throw UsageError(reason: "\(name) requires a value") }
                values[name] = value
            default: throw UsageError(reason: "unknown option \(name)")
            }
        }
        let waterfall = values.removeValue(forKey: "--waterfall")
        if values.isEmpty {
            self = .tour(waterfall: waterfall)
            return
        }
        guard let server = values["--server"] else { throw UsageError(reason: "--path and --key-path require --server") }
        guard waterfall == nil else { throw UsageError(reason: "--waterfall cannot be used with --server") }
        self = .single(SingleRequest(server: server, path: values["--path"] ?? "/", keyPath: values["--key-path"]))
    }
}
