import Endpoints
import Foundation
import Testing

@testable import NetworkCore
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
