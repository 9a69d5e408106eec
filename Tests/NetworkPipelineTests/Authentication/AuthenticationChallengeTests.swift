import TransferTestSupport
import Testing

@testable import NetworkPipeline

struct AuthenticationChallengeTests {
    private func parsed(_ field: String) -> [String] {
        AuthenticationChallenge.parse(field).map { challenge in
            let parameters = challenge.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return ([challenge.scheme] + (challenge.token.map { [$0] } ?? parameters)).joined(separator: "|")
        }
    }

    // RFC 9110 §11.6.1, and what servers send.
    @Test(arguments: [
        (#"Basic realm="simple", charset="UTF-8""#, ["basic|charset=UTF-8|realm=simple"]),
        (
            #"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#,
            ["basic|realm=simple", #"newauth|realm=apps|title=Login to "apps"|type=1"#]
        ),
        (#"Newauth realm="apps",Basic realm="a, Digest nonce=x""#, ["newauth|realm=apps", "basic|realm=a, Digest nonce=x"]),
        ("Negotiate", ["negotiate"]), ("Negotiate, NTLM", ["negotiate", "ntlm"]),
        ("Negotiate oYG2MIGzoAMK==, x=1, Basic realm=x", ["negotiate|oYG2MIGzoAMK==", "basic|realm=x"]),
        (#"Digest REALM = "a" , Nonce="b""#, ["digest|nonce=b|realm=a"]), (" , ,Basic  realm=x,, ", ["basic|realm=x"]),
        (#"Digest qop="auth, auth-int", stale=TRUE"#, ["digest|qop=auth, auth-int|stale=TRUE"]),
        // What is malformed ends with the next comma.
        (#"Basic realm=a b, x=1"#, ["basic|x=1"]), (#"Basic "a", realm=b"#, ["basic|realm=b"]), (#"realm="x""#, []), ("", []),
        (#"Basic realm="open"#, ["basic"]), ("=, Basic realm=a", ["basic|realm=a"]), ("Basic @, x=1", ["basic|x=1"]),
    ])
    func `challenges are parsed`(field: String, expected: [String]) {
        #expect(parsed(field) == expected)
    }

    @Test func `a parameter that occurs twice is noticed`() {
        #expect(AuthenticationChallenge.parse("Digest nonce=a, Nonce=b").first?.hasDuplicates == true)
    }

    @Test func `any challenges are parsed as they were written`() {
        for seed in 0..<2000 {
            var random = SeededGenerator(seed: UInt64(seed))
            var field = ""
            var expected: [String] = []
            for number in 0..<Int.random(in: 1...4, using: &random) {
                if number > 0 { field += [",", ", ", " ,\t", ",,"].randomElement(using: &random)! }
                let scheme = "S\(number)"
                field += scheme
                if Int.random(in: 0..<4, using: &random) == 0 {
                    let token = ["abc", "a+/b==", "A.~_-="].randomElement(using: &random)!
                    field += "  " + token
                    expected.append("\(scheme.lowercased())|\(token)")
                    continue
                }
                var parameters: [String] = []
                for index in 0..<Int.random(in: 0...4, using: &random) {
                    field += index == 0 ? " " : [",", " , "].randomElement(using: &random)!
                    let value = ["", "x", "a,b", "a=b", #"\ ""#, "S9 r=t", "é"].randomElement(using: &random)!
                    let isToken = value == "x" && Bool.random(using: &random)
                    let escaped = value.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
                    field +=
                        "p\(index)" + [" = ", "="].randomElement(using: &random)! + (isToken ? value : "\"\(String(escaped))\"")
                    parameters.append("p\(index)=\(value)")
                }
                expected.append(([scheme.lowercased()] + parameters).joined(separator: "|"))
            }
            #expect(parsed(field) == expected, "seed \(seed): \(field)")
        }
    }
}
