import NetworkLogging
import Testing

struct RedactedTextTests {
    @Test(
        arguments: [
            ("GET https://bob:pw@x/y failed", "GET https://<redacted>@x/y failed"),
            (#"{"u":"https:\/\/bob:pw@x\/"}"#, #"{"u":"https:\/\/<redacted>@x\/"}"#),
            ("sent Bearer abc.def", "sent Bearer <redacted>"),
            ("sent bearer  abc, ok", "sent bearer  <redacted>, ok"),
            ("Basic dXNlcjpwdw==", "Basic <redacted>"),
            ("Basic authentication required", "Basic authentication required"),
            ("jwt eyJhbGciOiJIUzI1NiJ9.e30.c2ln.", "jwt <redacted>"),
            ("token=abc def", "token=<redacted> def"),
            ("auth=Bearer abc def", "auth=<redacted> def"),
            ("password: correct horse, next: 1", "password: <redacted>, next: 1"),
            ("password = 'a b' end", "password = '<redacted>' end"),
            ("secret => abc", "secret => <redacted>"),
            ("Authorization: Digest username=\"b\", response=\"abc\"\nnext", "Authorization: <redacted>\nnext"),
            ("Cookie: a=b; c=d\nnext", "Cookie: <redacted>\nnext"),
            (#"{"password":"a\"b","x":1}"#, #"{"password":"<redacted>","x":1}"#),
            (#"{\"password\":\"abc\",\"x\":1}"#, #"{\"password\":\"<redacted>\",\"x\":1}"#),
            ("token: Optional(\"a, b\"), x: 1", "token: <redacted>, x: 1"),
            ("credentials: [\"a\", (\"b\")] ok", "credentials: <redacted>"),
            ("<password>abc</password><a>b</a>", "<password><redacted></password><a>b</a>"),
            ("<auth:Token x='y'><a>b</a></auth:Token>", "<auth:Token<redacted>><redacted></auth:Token>"),
            ("Error Domain=NSURLErrorDomain Code=-1001 \"x\"", "Error Domain=NSURLErrorDomain Code=-1001 \"x\""),
            ("code: 404, code: 123456", "code: 404, code: 123456"),
            ("statusCode: 401", "statusCode: 401"),
            ("http://auth.example.com:8080/x", "http://auth.example.com:8080/x"),
            ("nothing to hide: 1 = 1", "nothing to hide: 1 = 1"),
            ("ünïcödé token=ä ö", "ünïcödé token=<redacted> ö"),
            ("", ""), (":", ":"), ("token=", "token="), ("token:", "token:"), ("=", "="), ("Bearer ", "Bearer "), ("://", "://"),
        ] as [(String, String)])
    func `secrets in a text are redacted and the rest is kept`(text: String, expected: String) {
        #expect(Redaction.default.redacted(text: text) == expected)
    }
}
