import DataTransfer

/// What the command line asks for.
enum QuickstartArguments {
    /// With a page of its requests, if a file is named.
    case tour(waterfall: String?)
    case single(SingleRequest)
    case help

    struct Flaw: Error {
        let reason: String
    }

    static let usage = """
        usage: quickstart [--waterfall FILE]                           a tour against a server in this process;
                                                                       FILE becomes an HTML page of its requests
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
                guard let value = iterator.next() else { throw Flaw(reason: "\(name) needs a value") }
                values[name] = value
            default: throw Flaw(reason: "\(name) is not known")
            }
        }
        let waterfall = values.removeValue(forKey: "--waterfall")
        if values.isEmpty {
            self = .tour(waterfall: waterfall)
            return
        }
        guard let server = values["--server"] else { throw Flaw(reason: "--path and --key-path need a --server") }
        guard waterfall == nil else { throw Flaw(reason: "--waterfall is for the tour, not for one request") }
        self = .single(SingleRequest(server: server, path: values["--path"] ?? "/", keyPath: values["--key-path"]))
    }
}
