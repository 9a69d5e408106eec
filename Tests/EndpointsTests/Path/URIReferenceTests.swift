import Endpoints
import Foundation
import Testing

struct URIReferenceTests {
    private func resolve(_ reference: String, _ base: String) -> String? {
        URIReference(reference).resolved(against: URIReference(base)).url?.absoluteString
    }

    @Test(
        arguments: [
            // RFC 3986 §5.4.1, normal examples.
            ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
            ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
            ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
            ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
            ("../../", "http://a/"), ("../../g", "http://a/g"),
            // §5.4.2, abnormal examples.
            ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
            ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
            ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
            ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
            // §5.2.2: dot segments are also removed after an authority or a scheme.
            ("//g/x/../y", "http://g/y"), ("http://g/x/./../y/..", "http://g/"), ("//g?x", "http://g?x"),
            // An empty query differs from no query, and existing percent-encoding is kept.
            ("g?", "http://a/b/c/g?"), ("?", "http://a/b/c/d;p?"), ("g?#", "http://a/b/c/g?#"),
            ("/%2e%2E/%2Fx?a=%7e%26+b", "http://a/%2e%2E/%2Fx?a=%7e%26+b"), ("//", "http://"), ("g//../h", "http://a/b/c/g/h"),
            // Characters that are not allowed in a URL are encoded, and nothing is encoded twice.
            ("g h", "http://a/b/c/g%20h"), ("/%2f|é%", "http://a/%2f%7C%C3%A9%25"),
            ("?a=b c%20\"", "http://a/b/c/d;p?a=b%20c%20%22"),
        ] as [(String, String)])
    func `a reference is resolved as in RFC 3986, byte for byte`(reference: String, expected: String) {
        #expect(resolve(reference, "http://a/b/c/d;p?q") == expected)
    }

    @Test func `a base without a path is resolved like the root path`() {
        #expect(resolve("x", "http://a") == "http://a/x")
        #expect(resolve("../x", "http://a?q") == "http://a/x")
        #expect(resolve("", "http://a?q") == "http://a?q")
    }

    @Test func `user information can be removed`() {
        #expect(URIReference("http://user:p@ss@host:1/x@y").withoutUserInformation().url?.absoluteString == "http://host:1/x@y")
        #expect(URIReference("http://host/a@b").withoutUserInformation().url?.absoluteString == "http://host/a@b")
    }
}
