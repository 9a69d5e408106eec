import DataTransfer
import Foundation

/// `swift run quickstart`: a tour against a server in this process, or one request to any server.
@main
struct Quickstart {
    static func main() async {
        do {
            switch try QuickstartArguments(CommandLine.arguments.dropFirst()) {
            case .tour(let waterfall): try await Tour(waterfallFile: waterfall).run()
            case .single(let request): try await request.run()
            case .help: Terminal.say(QuickstartArguments.usage)
            }
        } catch let error as QuickstartArguments.UsageError {
            Terminal.printError("\(error.reason)\n\n\(QuickstartArguments.usage)")
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

    static let usage = """
        usage: quickstart [--waterfall FILE]                           a tour against a server in this process;
                                                                       writes an HTML page of its requests to FILE
               quickstart --server URL --path PATH [--key-path KP]     one GET, its timings and its value
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

/// A single GET to any server, which prints status, timings, and the body or the value at a key path.
struct SingleRequest {
    var server: String
    var path: String
    var keyPath: String?

    func run() async throws {
        let service = DefaultDataTransferService(configuration: try APIConfiguration(server))
        let keyPath = keyPath
        let endpoint = Endpoint<String>(path: path) { body in
            if let keyPath {
                let slice = try JSONSlicer().slice(of: body.data, at: JSONKeyPath(keyPath))
                return String(decoding: slice, as: UTF8.self)
            }
            return Redaction.default.redacted(body: body.data, contentType: body.contentType, maximumBytes: 10_000)
        }
        let response = try await service.response(for: endpoint)
        Terminal.say(Terminal.describe(response.statusCode, response.timings))
        Terminal.say(response.value)
    }
}
