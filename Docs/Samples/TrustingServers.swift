import DataTransfer
import Foundation

let authority = URL(fileURLWithPath: "/etc/example/authority.pem")
let client = URL(fileURLWithPath: "/etc/example/client.pem")
let (current, backup) = (
    "9YXLCb7klbqGEJjxCx9VBIsnGePVLIowzF02L3ZzZR0=",
    "KUoPAyaTo+A8KxLzVxNS75Hk542BCLL+xyu3omw12Q0="
)
let url = URL(fileURLWithPath: "/")

// snippet.trust
let session = DefaultSessionManager(
    configuration: SessionConfiguration {
        $0.trust = TrustPolicy(minimumTLSVersion: .v1_3)
        $0.trustByHost["internal.example"] = TrustPolicy(
            roots: .pem(.file(authority)),
            pins: [.publicKey(sha256: current), .publicKey(sha256: backup)],
            clientIdentity: ClientIdentity(certificate: .file(client)),
            minimumTLSVersion: .v1_3)
        $0.trustByHost["*.partner.example"] = TrustPolicy(
            roots: .systemAnd(pem: .file(authority)))
    })
// snippet.end

// snippet.failure
do throws(TransportError) {
    print(try await session.response(for: NetworkRequest(url: url)))
} catch {
    switch error.tlsFailure {
    case .pinMismatch:
        print("another party intercepts the connection, or the key has changed")
    case .certificateExpired, .wrongHost, .unknownIssuer:
        print("the server's certificate is not valid")
    case .notTLS:
        print("the port does not speak TLS: it may be one for http")
    default: print(error)
    }
}
// snippet.end
