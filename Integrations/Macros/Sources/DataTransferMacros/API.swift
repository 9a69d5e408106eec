/// Makes a client of a struct whose functions are declared with an attribute each, and have no bodies.
///
/// ```swift
/// @API
/// struct Movies: MoviesProtocol {
///     @GET("movie/{id}") func movie(id: Int) async throws -> Movie
///     @POST("movie") func add(_ movie: Movie) async throws
/// }
///
/// let movies = Movies(service)
/// let movie = try await movies.movie(id: 7)
/// ```
///
/// It adds to the struct, with its access level:
/// - `init(_ service: any DataTransferService)` and the property `service`, unless the struct declares them;
/// - `Movies.Endpoints`, with a static function for each call that returns its `Endpoint`.
///
/// If the struct declares the conformance to `MoviesProtocol`, it also writes beside it:
/// - that protocol, with all calls;
/// - `MoviesStub`, which conforms to it too, with a closure for each call: `onMovie`, `onAdd`. One that is not set throws
///   ``UnstubbedCall``.
///
/// The attributes of the functions write their bodies. Functions with a body are left as they are.
///
/// - Parameter twins: Further forms of each call. Default: none.
@attached(member, names: named(service), named(init), named(Endpoints), arbitrary)
@attached(peer, names: suffixed(Protocol), suffixed(Stub))
public macro API(_ twins: CallTwin...) = #externalMacro(module: "DataTransferMacrosPlugin", type: "APIMacro")

/// A further form of each call of an API, an argument of ``API(_:)``.
public struct CallTwin: Sendable, Hashable {
    private let name: String

    /// The call with a completion: `movies.movie(id: 7, on: .main) { result in … }`.
    ///
    /// It has the parameters of the call, `on:` and `completion:`, and returns a handle that cancels the request. The completion
    /// is called
    /// exactly once. Downloads and streams have no such form.
    public static let completions = CallTwin(name: "completions")

    /// The call as a publisher, where Combine exists: `movies.moviePublisher(id: 7, on: .main)`.
    ///
    /// The file imports `Combine` and `DataTransferCombine`. Downloads and streams have no such form.
    public static let publishers = CallTwin(name: "publishers")
}

/// The error of a call of a stub whose closure was not set.
public struct UnstubbedCall: Error, Hashable, CustomStringConvertible {
    /// The type and the name of the function: `MoviesStub.movie(id:)`.
    public let call: String

    /// Creates the error of a call.
    public init(_ call: String) {
        self.call = call
    }

    /// The name of the function and what is missing.
    public var description: String { "\(call) was called, but its closure is not set" }
}
