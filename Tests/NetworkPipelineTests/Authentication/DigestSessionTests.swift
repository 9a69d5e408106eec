import NetworkCore
import NetworkSupport
import Testing

@testable import NetworkPipeline

struct DigestSessionTests {
    private func session(
        _ parameters: String, user: String = "Mufasa", password: String = "Circle of Life", clientNonce: String = "0a4f113b"
    ) -> DigestSession? {
        DigestSession(
            AuthenticationChallenge.parse("Digest " + parameters)[0], user: user, password: password, clientNonce: clientNonce)
    }

    private func response(_ value: String?) -> String? {
        value.map { AuthenticationChallenge.parse($0)[0] }?["response"]
    }

    @Test(arguments: [
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
    ])
    func `the digest is that of RFC 7616 §3.9.1`(algorithm: String, expected: String) throws {
        let session = try #require(
            self.session(
                """
                realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
                nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
                """))
        let value = session.authorization(
            method: "GET", target: "/dir/index.html", clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        #expect(
            value == """
                Digest username="Mufasa", realm="http-auth@example.org", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", \
                uri="/dir/index.html", algorithm=\(algorithm), nc=00000001, \
                cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, response="\(expected)", \
                opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
                """)
    }

    @Test func `the digest is that of RFC 2617 §3.5, and without qop that of RFC 2069`() throws {
        let parameters = #"realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""#
        let session = try #require(self.session(parameters + #", qop="auth,auth-int""#, password: "Circle Of Life"))
        let value = session.authorization(method: "GET", target: "/dir/index.html", clientNonce: "0a4f113b")
        #expect(response(value) == "6629fae49393a05397450978507c4ef1")
        let older = self.session(parameters, password: "CircleOfLife")
        let olderValue = older?.authorization(method: "GET", target: "/dir/index.html")
        // RFC 2069 §2.4, with the erratum of the example.
        #expect(response(olderValue) == "1949323746fe6a43ef61f9606e7febea")
        #expect(olderValue?.contains("cnonce") == false && olderValue?.contains("nc=") == false)
    }

    @Test func `the nonce count increases with each request, and is separate for the next nonce`() throws {
        let session = try #require(self.session(#"realm="r", nonce="n", qop="auth""#))
        let counts = (0..<3).map { _ in AuthenticationChallenge.parse(session.authorization(method: "GET", target: "/"))[0]["nc"]
        }
        #expect(counts == ["00000001", "00000002", "00000003"])
        let next = AuthenticationChallenge.parse(session.next(nonce: "m").authorization(method: "GET", target: "/"))[0]
        #expect(next["nc"] == "00000001" && next["nonce"] == "m")
    }

    @Test func `a session algorithm keeps its client nonce, others have a new one for each request`() throws {
        let parameters = #"realm="r", nonce="n", qop="auth", algorithm="#
        func clientNonces(_ session: DigestSession) -> Set<String?> {
            Set(
                (0..<4).map { _ in AuthenticationChallenge.parse(session.authorization(method: "GET", target: "/"))[0]["cnonce"] }
            )
        }
        #expect(clientNonces(try #require(self.session(parameters + "MD5-sess"))) == ["0a4f113b"])
        #expect(clientNonces(try #require(self.session(parameters + "SHA-256"))).count == 4)
    }

    // RFC 7616 §3.4.4 and §3.9.2: the name is replaced by its digest, or encoded if it is not ASCII and the server knows UTF-8.
    @Test(arguments: [
        ("", "Jäsøn", #"username="Jäsøn""#), (", charset=UTF-8", "Jäsøn", "username*=UTF-8''J%C3%A4s%C3%B8n"),
        (", charset=UTF-8", "a\"b", #"username="a\"b""#),
        (", userhash=true, charset=UTF-8", "Jason", ""),
    ])
    func `the user name is sent as the server asks`(parameters: String, user: String, expected: String) throws {
        let session = try #require(self.session(#"realm="r", nonce="n", qop="auth""# + parameters, user: user))
        let value = session.authorization(method: "GET", target: "/")
        if parameters.contains("userhash") {
            let digest = MD5.digest(of: "Jason:r".utf8).hexadecimal
            #expect(value.hasPrefix("Digest username=\"\(digest)\", userhash=true, realm="))
        } else {
            #expect(value.hasPrefix("Digest \(expected), realm="))
        }
    }

    @Test(arguments: [
        #"realm="r", qop="auth""#, #"nonce="n", qop="auth""#, #"realm="r", nonce="n", algorithm=SHA-512-256"#,
        #"realm="r", nonce="n", qop="other""#, #"realm="r", nonce="n", nonce="m""#, #"realm="r", nonce="n", algorithm=MD5-sess"#,
        #"realm="r", nonce="n", algorithm="""#,
    ])
    func `a challenge that cannot be used is ignored`(parameters: String) {
        #expect(session(parameters) == nil)
    }

    @Test func `auth is preferred to auth-int`() {
        #expect(session(#"realm="r", nonce="n", qop="auth-int, auth""#)?.protectsBody == false)
        #expect(session(#"realm="r", nonce="n", qop="AUTH-INT""#)?.protectsBody == true)
    }
}
