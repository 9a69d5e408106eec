import Foundation

/// What an ``API`` sends along: query items, a body, or both.
public struct RequestParameters: Sendable {
    /// Replace the configuration's items of the same name.
    public var query: Parameters
    /// `nil` sends none.
    public var body: RequestBody?

    /// Parameters of these parts.
    public init(query: Parameters = [:], body: RequestBody? = nil) {
        self.query = query
        self.body = body
    }

    /// Nothing.
    public static let none = RequestParameters()

    /// Items of the query.
    public static func query(_ parameters: Parameters) -> RequestParameters { RequestParameters(query: parameters) }

    /// Any body: `.body(.multipart(form))`, `.body(.file(url))`.
    public static func body(_ body: RequestBody) -> RequestParameters { RequestParameters(body: body) }

    /// A value as JSON.
    ///
    /// - Parameter encoder: Sorted keys, slashes as they are, else Foundation's defaults, unless given.
    public static func json(_ value: some Encodable & Sendable, encoder: any DataEncoder = .json) -> RequestParameters {
        .body(.json(value, encoder: encoder))
    }

    /// A form, `application/x-www-form-urlencoded`.
    public static func form(_ parameters: Parameters) -> RequestParameters { .body(.form(parameters)) }

    /// Bytes as they are.
    public static func data(_ data: Data, contentType: String = "application/octet-stream") -> RequestParameters {
        .body(.data(data, contentType: contentType))
    }
}

extension RequestParameters: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the query's items, and the content type of the body.
    public var description: String { "RequestParameters(\(query), \(body.map(\.description) ?? "no body"))" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
