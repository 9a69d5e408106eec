import Testing

@testable import NetworkCore

struct BriefWaitTests {
    @Test func `responses that come at once are looked for each time`() {
        var wait = BriefWait()
        for number in 0..<100 {
            let isDue = wait.isDue()
            #expect(isDue && wait.isReliable == (number >= 3))
            wait.note(isHit: true)
        }
    }

    @Test func `a server that is far away is tried once in 1024 exchanges`() {
        var wait = BriefWait()
        let tries = (0..<100_000).count { _ in
            guard wait.isDue() else { return false }
            wait.note(isHit: false)
            return true
        }
        #expect((100...110).contains(tries) && !wait.isReliable)
    }

    @Test func `one response in time is enough to look for the next`() {
        var wait = BriefWait()
        for _ in 0..<5000 where wait.isDue() { wait.note(isHit: false) }
        while !wait.isDue() {}
        wait.note(isHit: true)
        let isDue = wait.isDue()
        #expect(isDue)
    }
}
