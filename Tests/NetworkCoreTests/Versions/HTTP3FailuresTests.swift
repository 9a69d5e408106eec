import Testing

@testable import NetworkEngine

/// How long an origin is remembered whose server was not reached over HTTP/3.
struct HTTP3FailuresTests {
    @Test func `an origin is remembered until its time is over, or its server was reached`() {
        var failures = HTTP3Failures()
        #expect(!failures.contains("a", at: 0))
        failures.note("a", at: 10)
        failures.note("b", at: 10)
        #expect(
            failures.contains("a", at: 9 + HTTP3Failures.lifetime) && !failures.contains("a", at: 10 + HTTP3Failures.lifetime))
        failures.remove("a")
        #expect(!failures.contains("a", at: 10) && failures.contains("b", at: 10))
    }

    @Test func `the number of origins is limited`() {
        var failures = HTTP3Failures()
        for number in 0..<HTTP3Failures.maximum { failures.note("\(number)", at: 0) }
        #expect(failures.contains("0", at: 0))
        failures.note("0", at: 1)
        #expect(failures.contains("1", at: 1))
        failures.note("one more", at: 1)
        #expect(!failures.contains("0", at: 1) && failures.contains("one more", at: 1))
    }
}
