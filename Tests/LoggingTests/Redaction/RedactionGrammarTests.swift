import Foundation
import NetworkLogging
import Testing
import TestSupport

/// The grammar of SECURITY.md: each name in each form, with each quoting, in each encoding, and cut at each byte.
struct RedactionGrammarTests {
    private static let value = "Mx7QvRt2Ks"
    private static let secretNames = ["password", "access_token", "apiKey", "client-secret", "SESSIONID", "X-Client-Cert"]
    private static let harmlessNames = ["title", "page_size", "author", "max_tokens", "user-agent", "compass"]

    struct Form: Sendable {
        let text: @Sendable (_ name: String, _ value: String) -> String
        /// Whether the name comes before the value, so that a cut cannot separate the value from its name.
        var isNameFirst = true
        /// Whether the form has a structure that an encoding of all characters would destroy.
        var type: String?
    }

    private static let forms: [String: Form] = [
        "pair": Form { "\($0)=\($1) end" }, "spaced pair": Form { "\($0) = \($1)" },
        "single quotes": Form { "\($0)='\($1)' end" },
        "double quotes": Form { "\($0)=\"\($1)\" end" }, "colon": Form { "\($0): \($1)\nend" },
        "arrow": Form { "\"\($0)\" => \"\($1)\"" },
        "query": Form { "https://x.test/?a=1&\($0)=\($1)&b=2" }, "fragment": Form { "https://x.test/#\($0)=\($1)" },
        "matrix": Form { "https://x.test/a;\($0)=\($1)" }, "option": Form { "run --\($0) \($1) end" },
        "quoted option": Form { "run --\($0) '\($1)' end" },
        "JSON": Form { "{\"a\":1,\"\($0)\":\"\($1)\",\"b\":2}" }, "JSON array": Form { "{\"\($0)\":[1,[\"\($1)\"]]}" },
        "JSON object": Form { "{\"\($0)\":{\"a\":{\"b\":\"\($1)\"}}}" }, "escaped JSON": Form { "{\\\"\($0)\\\":\\\"\($1)\\\"}" },
        "JSON pair": Form { "[{\"name\":\"\($0)\",\"value\":\"\($1)\"}]" },
        "JSON key": Form { "{\"key\":\"\($0)\",\"val\":\"\($1)\"}" },
        "JSON pair, value first": Form(
            text: { "[{\"value\":\"\($1)\",\"a\":1,\"b\":{\"c\":[]},\"d\":2,\"e\":3,\"f\":4,\"name\":\"\($0)\"}]" },
            isNameFirst: false),
        "JSON key, value first": Form(text: { "{\"v\":\"\($1)\",\"k\":\"\($0)\"}" }, isNameFirst: false),
        "element": Form { "<a><\($0)>\($1)</\($0)></a>" }, "attribute": Form { "<a \($0)=\"\($1)\"/>" },
        "parameter": Form { "<param name=\"\($0)\" value=\"\($1)\"/>" },
        "single-quoted parameter": Form { "<add key='\($0)' type='x' value='\($1)'/>" },
        "parameter, value first": Form(text: { "<param value=\"\($1)\" type=\"x\" name=\"\($0)\"/>" }, isNameFirst: false),
        "spaced parameter": Form(text: { "<param value = '\($1)'\n name = '\($0)' />" }, isNameFirst: false),
        "property list": Form { "<dict><key>\($0)</key> <string>\($1)</string></dict>" },
        "name and value": Form { "<s><name>\($0)</name><value>\($1)</value></s>" },
        "value and name": Form(text: { "<s><value>\($1)</value><name>\($0)</name></s>" }, isNameFirst: false),
        "YAML block": Form { "\($0): |\n  \($1)\nend: 1" }, "YAML list": Form { "\($0):\n- \($1)\n" },
        "YAML pair": Form { "- name: \($0)\n  value: \($1)\n" },
        "YAML pair, value first": Form(text: { "- value: \($1)\n  name: \($0)\n" }, isNameFirst: false),
        "CSV": Form { "id,\($0),note\n1,\($1),x\n2,\($1),y\n" },
        "quoted CSV": Form { "\"id\";\"\($0)\"\r\n\"a;b\";\"\($1)\"\r\n" },
        "TSV": Form { "\($0)\tid\n\($1)\t\"a\nb\"\n\($1)\t2\n" },
        "form": Form(text: { "a=1&\($0)=\($1)&b=2" }, type: "application/x-www-form-urlencoded"),
        "multipart": Form(
            text: { "--b\r\nContent-Disposition: form-data; name=\"\($0)\"\r\n\r\n\($1)\r\n--b--\r\n" },
            type: "multipart/form-data; boundary=b"),
    ]

    private static func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

    /// Encodings of a name, and of a whole text.
    private static let nameEncodings: [String: @Sendable (String) -> String] = [
        "plain": { $0 }, "upper case": { $0.uppercased() },
        "hexadecimal references": { $0.utf8.map { "&#x000000\(hex($0));" }.joined() },
        "decimal references": { $0.utf8.map { "&#000\($0);" }.joined() },
        "percent": { $0.utf8.map { "%" + hex($0) }.joined() }, "double percent": { $0.utf8.map { "%25" + hex($0) }.joined() },
        "JSON escapes": { $0.utf8.map { "\\u00" + hex($0) }.joined() },
    ]
    private static let textEncodings: [String: @Sendable (String) -> String] = [
        "percent": { $0.utf8.map { "%" + hex($0) }.joined() }, "references": { $0.utf8.map { "&#\($0);" }.joined() },
        "JSON string": { String(decoding: try! JSONEncoder().encode($0), as: UTF8.self) },
    ]

