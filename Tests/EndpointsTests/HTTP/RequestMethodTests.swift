import Endpoints
import Testing

@Suite struct RequestMethodTests {
    @Test(
        arguments: [
            // RFC 9110 §9.2.1, §9.2.2, §9.3
            (.get, "GET", true, true, false), (.head, "HEAD", true, true, false), (.post, "POST", false, false, true),
            (.put, "PUT", false, true, true), (.delete, "DELETE", false, true, true), (.patch, "PATCH", false, false, true),
            (.options, "OPTIONS", true, true, true), (.trace, "TRACE", true, true, false),
            // RFC 10008 §2
            (.query, "QUERY", true, true, true),
            (RequestMethod("PURGE"), "PURGE", false, false, true), (RequestMethod(rawValue: "get"), "get", false, false, true),
        ] as [(RequestMethod, String, Bool, Bool, Bool)]
    )
    func `a method has the properties of RFC 9110`(
        method: RequestMethod, name: String, isSafe: Bool, isIdempotent: Bool, allowsBody: Bool
    ) {
        #expect(method.rawValue == name)
        #expect("\(method)" == name)
        #expect(method.isSafe == isSafe)
        #expect(method.isIdempotent == isIdempotent)
        #expect(method.allowsBody == allowsBody)
    }
}
