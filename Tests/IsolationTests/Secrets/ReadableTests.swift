import Foundation
import NetworkLogging
import Testing

/// Values that are needed for debugging are shown, and values with secret names are redacted.
struct ReadableTests {
    static let readable: [(body: String, type: String)] = [
        (#"{"code": 404}"#, "application/json"), (#"{"error": {"code": "model_not_found", "key": "title"}}"#, "application/json"),
        (#"{"code": -32601, "message": "no such method"}"#, "application/json"),
        (#"{"max_tokens": 4096, "temperature": 0.5}"#, "application/json"), (#"{"session_count": 3}"#, "application/json"),
        (#"{"usage": {"prompt_tokens": 7, "completion_tokens": 9, "total_tokens": 16}}"#, "application/json"),
        (#"{"authenticated": true, "password_required": false}"#, "application/json"), (#"{"token": null}"#, "application/json"),
        (#"{"next_page_token": "CAEQAA", "items": []}"#, "application/json"),
        (#"{"nextPageToken": "CAEQAA"}"#, "application/json"),
        (#"{"token_type": "Bearer", "expires_in": 3600}"#, "application/json"),
        (#"{"token_expires_in": 3600}"#, "application/json"),
        (#"{"name": "Anna", "value": 7}"#, "application/json"), (#"[{"name": "size", "value": "large"}]"#, "application/json"),
        (#"{"author": "Anna", "passenger": 1, "keyboard": "de", "monkey": 1, "compass": "N", "basalt": 2}"#, "application/json"),
        (#"{"error_code": "E42", "country_code": "DE", "zip_code": "10115", "status_code": 401}"#, "application/json"),
        (#"{"primary_key": 7, "sort_key": "a", "public_key": "x", "pinned": true, "spin": 2}"#, "application/json"),
        ("max_tokens=100&page_token=CAEQAA&authenticated=true", "application/x-www-form-urlencoded"),
        ("<key>CFBundleName</key><string>App</string>", "text/xml"), ("name: size\nvalue: large\n", "application/yaml"),
        ("session_count: 3\nmax_tokens: 5\n", "application/yaml"),
    ]

    static let hidden: [(body: String, type: String)] =
        fieldNames.map { (#"{"\#($0)": "CANARY"}"#, "application/json") } + [
            (#"[{"name": "password", "value": "CANARY"}]"#, "application/json"),
            (#"[{"value": "CANARY", "name": "password"}]"#, "application/json"),
            (#"[{"value": "CANARY", "enabled": true, "key": "api_token"}]"#, "application/json"),
            (#"[{"name": "Authorization", "value": "CANARY"}, {"name": "a", "value": 1}]"#, "application/json"),
            (#"{"name": "token", "meta": {"name": "x", "value": 1}, "value": ["CANARY"]}"#, "application/json"),
            (#"{"grant_type": "authorization_code", "code": "CANARY"}"#, "application/json"),
            ("key=CANARY&code=CANARY", "application/x-www-form-urlencoded"), (#"{"pin": 12345678}"#, "application/json"),
            ("<plist><dict><key>password</key><string>CANARY</string></dict></plist>", "application/x-plist"),
            ("<plist><dict><key>password</key>\n  <data>\nCANARY\n</data></dict></plist>", "text/xml"),
            (#"<add key="Password" value="CANARY"/>"#, "text/xml"), (#"<string name="api_token">CANARY</string>"#, "text/xml"),
            (#"<setting><name>secret</name><value>CANARY</value></setting>"#, "text/xml"),
            ("password: CANARY\n", "application/yaml"), ("password: |\n  CANARY\n  CANARY\nuser: a\n", "application/yaml"),
            ("db:\n  password: >-\n    CANARY\n  user: a\n", "application/yaml"),
            ("tokens:\n- CANARY\n- CANARY\n", "application/yaml"),
            ("- name: password\n  value: CANARY\n", "application/yaml"),
            ("- value: CANARY\n  name: api_key\n", "application/yaml"),
            ("password:\n  CANARY\n", "text/plain"), ("{\"a\": 1, \"password\": \"CANA", "application/json"),
        ]

    private static let fieldNames = [
        "passcode", "passkey", "pw", "app_key", "client_key", "consumerKey", "license_key", "licenceKey", "storage_key",
        "ssh_key",
        "psk", "pre_shared_key", "salt", "mnemonic", "seed_phrase", "connection_string", "dsn", "recovery_code", "backup_codes",
        "verificationCode", "activation_code", "security_answer", "magic_link", "card_number", "cvv", "cvc", "ssn", "iban",
        "credit_card", "PHPSESSID", "webhook_key", "pem", "hmac", "account_number", "passwort",
    ]

    @Test(arguments: readable.indices)
    func `a value that is not secret is shown`(index: Int) {
        let (body, type) = Self.readable[index]
        #expect(Redaction.default.redacted(body: Data(body.utf8), contentType: type) == body)
    }

    @Test(arguments: hidden.indices)
    func `a value with a secret name is redacted`(index: Int) {
        let (body, type) = Self.hidden[index]
        let text = Redaction.default.redacted(body: Data(body.utf8), contentType: type)
        #expect(!text.contains("CANA") && !text.contains("12345678"), "\(text)")
        if !body.hasSuffix("CANA") { #expect(text.contains(Redaction.placeholder), "\(text)") }
    }

    @Test(arguments: ["page_token=CAEQAA", "max_tokens=5", "authenticated=true", "sort_key=a"])
    func `a query item that is not secret is shown`(item: String) {
        #expect(Redaction.default.redacted(url: "https://api.test/a?\(item)&b=1") == "https://api.test/a?\(item)&b=1")
    }
}
