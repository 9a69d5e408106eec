// The mistakes of parameters, results and arguments. `‸` is before the place that is marked.
extension MistakeCase {
    static let parameters = [
        MistakeCase(
            "two-places", "@GET(\"a\") func a(@Query ‸@Header(\"X-A\") id: Int) async throws",
            "@Query and @Header on one parameter: a value has one place",
            repair: ("remove ‘@Header’", "@GET(\"a\") func a(@Query id: Int) async throws")),
        MistakeCase(
            "no-place, beside a body", "@POST(\"a\") func a(@Body movie: Movie, ‸notify: Bool) async throws",
            "‘notify’ has no place: the body consists of the parameters with @Body",
            repair: ("add ‘@Query’", "@POST(\"a\") func a(@Body movie: Movie, @Query notify: Bool) async throws")),
        MistakeCase(
            "no-place, beside a value without a label", "@POST(\"a\") func a(_ movie: Movie, ‸notify: Bool) async throws",
            "‘notify’ has no place: ‘movie’, which has no label, is the whole body",
            repair: ("add ‘@Query’", "@POST(\"a\") func a(_ movie: Movie, @Query notify: Bool) async throws")),
        MistakeCase(
            "no-place, beside fields", "@POST(\"a\") func a(@Field name: String, ‸age: Int) async throws",
            "‘age’ has no place: the body consists of the parameters with @Field",
            repair: ("add ‘@Field’", "@POST(\"a\") func a(@Field name: String, @Field age: Int) async throws")),
        MistakeCase(
            "no-place, beside parts", "@POST(\"a\") func a(@Part photo: Data, ‸title: String) async throws",
            "‘title’ has no place: the body consists of the parameters with @Part",
            repair: ("add ‘@Part’", "@POST(\"a\") func a(@Part photo: Data, @Part title: String) async throws")),
        MistakeCase(
            "no-place, in a query", "@GET(\"a\") func a(‸_ filter: Filter, page: Int) async throws",
            "‘filter’ has no place: without a label it is the whole query, and there are other query items",
            repair: ("add ‘@Query’", "@GET(\"a\") func a(@Query _ filter: Filter, page: Int) async throws")),
        MistakeCase(
            "body-of-get", "@GET(\"a\") func a(‸@Body movie: Movie) async throws",
            "@Body is in the body, and a GET request has none (RFC 9110 §9.3)",
            repair: ("replace ‘@GET’ by ‘@POST’", "@POST(\"a\") func a(@Body movie: Movie) async throws")),
        MistakeCase(
            "body-of-get, HEAD", "@HEAD(\"a\") func a(‸@Field name: String) async throws",
            "@Field is in the body, and a HEAD request has none (RFC 9110 §9.3)"),
        MistakeCase(
            "two-bodies", "@POST(\"a\") func a(@Body one: Movie, ‸@Body two: Movie) async throws",
            "‘one’ and ‘two’: a request has one body"),
        MistakeCase(
            "two-bodies, without labels", "@POST(\"a\") func a(_ one: Movie, ‸_ two: Movie) async throws",
            "‘one’ and ‘two’: a request has one body",
            repair: ("add ‘@Query’", "@POST(\"a\") func a(_ one: Movie, @Query _ two: Movie) async throws")),
        MistakeCase(
            "mixed-body", "@POST(\"a\") func a(@Field name: String, ‸@Part photo: Data) async throws",
            "@Part beside @Field: a body is a value, a form of fields, or a form of parts"),
        MistakeCase(
            "header-name", "@GET(\"a\") func a(@Header(‸\"Accept Language\") language: String) async throws",
            "‘Accept Language’ is not the name of a header field (RFC 9110 §5.1)"),
        MistakeCase(
            "header-of-transport", "@GET(\"a\") func a(‸@Header(\"Content-Length\") count: Int) async throws",
            "‘Content-Length’ is set by the session manager"),
        MistakeCase(
            "two-headers", "@GET(\"a\") func a(@Header(\"X-A\") a: Int, ‸@Header(\"x-a\") b: Int) async throws",
            "two parameters for the header field ‘x-a’"),
        MistakeCase(
            "variadic", "@GET(\"a\") func a(ids: ‸Int...) async throws", "a parameter is one value; declare an array",
            repair: ("declare ‘[Int]’", "@GET(\"a\") func a(ids: [Int]) async throws")),
        MistakeCase(
            "inout", "@GET(\"a\") func a(page: ‸inout Int) async throws", "a call cannot change its arguments"),
        MistakeCase(
            "opaque-parameter", "@POST(\"a\") func a(_ value: ‸some Encodable & Sendable) async throws",
            "‘some Encodable & Sendable’ makes the function generic, and the stub has one closure for it"),
        MistakeCase(
            "not-encodable", "@GET(\"a\") func a(filter: ‸@escaping (Int) -> Bool) async throws",
            "‘filter’ is a function, which cannot be encoded"),
        MistakeCase(
            "not-encodable, tuple", "@POST(\"a\") func a(range: ‸(Int, Int)?) async throws",
            "‘range’ is a tuple, which cannot be encoded"),
        MistakeCase(
            "default-not-encodable", "@GET(\"a\") func a(order: Order = ‸{ .ascending }) async throws",
            "the default of ‘order’ is a closure, which cannot be encoded"),
        MistakeCase(
            "default-not-encodable, key path", "@GET(\"a\") func a(sort: Key = ‸\\Movie.title) async throws",
            "the default of ‘sort’ is a key path, which cannot be encoded"),
    ]

