import Endpoints
import Foundation
import NetworkCore
import NetworkTesting
import NetworkWebSocket
import TransferTestSupport
import Testing

private struct Review: Codable, Sendable, Equatable { var stars: Int }

/// The sample of the documentation, with a server that speaks graphql-transport-ws.
@Suite(.timeLimit(.minutes(10))) struct GraphQLSubscriptionsTests {
    /// The types of the messages of the client, in their order.
    private let received = Watched<[String]>([])

    private func server(isAcknowledged: Bool = true) throws -> LoopbackServer {
        let received = received
        return try LoopbackServer {
            LoopbackRoute.webSocket("/graphql", subprotocols: ["graphql-transport-ws"]) { socket, _ in
                for try await message in socket.messages(as: .json(GraphQLSubscriptions.Message<GraphQLSubscriptions.Query>.self))
                {
                    received.withLock { $0.append(message.type) }
                    let id = message.id ?? ""
                    switch (message.type, message.payload?.query) {
                    case ("connection_init", _):
                        try await socket.send(.text(isAcknowledged ? #"{"type":"connection_ack"}"# : #"{"type":"no"}"#))
                        try await socket.send(.text(#"{"type":"ping"}"#))
                    case ("subscribe", "subscription { stars }"):
                        for stars in 4...5 {
                            try await socket.send(
                                .text(#"{"id":"\#(id)","type":"next","payload":{"data":{"stars":\#(stars)}}}"#))
                        }
                        try await socket.send(.text(#"{"id":"\#(id)","type":"complete"}"#))
                    case ("subscribe", "endless"):
                        try await socket.send(.text(#"{"id":"\#(id)","type":"next","payload":{"data":{"stars":1}}}"#))
                    case ("subscribe", "partial"):
                        try await socket.send(
                            .text(#"{"id":"\#(id)","type":"next","payload":{"data":null,"errors":[{"message":"hidden"}]}}"#))
                    case ("subscribe", "leave"):
                        return await socket.close(WebSocketCloseCode(rawValue: 4403), reason: "Forbidden")
                    case ("subscribe", _):
                        try await socket.send(.text(#"{"id":"\#(id)","type":"error","payload":[{"message":"unknown field"}]}"#))
                    default: break
                    }
                }
            }
        }
    }

    private func client(_ server: LoopbackServer) async throws -> GraphQLSubscriptions {
        try await GraphQLSubscriptions(
            DefaultNetworkService(configuration: APIConfiguration(baseURL: server.url)), path: "graphql")
    }

    @Test func `results arrive until the server completes the subscription, and pings have pongs`() async throws {
        let server = try server()
        let service = DefaultNetworkService(configuration: APIConfiguration(baseURL: server.url))
        var reviews: [Review] = []
        let client = try await GraphQLSubscriptions(service, path: "graphql")
        let running = Task { await client.run() }
        let query = GraphQLSubscriptions.Query(query: "subscription { stars }")
        let results = try await client.results(of: query, as: Review.self)
        for try await review in results { reviews.append(review) }
        #expect(reviews == [Review(stars: 4), Review(stars: 5)])
        await received.wait { $0.contains("pong") }
        await client.close()
        await running.value
        #expect(Set(received.withLock(\.self)) == ["connection_init", "subscribe", "pong"])
    }

    @Test(arguments: [("wrong", "unknown field"), ("partial", "hidden")])
    func `an error ends its subscription, and not the others`(query: String, message: String) async throws {
        let server = try server()
        let client = try await client(server)
        let running = Task { await client.run() }
        var endless = try await client.results(of: .init(query: "endless"), as: Review.self).makeAsyncIterator()
        await #expect {
            for try await _ in try await client.results(of: .init(query: query), as: Review.self) {}
        } throws: {
            ($0 as? GraphQLSubscriptions.Failure)?.message == message
        }
        #expect(try await endless.next() == Review(stars: 1))
        await client.close()
        await running.value
        #expect(try await endless.next() == nil)
    }

    @Test func `releasing the results completes the subscription`() async throws {
        let server = try server()
        let client = try await client(server)
        let running = Task { await client.run() }
        for try await _ in try await client.results(of: .init(query: "endless"), as: Review.self) { break }
        await received.wait { $0.contains("complete") }
        await client.close()
        await running.value
    }

    @Test func `the server's close code ends all subscriptions`() async throws {
        let server = try server()
        let client = try await client(server)
        let running = Task { await client.run() }
        await #expect {
            for try await _ in try await client.results(of: .init(query: "leave"), as: Review.self) {}
        } throws: {
            ($0 as? WebSocketError)?.closeCode?.rawValue == 4403
        }
        await running.value
    }

    @Test func `a connection that is not acknowledged is an error`() async throws {
        let server = try server(isAcknowledged: false)
        await #expect(throws: GraphQLSubscriptions.Failure.self) { try await client(server) }
    }
}
