import Testing

@testable import NetworkLogging

struct SecretValuesTests {
    /// Runs in a separate process, because the secret values of other tests would be removed.
    @Test func `a credential that is sent again and again stays secret, however many other values are added`() async {
        await #expect(processExitsWith: .success) {
            for number in 0..<9000 {
                SecretValues.insert(fieldValue: "Bearer first-credential", named: "Authorization")
                SecretValues.insert("another-value-\(number)")
                if number % 500 == 499 {
                    #expect(SecretValues.masked("x first-credential y") == "x \(Redaction.placeholder) y")
                    #expect(SecretValues.masked("x another-value-\(number) y") == "x \(Redaction.placeholder) y")
                }
            }
            #expect(SecretValues.masked("x another-value-7 y") == "x another-value-7 y")
        }
    }

    @Test func `the same value is taken apart for each field that it occurs in`() {
        SecretValues.insert(fieldValue: "Scheme opaque-part-81", named: "X-Token")
        #expect(SecretValues.masked("a opaque-part-81 b") == "a opaque-part-81 b")
        SecretValues.insert(fieldValue: "Scheme opaque-part-81", named: "Authorization")
        #expect(SecretValues.masked("a opaque-part-81 b") == "a \(Redaction.placeholder) b")
    }

    @Test func `the parts of a field are secret whatever characters combine with its delimiters`() {
        SecretValues.insert(fieldValue: "a=first-value-91;\u{301}b=\u{301}second-value-92", named: "Cookie")
        SecretValues.insert(userInformation: "user:\u{301}password-93")
        SecretValues.insert(fieldValue: "Scheme e\u{301}-part-94", named: "Authorization")
        SecretValues.insert(fieldValue: "Scheme \u{E9}-part-94", named: "Authorization")
        for secret in ["first-value-91", "\u{301}second-value-92", "\u{301}password-93", "e\u{301}-part-94", "\u{E9}-part-94"] {
            #expect(SecretValues.masked("x \(secret) y").utf8.elementsEqual("x \(Redaction.placeholder) y".utf8), "\(secret)")
        }
    }
}
