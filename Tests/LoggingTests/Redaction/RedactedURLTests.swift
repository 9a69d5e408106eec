import Foundation
import NetworkLogging
import Testing

struct RedactedURLTests {
    @Test(
        arguments: [
            ("https://example.com/a?b=c#d", "https://example.com/a?b=c#d"),
            ("https://bob:pw@example.com/", "https://<redacted>@example.com/"),
            ("https://bob@example.com/", "https://<redacted>@example.com/"),
            ("https://b@b:p@w@example.com/", "https://<redacted>@example.com/"),
            ("https://bob:p/w@example.com/", "https://<redacted>@example.com/"),
            ("https://bob:p?w@example.com/", "https://<redacted>@example.com/"),
            ("https://example.com:8080/@bob", "https://example.com:8080/@bob"),
            ("https://[::1]:8080/@bob", "https://[::1]:8080/@bob"),
            ("//bob:pw@example.com/", "//<redacted>@example.com/"),
            ("https://x/?access_token=abc&page=2", "https://x/?access_token=<redacted>&page=2"),
            ("https://x/?page=2;token=abc", "https://x/?page=2;token=<redacted>"),
            ("https://x/?acc%65ss%5Ftoken=abc", "https://x/?acc%65ss%5Ftoken=<redacted>"),
            ("https://x/?acc%2565ss_token=abc", "https://x/?acc%2565ss_token=<redacted>"),
            (
                "https://x/?user[password]=a&user%5Bpassword%5D=b",
                "https://x/?user[password]=<redacted>&user%5Bpassword%5D=<redacted>"
            ),
            ("https://x/#access_token=abc&state=1", "https://x/#access_token=<redacted>&state=1"),
            ("https://x/#/callback?access_token=abc", "https://x/#/callback?access_token=<redacted>"),
            ("https://x/?r=https%3A%2F%2Fy%2F%3Ftoken%3Dabc", "https://x/?r=<redacted>"),
            ("https://x/?r=https%3A%2F%2Fbob%3Apw%40y", "https://x/?r=<redacted>"),
            ("https://x/?token%3Dabc", "https://x/?<redacted>"),
            ("https://x/?h=Bearer%20abc", "https://x/?h=<redacted>"),
            ("https://x/?d=eyJhbGciOiJIUzI1NiJ9.e30.c2ln", "https://x/?d=<redacted>"),
            ("https://x/eyJhbGciOiJIUzI1NiJ9.e30.c2ln/y", "https://x/<redacted>/y"),
            ("https://x/a;jsessionid=abc/b", "https://x/a;jsessionid=<redacted>"),
            ("https://proxy/https://bob:pw@y/", "https://proxy/https://<redacted>@y/"),
            ("/v1/session:revoke?x=1", "/v1/session:revoke?x=1"),
            ("?code=4", "?code=<redacted>"),
            ("", ""), ("%", "%"), ("?", "?"), ("#", "#"), ("//", "//"), ("://@", "://<redacted>@"), ("?&&=&", "?&&=&"),
        ] as [(String, String)])
    func `user information and secret items of a URL are redacted and the rest is kept`(url: String, expected: String) {
        #expect(Redaction.default.redacted(url: url) == expected)
    }

    @Test func `a URL value is redacted like its text`() throws {
        let url = try #require(URL(string: "https://bob:pw@example.com/?token=abc"))
        #expect(Redaction.default.redacted(url: url) == "https://<redacted>@example.com/?token=<redacted>")
    }

    @Test(arguments: [
        ("Location", "https://x/cb?code=abc", "https://x/cb?code=<redacted>"),
        ("Referer", "https://a:b@x/", "https://<redacted>@x/"),
        ("Content-Location", "/a?sig=abc", "/a?sig=<redacted>"),
        ("Link", "<https://x/?token=abc>; rel=next", "<https://x/?token=<redacted>>; rel=next"),
        ("X-Note", "Bearer abc", "Bearer <redacted>"),
        ("Authorization", "Bearer abc", "<redacted>"),
        ("WWW-Authenticate", "Bearer realm=\"x\", error=\"invalid_token\"", "Bearer realm=\"x\", error=\"invalid_token\""),
        ("Content-Type", "application/json; charset=utf-8", "application/json; charset=utf-8"),
        ("ETag", "W/\"abc\"", "W/\"abc\""),
    ])
    func `a header value is redacted by its name or as a URL`(name: String, value: String, expected: String) {
        #expect(Redaction.default.redacted(headerValue: value, for: name) == expected)
    }
}
