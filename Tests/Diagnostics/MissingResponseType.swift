import DataTransfer

enum Movies: Requestable {
    case popular(page: Int)

    var request: RequestDescription {
        switch self {
        case .popular(let page): .get("movie/popular", queryParameters: ["page": page])
        }
    }
}

func movies(_ service: some DataTransferService) async throws {
    try await service.request(Movies.popular(page: 1))  // error: use `.as(…)` or conform to ResponseRequestable
    let movies = try await service.request(Movies.popular(page: 1))  // error: use `.as(…)` or conform to ResponseRequestable
    let titles: [String] = try await service.request(Movies.popular(page: 1))  // error: pass `as: T.self`
    print(movies, titles, try await service.request(Movies.popular(page: 1).as([String].self)))
}
