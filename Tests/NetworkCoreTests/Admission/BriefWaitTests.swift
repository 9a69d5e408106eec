#if os(Linux)
    import Testing

    @testable import NetworkEngine
    @testable import NetworkTransport

    struct BriefWaitTests {
        @Test func `while responses arrive immediately, every exchange waits briefly for one`() {
            var wait = BriefWait()
            for number in 0..<100 {
                let isDue = wait.isDue()
                #expect(isDue && wait.isReliable == (number >= 3))
                wait.note(isHit: true)
            }
        }

        @Test func `if responses never arrive immediately, about one exchange in 1024 waits briefly`() {
            var wait = BriefWait()
            let tries = (0..<100_000).count { _ in
                guard wait.isDue() else { return false }
                wait.note(isHit: false)
                return true
            }
            #expect((100...110).contains(tries) && !wait.isReliable)
        }

        @Test func `after one immediate response, the next exchange waits briefly again`() {
            var wait = BriefWait()
            for _ in 0..<5000 where wait.isDue() { wait.note(isHit: false) }
            while !wait.isDue() {}
            wait.note(isHit: true)
            let isDue = wait.isDue()
            #expect(isDue)
        }
    }
#endif
