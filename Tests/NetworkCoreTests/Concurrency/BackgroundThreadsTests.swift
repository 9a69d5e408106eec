import Testing

@testable import NetworkTransport

@Suite(.timeLimit(.minutes(10))) struct BackgroundThreadsTests {
    private final class Used: Sendable {
        func use() {}
    }

    @Test func `what work has used is released when its caller continues`() async {
        for _ in 0..<2_000 {
            weak var first: Used?
            weak var second: Used?
            do {
                let (object, other) = (Used(), Used())
                (first, second) = (object, other)
                await BackgroundThreads.files.perform { object.use() }
                await BackgroundThreads.files.value { other.use() }
            }
            guard first == nil, second == nil else {
                Issue.record("a thread still refers to it")
                return
            }
        }
    }
}
