import Foundation
import Logging

/// The arguments of the program.
struct Options: Sendable {
    struct Invalid: Error {
        let reason: String
    }

    static let usage = """
        usage: gateway --demo [OPTIONS]                                     # starts the two upstreams itself
               gateway --catalogue URL --reviews URL [OPTIONS]
               gateway --upstream [--port PORT]                             # only the two upstreams of --demo
        options: --port PORT (8080), --upstream-port PORT (8081), --deadline SECONDS (2), --log LEVEL (info), --no-cache,
                --no-observation

        """

    var port = 8080
    var upstreamPort = 8081
    var catalogue: URL?
    var reviews: URL?
    /// The time limit of the requests for one part of a page, in seconds.
    var deadline = 2
    var startsDemo = false
    var runsUpstream = false
    var isCached = true
    /// Whether upstream requests are logged, measured and traced.
    var isObserved = true
    var logLevel = Logger.Level.info

    /// Reads the arguments.
    ///
    /// - Throws: ``Invalid`` for an argument that is not known, or that has no valid value.
    init(_ arguments: ArraySlice<String>) throws(Invalid) {
        var rest = arguments
        func value<Value>(of name: String, _ parse: (String) -> Value?) throws(Invalid) -> Value {
            guard let text = rest.popFirst() else { throw Invalid(reason: "\(name) needs a value") }
            guard let value = parse(text) else { throw Invalid(reason: "\(name): \"\(text)\" is not valid") }
            return value
        }
        func port(_ text: String) -> Int? { Int(text).flatMap { (0..<65536).contains($0) ? $0 : nil } }
        while let name = rest.popFirst() {
            switch name {
            case "--demo": startsDemo = true
            case "--upstream": runsUpstream = true
            case "--no-cache": isCached = false
            case "--no-observation": isObserved = false
            case "--port": self.port = try value(of: name, port)
            case "--upstream-port": upstreamPort = try value(of: name, port)
            case "--deadline": deadline = try value(of: name) { Int($0).flatMap { (1...3600).contains($0) ? $0 : nil } }
            case "--catalogue": catalogue = try value(of: name, URL.init(string:))
            case "--reviews": reviews = try value(of: name, URL.init(string:))
            case "--log": logLevel = try value(of: name, Logger.Level.init(rawValue:))
            default: throw Invalid(reason: "\"\(name)\" is not an option")
            }
        }
        if startsDemo {
            let base = URL(string: "http://127.0.0.1:\(upstreamPort)")
            catalogue = catalogue ?? base
            reviews = reviews ?? base
        }
        if !runsUpstream, catalogue == nil || reviews == nil {
            throw Invalid(reason: "the addresses of the upstreams are missing; --demo starts some")
        }
    }
}
