import Endpoints
import Testing

@testable import NetworkTransport
@testable import NetworkURLSession

extension URLSessionTests {
    @Suite struct URLSessionActivityTests {
        private static let millisecond: UInt64 = 1_000_000

        private func activity(_ timeouts: RequestTimeouts) throws -> URLSessionActivity {
            var request = try NetworkRequest.unsent()
            request.timeouts = timeouts
            return URLSessionActivity(request, limits: SessionConfiguration(), now: 1000 * Self.millisecond)
        }

        @Test func `the time in the queue is limited only by the total timeout`() throws {
            #expect(try activity(RequestTimeouts(idle: .milliseconds(1))).deadline(at: 0) == .max)
            #expect(try activity(RequestTimeouts(total: .milliseconds(5))).deadline(at: 0) == 1005 * Self.millisecond)
        }

        @Test func `the idle timeout starts with the exchange and restarts with each activity`() throws {
            var activity = try activity(RequestTimeouts(idle: .milliseconds(50)))
            activity.launch(at: 2000 * Self.millisecond)
            #expect(activity.deadline(at: 0) == 2050 * Self.millisecond && activity.phase == nil)
            activity.move(to: .receive, at: 2049 * Self.millisecond)
            #expect(activity.deadline(at: 0) == 2099 * Self.millisecond && activity.phase == .receive)
        }

        @Test func `while a task waits for a network, the idle timeout does not run`() throws {
            var activity = try activity(RequestTimeouts(idle: .milliseconds(50), total: .seconds(60)))
            activity.launch(at: 2000 * Self.millisecond)
            activity.waitForNetwork()
            #expect(activity.deadline(at: 9000 * Self.millisecond) == 9050 * Self.millisecond)
            #expect(activity.deadline(at: 60_990 * Self.millisecond) == 61_000 * Self.millisecond)
            activity.move(to: .receive, at: 9000 * Self.millisecond)
            #expect(activity.deadline(at: 9040 * Self.millisecond) == 9050 * Self.millisecond)
        }

        @Test func `the connect timeout of a request ends with the first activity`() throws {
            var activity = try activity(RequestTimeouts(connect: .milliseconds(7), idle: .milliseconds(50)))
            activity.launch(at: 2000 * Self.millisecond)
            #expect(activity.deadline(at: 0) == 2007 * Self.millisecond)
            activity.move(to: .send, at: 2006 * Self.millisecond)
            #expect(activity.deadline(at: 0) == 2056 * Self.millisecond)
        }

        @Test func `activity does not extend the total timeout`() throws {
            var activity = try activity(RequestTimeouts(total: .milliseconds(1010)))
            activity.launch(at: 2000 * Self.millisecond)
            activity.move(to: .receive, at: 2009 * Self.millisecond)
            #expect(activity.deadline(at: 0) == 2010 * Self.millisecond)
        }

        @Test func `activity after the end of an exchange is ignored`() throws {
            var activity = try activity(RequestTimeouts())
            activity.launch(at: 2000 * Self.millisecond)
            activity.enterQueue(at: 0)
            activity.move(to: .receive, at: 2009 * Self.millisecond)
            #expect(activity.phase == .queued && activity.deadline(at: 0) == .max)
        }
    }
}
