import Endpoints
import Foundation
import Testing

@testable import NetworkTransport
@testable import NetworkURLSession

extension URLSessionTests {
    @Suite struct URLSessionErrorTests {
        @Test(arguments: [
            (URLError.Code.timedOut, TransportError.Code.timedOut), (.cannotFindHost, .nameLookupFailed),
            (.cannotConnectToHost, .cannotConnect), (.notConnectedToInternet, .cannotConnect),
            (.networkConnectionLost, .connectionLost), (.serverCertificateUntrusted, .tlsFailed),
            (.cannotDecodeContentData, .undecodableContent), (.unsupportedURL, .malformedResponse),
            (.cancelled, .cancelled), (.userAuthenticationRequired, .other),
        ])
        func `URL error codes are converted to transport error codes`(code: URLError.Code, meaning: TransportError.Code) {
            #expect(URLSessionErrors.meaning(of: code, message: "").code == meaning)
        }

        /// https://developer.apple.com/documentation/foundation/urlerror/code
        @Test(
            arguments: [
                (URLError.Code.cancelled, TransportError.Code.cancelled, nil), (.timedOut, .timedOut, nil),
                (.cannotFindHost, .nameLookupFailed, .nameLookup), (.dnsLookupFailed, .nameLookupFailed, .nameLookup),
                (.cannotConnectToHost, .cannotConnect, .connect), (.notConnectedToInternet, .cannotConnect, .connect),
                (.internationalRoamingOff, .cannotConnect, .connect), (.callIsActive, .cannotConnect, .connect),
                (.dataNotAllowed, .cannotConnect, .connect), (.networkConnectionLost, .connectionLost, nil),
                (.zeroByteResource, .incompleteBody, .receive), (.secureConnectionFailed, .tlsFailed, .tls),
                (.serverCertificateHasBadDate, .tlsFailed, .tls), (.serverCertificateUntrusted, .tlsFailed, .tls),
                (.serverCertificateHasUnknownRoot, .tlsFailed, .tls), (.serverCertificateNotYetValid, .tlsFailed, .tls),
                (.clientCertificateRejected, .tlsFailed, .tls), (.clientCertificateRequired, .tlsFailed, .tls),
                (.cannotDecodeRawData, .undecodableContent, .receive), (.cannotDecodeContentData, .undecodableContent, .receive),
                (.cannotParseResponse, .malformedResponse, .receive), (.badServerResponse, .malformedResponse, .receive),
                (.httpTooManyRedirects, .tooManyRedirects, .receive),
                (.redirectToNonExistentLocation, .redirectRefused, .receive),
                (.appTransportSecurityRequiresSecureConnection, .unsupported, nil), (.badURL, .invalidRequest, nil),
                (.unsupportedURL, .malformedResponse, .receive), (.dataLengthExceedsMaximum, .bodyTooLarge, .receive),
                (.unknown, .other, nil), (.userAuthenticationRequired, .other, nil), (.resourceUnavailable, .other, nil),
            ] as [(URLError.Code, TransportError.Code, TransportError.Phase?)])
        func `an NSError of URLSession has a code and a phase`(
            code: URLError.Code, meaning: TransportError.Code, phase: TransportError.Phase?
        ) throws {
            let error = NSError(
                domain: NSURLErrorDomain, code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: "what happened"])
            let converted = URLSessionErrors.transportError(error, phase: .send, request: try .unsent())
            #expect(converted.code == meaning && converted.phase == phase ?? .send)
            #expect(converted.message == "what happened" && converted.engineCode == code.rawValue)
            #expect((converted.tlsFailure != nil) == (meaning == .tlsFailed))
        }

        @Test(arguments: [
            (URLError.Code.serverCertificateHasBadDate, TLSFailure.certificateExpired),
            (.serverCertificateNotYetValid, .certificateNotYetValid), (.serverCertificateHasUnknownRoot, .unknownIssuer),
            (.clientCertificateRequired, .clientCertificateRequired), (.clientCertificateRejected, .clientCertificateRejected),
            (.serverCertificateUntrusted, .other), (.secureConnectionFailed, .other),
        ])
        func `a TLS error of URLSession has its reason`(code: URLError.Code, failure: TLSFailure) throws {
            let error = NSError(domain: NSURLErrorDomain, code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: "failed"])
            #expect(URLSessionErrors.transportError(error, phase: nil, request: try .unsent()).tlsFailure == failure)
        }

        @Test func `an error of another domain is not read as one of URLSession`() throws {
            for code in [URLError.Code.timedOut, .cancelled, .badURL] {
                let error = NSError(domain: NSPOSIXErrorDomain, code: code.rawValue, userInfo: [:])
                let converted = URLSessionErrors.transportError(error, phase: .receive, request: try .unsent("https://[::1]/"))
                #expect(converted.code == .other && converted.phase == .receive)
            }
        }

        /// Error messages of libcurl 7.88.
        @Test(arguments: [
            ("transfer closed with 2 bytes remaining to read", TransportError.Code.incompleteBody),
            ("transfer closed with outstanding read data remaining", .incompleteBody),
            ("SSL certificate problem: unable to get local issuer certificate", .tlsFailed),
            ("SSL: no alternative certificate subject name matches target host name 'a'", .tlsFailed),
            ("Failed writing header", .malformedResponse), ("Header without colon", .malformedResponse),
            ("Illegal or missing hexadecimal sequence in chunked-encoding", .malformedResponse),
            ("Unrecognized content encoding type. libcurl understands deflate, gzip content encodings.", .undecodableContent),
            ("Error while processing content unencoding: incorrect header check", .undecodableContent),
            ("Send failure: Broken pipe", .connectionLost), ("Recv failure: Connection reset by peer", .connectionLost),
            ("Out of memory", .headersTooLarge), ("something new", .other),
        ])
        func `unknown URL errors are converted by their message`(message: String, meaning: TransportError.Code) {
            #expect(URLSessionErrors.meaning(of: .unknown, message: message).code == meaning)
        }

        @Test func `joined Set-Cookie fields are separated, but not at the commas in dates`() {
            let joined = "a=1; Expires=Sat, 01 Jan 2028 00:00:00 GMT, b=x,y; Path=/, c=, __d=4"
            #expect(
                HeaderFields.separateCookies(joined) == [
                    "a=1; Expires=Sat, 01 Jan 2028 00:00:00 GMT", "b=x,y; Path=/", "c=", "__d=4",
                ])
            #expect(HeaderFields.separateCookies("") == [""])
            #expect(HeaderFields.separateCookies("a=1,\u{301}b=2, c=\u{301},d=3") == ["a=1,\u{301}b=2", "c=\u{301}", "d=3"])
            #expect(HeaderFields.separateCookies("a=1,,") == ["a=1,,"])
        }
    }
}
