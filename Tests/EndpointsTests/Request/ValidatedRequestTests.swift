import Endpoints
import Foundation
import TestSupport
import Testing

/// A request is validated once, and again after each change of what was validated.
@Suite struct ValidatedRequestTests {
    private enum Change: CaseIterable {
        case method, url, header, credential, body, timeout, context, progress, idempotency, authentication, mark, copy, validate

        /// Whether the request has to be validated again after it.
        var isValidated: Bool {
            switch self {
            case .method, .url, .header, .credential, .body, .timeout: true
            case .context, .progress, .idempotency, .authentication, .mark, .copy, .validate: false
            }
        }
    }

    private enum NumberKey: ContextKey {
        typealias Value = Int
    }

    private final class Observer: TransferProgressObserver {
        func transferDidProgress(_ progress: TransferProgress) {}
    }

    /// Changes a request, such that it stays valid or becomes invalid.
    private static func apply(_ change: Change, to request: inout NetworkRequest, _ random: inout SeededGenerator) throws {
        let isValid = Int.random(in: 0..<4, using: &random) > 0
        switch change {
        case .method: request.method = isValid ? .post : RequestMethod("A B")
        case .url:
            let texts = isValid ? ["https://a/b", "http://[::1]:80/", "https://u:p@B/"] : ["ftp://a/", "http://a:99999/"]
            request.url = try #require(URL(string: texts.randomElement(using: &random) ?? ""))
        case .header: request.headers["X-A"] = isValid ? "1" : "1\r\nX-B: 2"
        case .credential: request.setCredential(isValid ? "key" : "key\n", for: "X-Key")
        case .body: request.body = isValid ? nil : .file(request.url)
        case .timeout: request.timeouts.total = isValid ? .seconds(1) : .zero
        case .context: request.context[NumberKey.self] = 1
        case .progress: request.progress = isValid ? nil : Observer()
        case .idempotency: request.isIdempotent.toggle()
        case .authentication: request.requiresAuthentication.toggle()
        case .mark: request.markCredential(for: "X-A")
        case .copy:
            let copy = request
            request = copy
        case .validate: try? request.validateOnce()
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `a request counts as validated until what was validated is set`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var request = NetworkRequest(url: try #require(URL(string: "https://a/b")))
        var isValidated = false
        for _ in 0..<runs(400, slow: 2000) {
            let change = Change.allCases.randomElement(using: &random) ?? .copy
            let before = request
            try Self.apply(change, to: &request, &random)
            if change.isValidated { isValidated = false }
            // The same request without the mark.
            var unmarked = request
            unmarked.method = request.method
            #expect(!unmarked.isValidated && unmarked == request && unmarked.hashValue == request.hashValue)
            let isValid = (try? unmarked.validate()) != nil
            if change == .validate, isValid { isValidated = true }
            #expect(request.isValidated == isValidated, "\(change)")
            #expect(((try? request.validate()) != nil) == isValid, "\(change)")
            #expect(isValid || !request.isValidated, "\(change) of \(before)")
        }
    }

    @Test func `the request of an endpoint is validated, one made by hand is not`() throws {
        let request = try Endpoint.make("a").networkRequest(with: APIConfiguration.make())
        #expect(request.isValidated)
        #expect(!NetworkRequest(url: request.url).isValidated)
    }

    @Test func `a copy of a validated request that is changed is validated again`() throws {
        let request = try Endpoint.make("a").networkRequest(with: APIConfiguration.make())
        var changed = request
        changed.headers["A"] = "1\r\nB: 2"
        #expect(throws: RequestGenerationError.self) { try changed.validate() }
        #expect(request.isValidated && !changed.isValidated)
    }
}
