/// What to ask for, and what comes back.
public protocol ResponseRequestable: Requestable {
    /// The value that comes back; `Void` where only the status matters.
    associatedtype Response: Sendable

    /// Turns the body into the value. JSON by default.
    var responseDecoder: any ResponseDecoder { get }

    /// Makes the value. Given for every `Decodable` (through ``responseDecoder``) and for `Void` (the body is ignored).
    ///
    /// - Throws: ``ResponseDecodingError``, a `DecodingError`, or what the decoder throws.
    func response(from body: ResponseBody) throws -> Response
}

extension ResponseRequestable {
    /// JSON, with Foundation's defaults.
    public var responseDecoder: any ResponseDecoder { .json }
}

extension ResponseRequestable where Response: Decodable {
    /// The value that ``responseDecoder`` makes of the body.
    ///
    /// - Throws: ``ResponseDecodingError``, a `DecodingError`, or what the decoder throws.
    public func response(from body: ResponseBody) throws -> Response {
        try responseDecoder.decode(Response.self, from: body)
    }
}

extension ResponseRequestable where Response == Void {
    // `Response`, not `Void`: a type with a generic parameter of that name would be taken to answer nothing.
    /// Nothing: the body is ignored.
    public func response(from body: ResponseBody) -> Response { () }
}
