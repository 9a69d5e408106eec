// The attributes of parameters. They are property wrappers, so that the compiler checks the type of a parameter where it is
// written, and callers
// pass the plain value. The attribute of the function reads them; at run time they only hold the value.

/// Makes a parameter the value of a placeholder in the path. Needed only if the two have different names: `@Path("id") movie:
/// Movie.ID`.
@propertyWrapper
public struct Path<Value: CustomStringConvertible & Sendable>: Sendable {
    /// The value of the parameter.
    public let wrappedValue: Value

    /// Fills the placeholder with the name of the parameter.
    public nonisolated init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// Fills the placeholder with this name.
    public nonisolated init(wrappedValue: Value, _ name: StaticString) { self.wrappedValue = wrappedValue }
}

/// Makes a parameter a query item. `nil` sends none.
@propertyWrapper
public struct Query<Value: Encodable & Sendable>: Sendable {
    /// The value of the parameter.
    public let wrappedValue: Value

    /// The item has the name of the parameter.
    public nonisolated init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// The item has this name: `@Query("page[size]") size: Int`.
    public nonisolated init(wrappedValue: Value, _ name: String) { self.wrappedValue = wrappedValue }
}

/// Makes a parameter the value of a header field. `nil` sends none.
@propertyWrapper
public struct Header<Value: HeaderFieldValue>: Sendable {
    /// The value of the parameter.
    public let wrappedValue: Value

    /// The field has this name: `@Header("Accept-Language") language: String?`.
    public nonisolated init(wrappedValue: Value, _ name: String) { self.wrappedValue = wrappedValue }
}

/// Makes a parameter the body: any `Encodable` value, `Data`, a `URL` of a file, a `String`, a `MultipartForm`, or an
/// `EndpointBody`.
///
/// Needed only if the parameter has a label: `@Body movie: Movie`. `nil` sends no body.
@propertyWrapper
public struct Body<Value: Sendable>: Sendable {
    /// The value of the parameter.
    public let wrappedValue: Value

    /// The value is encoded as JSON, or as a form with `encoding: .form`.
    public nonisolated init(wrappedValue: Value) where Value: Encodable { self.wrappedValue = wrappedValue }

    /// The value is sent as it is.
    public nonisolated init(wrappedValue: Value) where Value == EndpointBody { self.wrappedValue = wrappedValue }

    /// The value is sent as it is; `nil` sends no body.
    public nonisolated init(wrappedValue: Value) where Value == EndpointBody? { self.wrappedValue = wrappedValue }

    /// The value is sent as `multipart/form-data`.
    public nonisolated init(wrappedValue: Value) where Value == MultipartForm { self.wrappedValue = wrappedValue }
}

/// Makes a parameter a field of a form (`application/x-www-form-urlencoded`). `nil` sends none.
@propertyWrapper
public struct Field<Value: Encodable & Sendable>: Sendable {
    /// The value of the parameter.
    public let wrappedValue: Value

    /// The field has the name of the parameter.
    public nonisolated init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// The field has this name: `@Field("grant_type") grant: String`.
    public nonisolated init(wrappedValue: Value, _ name: String) { self.wrappedValue = wrappedValue }
}

/// Makes a parameter a part of a form (`multipart/form-data`). `nil` sends none, and an array several.
@propertyWrapper
public struct Part<Value: FormPartValue>: Sendable {
    /// The value of the parameter.
    public let wrappedValue: Value

    /// The part has the name of the parameter.
    ///
    /// - Parameters:
    ///   - fileName: The file name that is sent. Default: the name of a file; no file name for other content.
    ///   - contentType: The media type. Default: that of the file name's extension; no content type without a file name.
    public nonisolated init(wrappedValue: Value, fileName: String? = nil, contentType: String? = nil) {
        self.wrappedValue = wrappedValue
    }

    /// The part has this name: `@Part("photo", fileName: "photo.jpeg") image: Data`.
    public nonisolated init(wrappedValue: Value, _ name: String, fileName: String? = nil, contentType: String? = nil) {
        self.wrappedValue = wrappedValue
    }
}
