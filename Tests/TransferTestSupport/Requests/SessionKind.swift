import Foundation
import NetworkCore
import NetworkSupport
import NetworkTesting
import NetworkURLSession
import Testing

/// The kind of session manager with which a test runs.
package enum SessionKind: Sendable {
    /// `DefaultSessionManager`.
    case standard
    /// `URLSessionManager`, where it is not the default.
    case urlSession

    /// The kind for this test. ``Testing/Trait/alsoOverURLSession`` sets it.
    @TaskLocal package static var current = SessionKind.standard
    /// Whether a test has called ``testedSession(_:)``.
    @TaskLocal fileprivate static var isUsed = Locked(false)

    /// Whether tests run over `URLSession` as well. `DATA_TRANSFER_ENGINES=ours` excludes it; sanitizers are for the code of this package, which the
    /// tests of `URLSessionManager` reach.
    fileprivate static let includesURLSession: Bool = {
        #if os(Linux)
            !isSanitized && ProcessInfo.processInfo.environment["DATA_TRANSFER_ENGINES"] != "ours"
        #else
            false
        #endif
    }()
}

/// Creates a session manager with separate connections, of the kind with which the test runs.
package func testedSession(
    _ change: (inout SessionConfiguration) -> Void = { _ in }
) -> any ClosableSessionManager {
    SessionKind.isUsed.withLock { $0 = true }
    let configuration = SessionConfiguration(change)
    return switch SessionKind.current {
    case .standard: DefaultSessionManager(configuration: configuration)
    case .urlSession: URLSessionManager(configuration: configuration)
    }
}

extension LoopbackResponse {
    /// Returns a response whose body is repeated without end; over `URLSession`, which a server without pauses holds up, with pauses and for about
    /// 16 seconds. Called by the test, not by its server, which does not know the kind.
    package func repeated() -> LoopbackResponse {
        if SessionKind.current == .standard { return fault(.endlessBody) }
        var response = self
        while !response.body.isEmpty, response.body.count < 4 << 20 { response.body += response.body }
        return response.fault(.drip(bytes: 256, every: .milliseconds(1)))
    }
}

/// Runs each test that calls ``testedSession(_:)`` a second time, over `URLSession`, where that is not the default.
package struct URLSessionTrait: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> URLSessionTrait? {
        testCase == nil ? nil : self
    }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let isUsed = Locked(false)
        try await SessionKind.$isUsed.withValue(isUsed) { try await function() }
        guard isUsed.withLock(\.self), SessionKind.includesURLSession else { return }
        if let exception = test.traits.lazy.compactMap({ $0 as? URLSessionException }).first { return exception.report(test) }
        let naming = IssueHandlingTrait.compactMapIssues { issue in
            var issue = issue
            issue.comments.append("over URLSession")
            return issue
        }
        try await naming.provideScope(for: test, testCase: testCase) {
            try await SessionKind.$current.withValue(.urlSession) { try await function() }
        }
    }
}

/// What `URLSession` on Linux, as it is in Swift 6.3.1, does differently. Docs/Platforms.md describes it.
package enum URLSessionLimitation: String, Sendable {
    case closedConnections = "it does not observe that the server closes a kept connection after a request with a body"
    case codings = "libcurl refuses a content coding that it does not know"
    case earlyResponses = "a response is lost if the server resets the connection while the body is sent"
    case fields = "names and order of fields are changed, and Content-Length: 0 is added to requests without a body"
    case floods = "a server that sends without a pause holds up all sessions of the process"
    case padding = "a collected body has no padding, so that JSON is decoded from a copy"
    case paths = "libcurl removes dot segments from the path"
    case pauses = "it does not pause: what its reader has not read must fit into maximumBodyBytes"
    case phases = "the phases of a transfer are not measured"
    case redirectBodies = "the body of a redirect is lost"
    case sequences = "a body from a sequence is read before it is sent, and can be sent again"
    case trailers = "a chunked response with trailers ends the process"
}

/// Runs a test over the default session manager only.
package struct URLSessionException: SuiteTrait, TestTrait {
    package var isRecursive: Bool { true }
    fileprivate let reason: URLSessionLimitation
    private static let reported = Locked<Set<Test.ID>>([])

    /// Prints one line for each test.
    fileprivate func report(_ test: Test) {
        guard Self.reported.withLock({ $0.insert(test.id).inserted }) else { return }
        print("skipped over URLSession of Swift 6.3.1: \(test.displayName ?? test.name): \(reason.rawValue)")
    }
}

extension Trait where Self == URLSessionTrait {
    /// Runs each test that calls ``testedSession(_:)`` a second time, over `URLSession`, where that is not the default. Issues of this run have the
    /// comment "over URLSession".
    package static var alsoOverURLSession: Self { URLSessionTrait() }
}

extension Trait where Self == URLSessionException {
    /// Runs a test of a suite with ``Testing/Trait/alsoOverURLSession`` over the default session manager only, and prints a line that says why.
    package static func notOverURLSession(_ reason: URLSessionLimitation) -> Self { URLSessionException(reason: reason) }
}
