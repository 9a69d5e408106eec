import DataTransfer

/// What the command line asks for.
enum QuickstartArguments {
    case tour
    case single(SingleRequest)
    case help

    struct Flaw: Error {
        let reason: String
    }

    static let usage = """
        usage: quickstart                                              a tour against a server in this process
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
            case "--server", "--path", "--key-path":
                guard let value = iterator.next() else { throw Flaw(reason: "\(name) needs a value") }
                values[name] = value
            default: throw Flaw(reason: "\(name) is not known")
            }
        }
        if values.isEmpty {
            self = .tour
            return
        }
        guard let server = values["--server"] else { throw Flaw(reason: "--path and --key-path need a --server") }
        self = .single(SingleRequest(server: server, path: values["--path"] ?? "/", keyPath: values["--key-path"]))
    }
}
