import Endpoints
import Foundation
import NetworkCore
import NetworkWebSocket

// The sample of the article "Subscriptions of GraphQL", which this file is compared with.

/// Subscriptions over one WebSocket, with the subprotocol graphql-transport-ws.
actor GraphQLSubscriptions {
    struct Query: Codable, Sendable {
        var query: String; var variables: [String: String] = [:]
    }
    struct Failure: Codable, Error { var message: String }
    struct Message<Payload: Codable & Sendable>: Codable, Sendable {
        var id: String?; var type: String; var payload: Payload?
    }
    private struct Execution<Value: Codable & Sendable>: Codable, Sendable {
        var data: Value?; var errors: [Failure]?
    }
    private struct Nothing: Codable, Sendable {}
    private struct Subscriber {
        var next: (Data) throws -> Void; var finish: ((any Error)?) -> Void
    }

    private let socket: WebSocket
    private let decoder = TransferJSONDecoder()
    private var subscribers: [String: Subscriber] = [:]
    private var lastID = 0

    /// Opens the WebSocket. Nothing is received before `run()`.
    init(_ service: some NetworkService, path: String) async throws {
        let options = WebSocketOptions {
            $0.subprotocols = ["graphql-transport-ws"]
        }
        socket = try await service.webSocket(
            for: Endpoint<Void>(path: path), options: options)
        try await socket.send(json: Message<Nothing>(type: "connection_init"))
        let first = try await socket.receive().map {
            try decoder.decode(Message<Nothing>.self, from: $0.data)
        }
        guard first?.type == "connection_ack" else {
            throw Failure(message: "the connection was not acknowledged")
        }
    }

    /// Passes results on until the WebSocket ends, then ends all subscriptions.
    func run() async {
        do {
            while let data = try await socket.receive()?.data {
                try await receive(data)
            }
            for subscriber in subscribers.values { subscriber.finish(nil) }
        } catch {
            for subscriber in subscribers.values { subscriber.finish(error) }
        }
        subscribers = [:]
    }

    private func receive(_ data: Data) async throws {
        let head = try decoder.decode(Head.self, from: data)
        let subscriber = head.id.flatMap { subscribers[$0] }
        switch head.type {
        case "next": try subscriber?.next(data)
        case "error":
            let failures = try decoder.decode(
                Message<[Failure]>.self, from: data)
            let unknown = Failure(message: "the subscription has failed")
            end(head.id, failures.payload?.first ?? unknown)
        case "complete": end(head.id, nil)
        case "ping": try await socket.send(json: Message<Nothing>(type: "pong"))
        default: break
        }
    }
    private struct Head: Codable { var id: String?; var type: String }

    private func end(_ id: String?, _ error: (any Error)?) {
        id.flatMap { subscribers.removeValue(forKey: $0) }?.finish(error)
    }

    /// The results of a subscription. Releasing the sequence ends it.
    /// At most 256 results are kept for a slow reader.
    func results<Value: Codable & Sendable>(
        of query: Query, as type: Value.Type
    ) async throws -> AsyncThrowingStream<Value, any Error> {
        lastID += 1
        let id = String(lastID)
        let (results, continuation) = AsyncThrowingStream.makeStream(
            of: type, bufferingPolicy: .bufferingNewest(256))
        subscribers[id] = Subscriber { [decoder] data in
            let result = try decoder.decode(
                Message<Execution<Value>>.self, from: data)
            if let value = result.payload?.data {
                return _ = continuation.yield(value)
            }
            let failure = result.payload?.errors?.first
            continuation.finish(
                throwing: failure ?? Failure(message: "the result has no data"))
        } finish: {
            continuation.finish(throwing: $0)
        }
        continuation.onTermination = { _ in
            Task { await self.unsubscribe(id) }
        }
        try await socket.send(
            json: Message(id: id, type: "subscribe", payload: query))
        return results
    }

    private func unsubscribe(_ id: String) async {
        guard subscribers.removeValue(forKey: id) != nil else { return }
        try? await socket.send(json: Message<Nothing>(id: id, type: "complete"))
    }

    func close() async { await socket.close() }
}
