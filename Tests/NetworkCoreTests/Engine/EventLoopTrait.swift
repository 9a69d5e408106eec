#if os(Linux)
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// Runs each test of a suite twice: as it is, and with each request on the thread of its event loop (`session.executors`).
    ///
    /// `.ci/run executors` runs all tests of the engine on event loops.
    struct EventLoopTrait: SuiteTrait, TestTrait, TestScoping {
        var isRecursive: Bool { true }

        func scopeProvider(for test: Test, testCase: Test.Case?) -> EventLoopTrait? {
            testCase == nil ? nil : self
        }

        func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
        ) async throws {
            try await function()
            guard SessionKind.current == .standard else { return }
            try await SocketSessionManager.$sendsOnEventLoops.withValue(true) { try await function() }
        }
    }

    extension Trait where Self == EventLoopTrait {
        /// Runs each test of a suite a second time with each request on the thread of its event loop.
        static var alsoOnEventLoops: Self { EventLoopTrait() }
    }
#endif
