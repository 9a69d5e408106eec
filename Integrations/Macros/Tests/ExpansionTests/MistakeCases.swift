// The mistakes of the type and of the function. `‸` is before the place that is marked.
extension MistakeCase {
    static let types = [
        MistakeCase(
            whole: "not-a-struct", "‸@API\nprotocol Sample {\n    @GET(\"a\") func a() async throws\n}\n",
            "@API is for a struct, not for a protocol: its functions have default arguments and attributes",
            repair: ("replace ‘protocol’ by ‘struct’", "@API\nstruct Sample {\n    @GET(\"a\") func a() async throws\n}\n")),
        MistakeCase(
            whole: "not-a-struct, class", "‸@API\nfinal class Sample {\n    @GET(\"a\") func a() async throws\n}\n",
            "@API is for a struct, not for a class: its functions have default arguments and attributes",
            repair: ("replace ‘class’ by ‘struct’", "@API\nstruct Sample {\n    @GET(\"a\") func a() async throws\n}\n")),
        MistakeCase(
            whole: "generic-type", "@API\nstruct Sample‸<Value> {\n    @GET(\"a\") func a() async throws\n}\n",
            "a struct with @API has no generic parameters"),
        MistakeCase(
            whole: "no-calls", "@API\nstruct ‸Sample {}\n", "the struct has no calls: functions with an attribute such as @GET"),
        MistakeCase(
            "no-verb", "func ‸movie() async throws",
            "‘movie’ has neither a body nor an attribute that says what it sends, such as @GET",
            repair: ("add ‘@GET(\"…\")’", "@GET(\"movie\") func movie() async throws")),
        MistakeCase(
            "two-verbs", "@GET(\"a\") ‸@HEAD(\"a\") func a() async throws",
            "@GET and @HEAD on one function: a call is one request",
            repair: ("remove ‘@HEAD’", "@GET(\"a\") func a() async throws")),
        MistakeCase(
            "stored-property", "let ‸token: String\n    @GET(\"a\") func a() async throws",
            "‘token’ has no value: the initializer that @API adds sets only ‘service’"),
        MistakeCase(
            "conditional", "@GET(\"a\") func a() async throws\n    ‸#if DEBUG\n    @GET(\"b\") func b() async throws\n    #endif",
            "a call in ‘#if’ is not seen by @API; declare a second struct in ‘#if’"),
    ]

    static let functions = [
        MistakeCase(
            whole: "outside-of-api", "struct Sample {\n    ‸@GET(\"a\") func a() async throws\n}\n",
            "@GET is for functions of a struct with @API"),
        MistakeCase(
            "has-body", "@GET(\"a\") func a() async throws ‸{}", "the body is written by @GET; remove this one",
            repair: ("remove the body", "@GET(\"a\") func a() async throws")),
        MistakeCase(
            "modifier", "@GET(\"a\") ‸static func a() async throws", "a call is not ‘static’",
            repair: ("remove ‘static’", "@GET(\"a\") func a() async throws")),
        MistakeCase(
            "modifier, mutating", "@GET(\"a\") ‸mutating func a() async throws", "a call is not ‘mutating’",
            repair: ("remove ‘mutating’", "@GET(\"a\") func a() async throws")),
        MistakeCase(
            whole: "not-public", "@API\npublic struct Sample {\n    @GET(\"a\") func ‸a() async throws\n}\n",
            "‘a’ is part of the public protocol of the API; declare it public",
            repair: ("add ‘public’", "@API\npublic struct Sample {\n    @GET(\"a\") public func a() async throws\n}\n")),
        MistakeCase(
            "generic-function", "@POST(\"a\") func a‸<T: Encodable>(_ value: T) async throws",
            "a call has no generic parameters: the stub has one closure for it"),
        MistakeCase(
            "not-async", "@GET(\"a\") func ‸a(page: Int) throws -> Int", "a call is ‘async throws’; it waits for a response",
            repair: ("declare it ‘async throws’", "@GET(\"a\") func a(page: Int) async throws -> Int")),
        MistakeCase(
            "not-async, without effects", "@GET(\"a\") func ‸a()", "a call is ‘async throws’; it waits for a response",
            repair: ("declare it ‘async throws’", "@GET(\"a\") func a() async throws")),
        MistakeCase(
            "not-throws", "@GET(\"a\") func ‸a() async -> Int", "a call is ‘async throws’; a request can fail",
            repair: ("declare it ‘async throws’", "@GET(\"a\") func a() async throws -> Int")),
        MistakeCase(
            "typed-throws", "@GET(\"a\") func a() async ‸throws(MyError) -> Int",
            "a call throws ‘any Error’, which is always a DataTransferError",
            repair: ("replace it by ‘throws’", "@GET(\"a\") func a() async throws -> Int")),
    ]

