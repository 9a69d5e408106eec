import Endpoints
import Foundation
import Testing
import TransferTestSupport

@testable import NetworkEngine
@testable import NetworkTransport

struct TLSFailureTests {
    // openssl-verification-options(1), X509_STORE_CTX_get_error(3).
    @Test(arguments: [
        (2, TLSFailure.unknownIssuer), (9, .certificateNotYetValid), (10, .certificateExpired), (18, .selfSigned),
        (19, .unknownIssuer), (20, .unknownIssuer), (21, .unknownIssuer), (23, .certificateRevoked), (62, .wrongHost),
        (64, .wrongHost), (1, .other), (66, .other), (-1, .other),
    ])
    func `each verification result of OpenSSL is converted to one TLS failure`(number: Int, failure: TLSFailure) {
        #expect(TLSFailure(verifyResult: number) == failure)
    }

    // Error messages of libcurl 7.76 to 8.5 with OpenSSL 1.1 and 3.0.
    @Test(arguments: [
        ("SSL: no alternative certificate subject name matches target host name 'a'", TLSFailure.wrongHost),
        ("SSL: certificate subject name 'a' does not match target host name 'b'", .wrongHost),
        ("SSL: public key does not match pinned public key", .pinMismatch),
        ("OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0", .clientCertificateRequired),
        ("error:1409445C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required", .clientCertificateRequired),
        ("error:0A000418:SSL routines::tlsv1 alert unknown ca", .clientCertificateRejected),
        ("error:0A000415:SSL routines::sslv3 alert certificate expired", .clientCertificateRejected),
        ("error:0A000412:SSL routines::sslv3 alert bad certificate", .clientCertificateRejected),
        ("error:0A00042E:SSL routines::tlsv1 alert protocol version", .protocolVersion),
        ("error:0A000102:SSL routines::unsupported protocol", .protocolVersion),
        ("error:0A000410:SSL routines::sslv3 alert handshake failure", .handshakeRefused),
        ("SSL certificate problem: certificate has expired", .certificateExpired),
        ("SSL certificate problem: self signed certificate in certificate chain", .unknownIssuer),
        ("SSL certificate problem: self-signed certificate", .selfSigned),
        ("SSL certificate problem: unable to get local issuer certificate", .unknownIssuer),
        ("error:0A00010B:SSL routines::wrong version number", .notTLS), ("error:0A00009C:SSL routines::", .notTLS),
        ("error:1408F10B:SSL routines:ssl3_get_record:wrong version number", .notTLS),
        ("error:0900010B:PEM routines::", nil), ("error:0A00010B0:", nil), ("error:", nil), ("Connection reset by peer", nil),
    ])
    func `the error messages of TLS libraries are converted to TLS failures`(words: String, failure: TLSFailure?) {
        #expect(TLSFailure(words: words) == failure)
    }

    #if os(Linux)
        @Test func `https to a port that does not speak TLS is an error that says so`() async throws {
            for text in [
                "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "220 mail.test ESMTP ready\r\n", "SSH-2.0-test\r\n",
            ] {
                let server = try RawServer { connection in
                    _ = try connection.receive()
                    try connection.send(text)
                    connection.waitForHangUp()
                }
                let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
                let error = try await failure(
                    of: SocketSessionManager(configuration: SessionConfiguration()), NetworkRequest(url: url))
                #expect(error.tlsFailure == .notTLS && error.code == .tlsFailed && error.phase == .tls, "\(error)")
                #expect("\(error)".contains("does not speak TLS on this port") && !error.isRetryable, "\(error)")
            }
        }
    #endif

    @Test func `the description of a TLS error contains the code, phase, failure and message`() {
        let error = TransportError(
            .tlsFailed, "SSL certificate problem: certificate has expired", phase: .tls, engineCode: 60,
            tlsFailure: .certificateExpired)
        #expect(
            error.description
                == "tlsFailed (TLS handshake): the server's certificate has expired: SSL certificate problem: certificate has expired [60]"
        )
    }
}