    static let results = [
        MistakeCase(
            "not-decodable", "@GET(\"a\") func a() async throws -> ‸(Int, String)",
            "the result is a tuple, which cannot be decoded; declare a type that is Decodable and Sendable"),
        MistakeCase(
            "not-decodable, existential", "@GET(\"a\") func a() async throws -> ‸[any Movie]",
            "the result is an existential type, which cannot be decoded; declare a type that is Decodable and Sendable"),
        MistakeCase(
            "not-decodable, opaque", "@GET(\"a\") func a() async throws -> ‸some Sequence",
            "the result is an opaque type, which cannot be decoded; declare a type that is Decodable and Sendable"),
        MistakeCase(
            "not-decodable, in a response", "@GET(\"a\") func a() async throws -> DataTransferResponse<‸Any>",
            "the result is ‘Any’, which cannot be decoded; declare a type that is Decodable and Sendable"),
        MistakeCase(
            "head-with-result", "@HEAD(\"a\") func a() async throws -> ‸Movie",
            "a response to HEAD has no body; return nothing or a DataTransferResponse<Void>",
            repair: ("remove the result", "@HEAD(\"a\") func a() async throws")),
        MistakeCase(
            "wrong-result", "@DOWNLOAD(\"a\") func a(to file: URL) async throws -> ‸URL",
            "a function with @DOWNLOAD returns ‘DownloadedFile’",
            repair: (
                "replace it by ‘DownloadedFile’", "@DOWNLOAD(\"a\") func a(to file: URL) async throws -> DownloadedFile"
            )),
        MistakeCase(
            "wrong-result, without one", "@EVENTS(\"a\") func ‸a() async throws",
            "a function with @EVENTS returns ‘EventStream’"),
        MistakeCase(
            "other-verb", "@GET(\"a\") func a() async throws -> ‸EventStream",
            "‘EventStream’ is returned by functions with @EVENTS",
            repair: ("replace ‘@GET’ by ‘@EVENTS’", "@EVENTS(\"a\") func a() async throws -> EventStream")),
        MistakeCase(
            "no-destination", "@DOWNLOAD(\"a/{id}\") func ‸a(id: Int) async throws -> DownloadedFile",
            "a download has a parameter with the label ‘to’: the URL of the file, or a DownloadDestination",
            repair: (
                "add ‘to file: URL’", "@DOWNLOAD(\"a/{id}\") func a(id: Int, to file: URL) async throws -> DownloadedFile"
            )),
        MistakeCase(
            "key-path-and-decoder", "@GET(\"a\", keyPath: \"b\", ‸decoder: .text) func a() async throws -> Int",
            "keyPath and decoder; write decoder: .keyPath(…, decoder: …) for both"),
        MistakeCase(
            "key-path-without-json", "@GET(\"a\", ‸keyPath: \"b\") func a() async throws -> Data",
            "a key path is in a JSON document, and ‘Data’ is not decoded from one",
            repair: ("remove ‘keyPath’", "@GET(\"a\") func a() async throws -> Data")),
        MistakeCase(
            "decoder-without-value", "@POST(\"a\", ‸decoder: .text) func a() async throws",
            "‘decoder’ without a result: no value is decoded",
            repair: ("remove ‘decoder’", "@POST(\"a\") func a() async throws")),
        MistakeCase(
            "method-is-not-member", "@HTTP(‸method, \"a\") func a() async throws",
            "the method is written as a member, such as .post"),
    ]
}
