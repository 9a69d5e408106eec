import DataTransferMacros
import Foundation

// A model that streams its text (OpenAI and others), and a feed of events.

struct ChatMessage: Codable, Sendable {
    var role: String
    var content: String
}

struct Completion: Decodable, Sendable {
    let id: String
}

@API
struct Chat: ChatProtocol {
    @POST("v1/chat/completions", timeout: .seconds(120))
    func complete(model: String, messages: [ChatMessage], temperature: Double? = nil) async throws -> Completion
    @STREAM("v1/chat/completions", as: .serverSentEvents(), method: .post)
    func stream(model: String, messages: [ChatMessage], stream: Bool = true) async throws -> ValueStream<ServerSentEvent>
    @GET("v1/models", keyPath: "data") func models() async throws -> [Completion]
    @DELETE("v1/models/{id}") func delete(id: String) async throws
}

@API
struct Feed: FeedProtocol {
    @EVENTS("feed/{topic}")
    func events(
        topic: String, @Header("X-Client") client: String, options: EventStreamOptions = EventStreamOptions(),
        lastEventID: String = ""
    ) async throws -> EventStream
}
