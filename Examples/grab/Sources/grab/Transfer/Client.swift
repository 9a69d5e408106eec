import DataTransfer
import Foundation
import NetworkPipeline
import NetworkRecordings

/// The service that a command uses, made from its options.
struct Client: Sendable {
    let service: DefaultDataTransferService
    private let recording: (manager: RecordingSessionManager, file: URL)?

    /// Creates a client for requests to the origin of a URL.
    ///
    /// - Throws: ``Netrc/Failure`` if a password is needed and cannot be read.
    init(_ options: TransferOptions, for url: URL, parallel: Int = 1) throws {
        let configuration = SessionConfiguration {
            $0.connectTimeout = .seconds(options.connectTimeout)
            // A redirect that is not followed is reported as the response.
            $0.maximumRedirects = options.location ? 50 : 0
            $0.maximumConnectionsPerHost = max(6, parallel)
            $0.userAgent = "grab/0.1.0"
            if let file = options.authorities { $0.trust.roots = .pem(.file(URL(fileURLWithPath: file))) }
            if options.insecure { $0.trust.roots = .insecureWithoutVerification }
        }
        var session: any NetworkSessionManager = DefaultSessionManager(configuration: configuration)
        if let har = options.har {
            let limits = RecordingLimits(maximumBodyBytes: 64 << 10)
            let manager = RecordingSessionManager(session, limits: limits)
            recording = (manager, URL(fileURLWithPath: har))
            session = manager
        } else {
            recording = nil
        }
        let credential = try options.credential(for: url)
        let pipeline = RequestPipeline {
            // Transfers may take any time: `--max-time` limits the whole operation.
            $0.deadline = nil
            $0.breaker = nil
            $0.gate = nil
            $0.retry = options.retry > 0 ? .retry(options.retryOptions) : nil
            $0.authentication = credential.map { CredentialInterceptor($0, origins: [url]) }
        }
        service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: url), sessionManager: session, interceptors: pipeline.interceptors)
    }

    /// Writes the recording, if there is one.
    func finish() throws {
        try recording?.manager.save(to: recording?.file ?? URL(fileURLWithPath: "/"))
    }
}

extension TransferOptions {
    fileprivate var retryOptions: RetryOptions {
        let pause = Duration.seconds(retryDelay)
        return RetryOptions(
            maximumAttempts: retry + 1, backoff: Backoff(base: min(.milliseconds(500), pause), maximumDelay: pause))
    }

    /// The credential for a URL: from the netrc file, or with a password from the terminal.
    fileprivate func credential(for url: URL) throws -> Credential? {
        guard user != nil || netrc || netrcFile != nil else { return nil }
        let path = netrcFile ?? NSHomeDirectory() + "/.netrc"
        let entry = try Netrc(file: path, isRequired: netrc || netrcFile != nil).entry(for: url.host ?? "", user: user)
        if let entry { return .basic(user: entry.login, password: entry.password) }
        guard let user else { return nil }
        return .basic(user: user, password: try Terminal.password("Password of \(user) for \(url.host ?? ""): "))
    }
}
