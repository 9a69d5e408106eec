import EndpointAPIs

enum Movies: API {
    case all

    var host: String { "api.example.com" }
    var endpoint: String { "movies" }
}

print(Movies.all.composedRequest)