    private static func shown(_ text: String, _ form: Form) -> [String] {
        let body = Redaction.default.redacted(body: Data(text.utf8), contentType: form.type, maximumBytes: 1 << 20)
        return form.type == nil ? [body, Redaction.default.redacted(text: text)] : [body]
    }

    @Test func `no form of a secret shows its value, in no encoding and cut nowhere`() {
        for (formName, form) in Self.forms {
            for name in Self.secretNames {
                for (encoding, encode) in Self.nameEncodings where form.type == nil || encoding == "plain" {
                    let text = form.text(encode(name), Self.value)
                    for shown in Self.shown(text, form) {
                        #expect(!shown.contains(Self.value), "\(formName), \(encoding): \(text) → \(shown)")
                    }
                }
                for (encoding, encode) in Self.textEncodings where form.type == nil {
                    let text = encode(form.text(name, Self.value))
                    for shown in Self.shown(text, form) {
                        let isShown = shown.contains(Self.value) || shown.contains(encode(Self.value).filter { $0 != "\"" })
                        #expect(!isShown, "\(formName), \(encoding): \(text) → \(shown)")
                    }
                }
            }
            guard form.isNameFirst else { continue }
            let text = form.text("password", Self.value)
            for count in 0..<text.utf8.count {
                let part = String(decoding: text.utf8.prefix(count), as: UTF8.self)
                for shown in Self.shown(part, form) {
                    #expect(!shown.contains(Self.value.prefix(4)), "\(formName): \(part) → \(shown)")
                }
            }
        }
    }

    @Test func `the same forms with other names are shown as they are`() {
        for (formName, form) in Self.forms where form.type == nil {
            for name in Self.harmlessNames {
                let text = form.text(name, Self.value)
                for shown in Self.shown(text, form) { #expect(shown == text, "\(formName)") }
            }
        }
    }

    @Test(arguments: [
        ("curl -u bob:SECRET https://x", false), ("curl -sSubob:SECRET x", false), ("curl -su 'bob:SE CRET' x", false),
        ("curl --user bob:SECRET x", false), ("curl --proxy-user=bob:SECRET x", false), ("$ curl x \\\n -U bob:SECRET", false),
        ("curl -b 'sid=SECRET; a=b' x", false), ("curl --oauth2-bearer SECRET x", false), ("curl --pass SECRET x", false),
        ("curl -E cert.pem:SECRET x", false), (#"["curl", "-u", "bob:SECRET"]"#, false), ("mysql --password SECRET", false),
        (#"["run", "--password", "SECRET"]"#, false), (#"["sort", "-u", "SECRET"]"#, true),
        ("sort -u SECRET", true), ("curl x\nsort -u SECRET", true), ("docker run --user SECRET", true), ("curl -XSECRET x", true),
        ("a - SECRET", true),
        ("-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----\nend", false),
        ("-----BEGIN RSA PRIVATE KEY-----\nSECRET", false),
        (#"{"a":"-----BEGIN OPENSSH PRIVATE KEY-----\nSECRET\n-----END OPENSSH PRIVATE KEY-----\n"}"#, false),
        ("-----BEGIN PGP PRIVATE KEY BLOCK-----\nSECRET\n-----END PGP PRIVATE KEY BLOCK-----", false),
        ("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nSECRET\n---- END SSH2 ENCRYPTED PRIVATE KEY ----", false),
        ("-----BEGIN CERTIFICATE-----\nSECRET\n-----END CERTIFICATE-----", true), ("-----BEGIN PUBLIC KEY-----\nSECRET", true),
        ("X-Forwarded-Client-Cert: By=a;Cert=\"SECRET\"\nend", false), ("X-Functions-Key: SECRET", false),
        (#"{"client_id":"a","code":"SECRET"}"#, false), (#"{"key":"SECRET","client_secret":"a"}"#, false),
        ("x?key=SECRET", false),
        ("grant_type=authorization_code&code=SECRET", false), ("code=SECRET&state=1", false),
        (#"{"error":{"code":"SECRET"}}"#, true),
        (#"{"key":"SECRET"}"#, true), ("code: SECRET", true), ("Code=SECRET", true), ("<code>SECRET</code>", true),
        (#"{"grant_type":"a","data":{"code":"SECRET"}}"#, true), ("Basic authentication SECRET", true), ("DPoP SECRET", false),
    ])
    func `other forms and what looks like them`(text: String, isShown: Bool) {
        for shown in [
            Redaction.default.redacted(text: text), Redaction.default.redacted(body: Data(text.utf8), contentType: nil),
        ] {
            #expect(shown.contains("SECRET") == isShown && !shown.contains("CRET'"), "\(shown)")
            #expect(!text.hasSuffix("end") || shown.hasSuffix("end"), "\(shown)")
        }
    }
}
