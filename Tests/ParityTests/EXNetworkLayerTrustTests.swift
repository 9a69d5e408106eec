import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TestSupport

/// The pinning of EXNetworkLayer without its defects: its pins replaced the injected session, and only one pin without a backup
/// was possible.
@Suite("EXNetworkLayer, trust", .timeLimit(.minutes(10))) struct EXNetworkLayerTrustTests {
    struct PinnedAPI: API, TrustingAPI {
        var trust: TrustPolicy

        var host: String { "pinned.test" }
        var endpoint: String { "a" }
    }

    @Test(.tags(.pins)) func `several pins of public keys and of certificates can be combined`() throws {
        let pins: [TrustPin] = [
            .publicKey(sha256: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="), .publicKey(sha256: Data(count: 32)),
            .certificate(.file(bundle: .module, name: "ca")),
        ]
        let configuration = try SessionConfiguration(trusting: PinnedAPI(trust: TrustPolicy(pins: pins)))
        #expect(configuration.trustByHost["pinned.test"]?.pins?.count == 3)
    }

    @Test(.tags(.pins)) func `a pin that cannot be loaded fails the request before a byte is sent`() async throws {
        let missing = TrustPin.certificate(.file(bundle: .module, name: "missing"))
        let api = PinnedAPI(trust: TrustPolicy(pins: [missing]))
        let session = DefaultSessionManager(configuration: try SessionConfiguration(trusting: api))
        let service = DefaultDataTransferService(configuration: .composed, sessionManager: session)
        let error = await failure(of: service, api.as(Data.self, decoder: .rawData))
        #expect(error?.networkError?.transportError?.code == .trustUnavailable)
    }

    @Test(.tags(.pins)) func `an API's trust policy does not replace the injected session`() async throws {
        let session = StubSessionManager()
        session.route { _ in .text("ok") }
        let api = PinnedAPI(trust: TrustPolicy(pins: [.publicKey(sha256: Data(count: 32))]))
        _ = await failure(
            of: DefaultDataTransferService(configuration: .composed, sessionManager: session),
            api.as(Data.self, decoder: .rawData))
        // Regardless of the stub's response, no request was sent through another session.
        #expect(session.requests.count <= 1)
    }
}
