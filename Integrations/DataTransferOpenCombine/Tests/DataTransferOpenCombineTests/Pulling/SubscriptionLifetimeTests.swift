import DataTransferOpenCombine
import Foundation
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SubscriptionLifetimeTests {
    /// Returns once nobody holds the object any more, or the test is over its time.
    private func waitForRelease(_ object: @Sendable () -> AnyObject?) async -> Bool {
        while object() != nil {
            if Task.isCancelled { return false }
            await Task.yield()
        }
        return true
    }

    private final class Weak<Object: AnyObject>: @unchecked Sendable {
        weak var object: Object?
        init(_ object: Object?) { self.object = object }
    }

    @Test func `subscriber and subscription are released after the end`() async {
        let session = StubSessionManager()
        session.route(.text("1\n2"), for: "/a")
        let service = DefaultDataTransferService.make(session)
        let (subscriber, subscription) = await {
            let subscriber = RecordingSubscriber<String, DataTransferError>(.none)
            service.streamPublisher(Endpoint<Void>(path: "a"), as: .lines()).subscribe(subscriber)
            let subscription = Weak(subscriber.record.withLock { $0.subscription as AnyObject? })
            #expect(subscription.object != nil)
            subscriber.request(.unlimited)
            await subscriber.waitForEnd()
            return (Weak(subscriber), subscription)
        }()
        #expect(await waitForRelease { subscriber.object })
        #expect(await waitForRelease { subscription.object })
    }

    @Test func `subscriber and subscription are released after a failure, and after a cancellation under way`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.get, "/missing") { _ in .status(404) }
            LoopbackRoute(.get, "/stalled") { _ in LoopbackResponse.text("").fault(.stall) }
        }
        let service = DefaultDataTransferService.make(server.url)
        let failed = await Weak(service.requestPublisher(Endpoint<Void>(path: "missing")).recorded())
        #expect(await waitForRelease { failed.object })
        let cancelled = await {
            let subscriber = RecordingSubscriber<Void, DataTransferError>()
            service.requestPublisher(Endpoint<Void>(path: "stalled")).subscribe(subscriber)
            await server.waitForRequests(count: 2)
            subscriber.cancel()
            subscriber.record.withLock { $0.subscription = nil }
            return Weak(subscriber)
        }()
        #expect(await waitForRelease { cancelled.object })
    }

    @Test func `a cancelled subscription releases its subscriber even if it is still retained itself`() async {
        let (subscription, subscriber) = {
            let subscriber = RecordingSubscriber<String, DataTransferError>(.none)
            DefaultDataTransferService.make(StubSessionManager())
                .streamPublisher(Endpoint<Void>(path: "a"), as: .lines()).subscribe(subscriber)
            return (subscriber.record.withLock { $0.subscription }, Weak(subscriber))
        }()
        #expect(subscriber.object != nil)
        subscription?.cancel()
        #expect(subscriber.object == nil)
    }
}
