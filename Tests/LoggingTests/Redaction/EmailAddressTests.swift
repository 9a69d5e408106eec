import Foundation
import NetworkLogging
import Testing

/// An e-mail address is not secret, nor is the text around it, whatever words are in it.
struct EmailAddressTests {
    private static let locals = ["anna", "anna.b+c", "token", "password-reset", "auth", "no-reply_session", "bearer"]
    private static let domains = ["example.com", "auth0.com", "session.example", "mail.password.example.org", "token.io"]
    private static let bodies: [(String?, String)] = [
        (nil, "Write to @@ for help.\nNext line: END"), (nil, "From: Support <@@>\nSubject: END"), (nil, "<@@> wrote: END"),
        (nil, "@@: END\nand more"), (nil, "@@:\n  - END"), (nil, "see https://example.com:8080/a and @@, END"),
        (nil, #"log: {"url":"http://gateway:http/v1","mail":"@@","next":"END"}"#), (nil, "<http://gateway:http/v1><@@> END"),
        ("application/json", #"{"mail":"@@","next":"END"}"#), ("application/json", #"{"@@":"END","n":[1]}"#),
        ("application/json", #"{"text":"From: Me <@@> END","n":1}"#), ("application/json", #"{"mail":"@@","next":"END"#),
        ("application/yaml", "contact: @@\nnext: END"), ("text/csv", "name,mail\nAnna,@@\nBob,END"),
        ("text/html", #"<a href="mailto:@@">@@</a> END"#), ("application/xml", "<mail>@@</mail><a>END</a>"),
        ("application/x-www-form-urlencoded", "mail=@@&next=END"),
    ]

    @Test func `a body with an e-mail address is shown as it is`() {
        for local in Self.locals {
            for domain in Self.domains {
                for (type, template) in Self.bodies {
                    let body = template.replacing("@@", with: "\(local)@\(domain)")
                    let shown = Redaction.default.redacted(body: Data(body.utf8), contentType: type)
                    #expect(shown == body)
                }
            }
        }
    }

    @Test func `what only looks like an e-mail address is redacted`() {
        for text in [
            "https://anna:pa/hunter2@host/", "https://anna:hunter2@host.example/", "x@db.password: hunter2", "@token: hunter2",
            "anna@example.com\ntoken: hunter2", "<password>hunter2</password>", #"{"token@": "hunter2"}"#, "me@token=hunter2",
        ] {
            #expect(!Redaction.default.redacted(body: Data(text.utf8), contentType: nil).contains("hunter2"), "\(text)")
        }
    }
}
