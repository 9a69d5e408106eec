import ArgumentParser
import DataTransfer
import Foundation

/// The options that all commands share.
struct TransferOptions: ParsableArguments {
    @Option(name: [.customShort("H"), .long], help: "A header field, such as 'Accept-Language: en'. Can be repeated.")
    var header: [String] = []

    @Option(name: [.customShort("X"), .customLong("request")], help: "The method of the request.")
    var method: String?

    @Option(name: .shortAndLong, help: "The name of the user. The password is read from the netrc file, or from the terminal.")
    var user: String?

    @Flag(name: .shortAndLong, help: "Use the name and password for the host from the netrc file.")
    var netrc = false

    @Option(help: "The netrc file. Default: ~/.netrc.")
    var netrcFile: String?

    @Flag(name: [.customShort("L"), .long], help: "Follow redirects.")
    var location = false

    @Option(help: "How often to try again after a failure that may pass.")
    var retry = 0

    @Option(help: "The longest pause before another attempt, in seconds.")
    var retryDelay = 10.0

    @Option(name: [.customShort("m"), .long], help: "The maximum time of the whole operation, in seconds.")
    var maxTime: Double?

    @Option(help: "The maximum time to connect, in seconds.")
    var connectTimeout = 10.0

    @Flag(name: [.customShort("k"), .long], help: "Do not verify the server's certificate.")
    var insecure = false

    @Option(name: .customLong("cacert"), help: "A file with the certificate authorities to trust, in PEM.")
    var authorities: String?

    @Flag(name: .shortAndLong, help: "Print neither progress nor errors.")
    var silent = false

    @Flag(help: "Draw the phases of the transfer: name lookup, connecting, TLS, waiting, receiving.")
    var waterfall = false

    @Option(help: "Write the exchanges to a file (HAR 1.2), without credentials and with at most 64 KiB of each body.")
    var har: String?

    func validate() throws {
        guard retry >= 0, retry < 100 else { throw ValidationError("--retry must be 0...99") }
        guard retryDelay > 0, connectTimeout > 0, maxTime ?? 1 > 0 else { throw ValidationError("times must be positive") }
        guard user?.contains(":") != true else {
            throw ValidationError("--user is a name only: other users of the machine could see a password on the command line")
        }
        for field in header where !field.contains(":") { throw ValidationError("a header field needs a colon: '\(field)'") }
    }

    var headers: HeaderFields {
        header.reduce(into: [:]) { fields, text in
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            fields.add(parts[1].trimmingCharacters(in: .whitespaces), for: String(parts[0]))
        }
    }

    /// Describes the request of a URL.
    ///
    /// - Parameter method: The method, unless `--request` replaces it.
    func request(_ url: URL, method: RequestMethod = .get, body: EndpointBody? = nil) -> Endpoint<Void> {
        Endpoint<Void>(
            path: url.absoluteString, isFullPath: true, method: self.method.map(RequestMethod.init(rawValue:)) ?? method,
            headerParameters: headers, body: body)
    }
}

/// A URL on the command line; `http://` is the default scheme.
struct URLArgument: ExpressibleByArgument {
    let url: URL

    init?(argument: String) {
        guard let url = URL(string: argument.contains("://") ? argument : "http://" + argument), url.host != nil else {
            return nil
        }
        self.url = url
    }
}
