import DataTransfer

struct Plain: Sendable {}

func endpoints(_ configuration: APIConfiguration) throws {
    _ = Endpoint<Plain>(path: "a")  // error: the response type must be Decodable or Void
    _ = Endpoint<[Plain]>(path: "a", method: .post, keyPath: "items")  // error: the response type must be Decodable or Void
    _ = Endpoint<Plain>(path: "a") { _ in Plain() }
    _ = Endpoint<Void>(path: "a")
    _ = RequestDescription.get("a").as(Plain.self)  // error: 'Plain' conform to 'Decodable'
}
