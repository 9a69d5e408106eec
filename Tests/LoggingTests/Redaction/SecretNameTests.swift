import Foundation
import NetworkLogging
import Testing

struct SecretNameTests {
    @Test(arguments: [
        "Authorization", "authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "SET-COOKIE2", "Authentication-Info",
        "Proxy-Authentication-Info", "X-Api-Key", "X-API-Key", "apikey", "X-Goog-Api-Key", "X-Auth", "X-Auth-Token", "X-Auth-Key",
        "X-AuthKey", "X-Amz-Security-Token", "X-CSRF-Token", "X-XSRF-TOKEN", "PRIVATE-TOKEN", "X-Vault-Token", "X-Client-Secret",
        "X-Session-Id", "X-Hub-Signature-256", "X-Amz-Credential", "X-Password", "X-Functions-Key",
        "Ocp-Apim-Subscription-Key", "DPoP", "X-OTP", "X-Original-Authorization", "X-Client-Cert", "X-SSL-Client-Cert",
        "X-Forwarded-Client-Cert", "Client-Cert-Chain", "X-ARR-ClientCert",
    ])
    func `a header with a secret name is secret`(name: String) {
        #expect(Redaction.isSecret(header: name))
    }

    @Test(arguments: [
        "Content-Type", "Content-Length", "Accept", "Accept-Encoding", "ETag", "If-None-Match", "WWW-Authenticate",
        "Proxy-Authenticate", "Host", "User-Agent", "Location", "Referer", "Cache-Control", "Date", "Range", "Vary",
        "Access-Control-Allow-Credentials", "Idempotency-Key", "Retry-After", "X-Request-Id", "X-Author", "Allow", "Link",
        "Sec-WebSocket-Key", "Traceparent", "Content-Disposition", "", ":authority",
    ])
    func `a header with another name is not secret`(name: String) {
        #expect(!Redaction.isSecret(header: name))
    }

    @Test(arguments: [
        "access_token", "accessToken", "Access-Token", "ACCESS_TOKEN", "refresh_token", "id_token", "token", "tokens", "api_key",
        "apiKey", "apikey", "key", "KEY", "password", "passwd", "pwd", "newPassword", "secret", "client_secret", "clientSecret",
        "signature", "sig", "code", "session", "sessionid", "session_id", "JSESSIONID", "PHPSESSID_session", "jwt", "auth",
        "authorization", "credential", "credentials", "private_key", "pin", "otp", "smsOtp", "X-Amz-Signature",
        "X-Amz-Credential", "X-Goog-Signature", "user[password]", "user[code]", "user.key", "/token", "code_verifier",
        "pass\u{0}word", "p\u{200B}assword_secret", "error_token", "failed_password", "me@db.password", "token@", "@token",
        "a@token@b.c",
    ])
    func `a field with a secret name is secret`(name: String) {
        #expect(Redaction.isSecret(field: name))
    }

    @Test(arguments: [
        "name", "id", "author", "authors", "authority", "keyboard", "monkey", "encode", "zipcode", "statusCode", "country_code",
        "page", "limit", "token_type", "expires_in", "shipping", "spin", "design", "passenger", "compass", "q", "",
        "max_tokens", "promptTokens", "session_count", "token_expires_in", "password-length", "auth_required",
        "secretVersionsTotal",
        "nextPageToken", "isAuthenticated", "unauthorized", "pass_rate", "passed",
        "authenticationFailed", "TokenError", "sessionClosed", "invalid_token", "session@example.com",
        "password-reset@auth.example",
    ])
    func `a field with another name is not secret`(name: String) {
        #expect(!Redaction.isSecret(field: name))
    }

    @Test func `key and code are secret in queries and forms only`() {
        for name in ["key", "code", "user.key", "item[code]"] {
            #expect(Redaction.default.isSecret(field: name) && !Redaction.default.isSecret(member: name), "\(name)")
        }
    }

    @Test func `what is no secret is kept, and a secret object or array keeps its structure`() {
        let rows: [(String, String?)] = [
            (#"{"code":"model_not_found","key":"title","max_tokens":5}"#, nil),
            (
                #"{"session":{"id":"a","n":[1,true,null]},"b":"c"}"#,
                #"{"session":{"id":"<redacted>","n":["<redacted>",true,null]},"b":"c"}"#
            ),
            (#"{"tokens":["a",{"b":"c"}],"d":"e"}"#, #"{"tokens":["<redacted>",{"b":"<redacted>"}],"d":"e"}"#),
            (#"{"grant_type":"x","code":"a"}"#, #"{"grant_type":"x","code":"<redacted>"}"#),
        ]
        for (body, expected) in rows {
            #expect(Redaction.default.redactedContent(Data(body.utf8), contentType: "application/json") == expected)
        }
    }

    @Test func `names can be taken from the built-in rules`() {
        let redaction = Redaction(
            extraFieldNames: ["pin"], openHeaderNames: ["X-Session"], openFieldNames: ["session", "PIN", "tokens", "key"])
        #expect(!redaction.isSecret(header: "x_session") && redaction.isSecret(header: "X-Session-Id"))
        #expect(
            !redaction.isSecret(field: "session") && !redaction.isSecret(field: "user[session]")
                && redaction.isSecret(field: "sessionid"))
        #expect(redaction.isSecret(member: "pin"))
        let body = #"{"session":{"id":"a"},"tokens":["b"],"pin":"1","sid":"2"}"#
        #expect(
            redaction.redactedContent(Data(body.utf8), contentType: "application/json")
                == #"{"session":{"id":"a"},"tokens":["b"],"pin":"<redacted>","sid":"<redacted>"}"#)
        #expect(redaction.redacted(url: "https://x/?key=a&token=b") == "https://x/?key=a&token=<redacted>")
    }

    @Test func `names can be added and are compared like the built-in ones`() {
        let redaction = Redaction(extraHeaderNames: ["X-Customer", "ETag"], extraFieldNames: ["customer_number"])
        #expect(redaction.isSecret(header: "x-customer"))
        #expect(redaction.isSecret(header: "ETag"))
        #expect(redaction.isSecret(field: "CustomerNumber"))
        #expect(redaction.isSecret(field: "order[customer-number]"))
        #expect(redaction.isSecret(header: "Authorization"))
        #expect(!Redaction.isSecret(field: "customer_number"))
        #expect(
            redaction.redacted(text: "customer number is shown, customer_number=1 is not")
                == "customer number is shown, customer_number=<redacted> is not")
    }
}