    static let paths = [
        MistakeCase(
            "path-is-not-literal", #"@GET(‸"movie/\(id)") func a(id: Int) async throws"#,
            "the path is a literal without interpolation and escapes; write ‘{name}’ for the value of a parameter"),
        MistakeCase(
            "path-is-not-literal, constant", "@GET(‸Paths.movie) func a() async throws",
            "the path is a literal without interpolation and escapes; write ‘{name}’ for the value of a parameter"),
        MistakeCase(
            "path-is-url", "@GET(\"‸https://api.example.com/a\") func a() async throws",
            "the path is relative to the base URL of the service",
            repair: ("remove ‘https://api.example.com/’", "@GET(\"a\") func a() async throws")),
        MistakeCase(
            "character-in-path", "@GET(\"my‸ movies\") func a() async throws",
            "a path has no spaces, control characters and fragments; write them percent-encoded, such as %20"),
        MistakeCase(
            "unbalanced-brace", "@GET(\"a/‸{id\") func a(id: Int) async throws",
            "unbalanced brace; write %7B or %7D for a literal one"),
        MistakeCase(
            "unbalanced-brace, closing", "@GET(\"a/id‸}\") func a(id: Int) async throws",
            "unbalanced brace; write %7B or %7D for a literal one"),
        MistakeCase(
            "empty-placeholder", "@GET(\"a/‸{}\") func a(id: Int) async throws",
            "a placeholder has the name of a parameter: ‘{id}’"),
        MistakeCase(
            "path-without-argument", "@GET(\"movie/‸{id}\") func a() async throws",
            "‘{id}’ has no value: no parameter has this name"),
        MistakeCase(
            "path-without-argument, misspelled", "@GET(\"movie/‸{moveID}/posters\") func a(movieID: Int) async throws",
            "‘{moveID}’ has no value: no parameter has this name",
            repair: ("write ‘{movieID}’", "@GET(\"movie/{movieID}/posters\") func a(movieID: Int) async throws")),
        MistakeCase(
            "path-without-argument, taken", "@GET(\"movie/‸{id}\") func a(@Query id: Int) async throws",
            "‘{id}’ has no value: the parameter ‘id’ has another place",
            repair: ("remove ‘@Query’", "@GET(\"movie/{id}\") func a(id: Int) async throws")),
        MistakeCase(
            "no-placeholder", "@GET(\"movie\") func a(‸@Path id: Int) async throws", "the path has no ‘{id}’",
            repair: ("remove ‘@Path’", "@GET(\"movie\") func a(id: Int) async throws")),
        MistakeCase(
            "two-for-path", "@GET(\"movie/{id}\") func a(id: Int, ‸@Path(\"id\") other: Int) async throws",
            "‘{id}’ already has the value of another parameter"),
        MistakeCase(
            "optional-in-path", "@GET(\"movie/{id}\") func a(id: ‸Int?) async throws",
            "‘id’ is in the path, so it cannot be nil",
            repair: ("remove ‘?’", "@GET(\"movie/{id}\") func a(id: Int) async throws")),
    ]
}
