// The places in which applications write `do` and `catch` around calls of this package. Each function is one shape, which compiles in debug and in
// release builds: with typed throws, the compiler of Swift 6.3 aborts at many of them, so what applications call throws any error.
import DataTransfer
import Foundation
import NetworkAuthorization
import NetworkCache
import NetworkPipeline
import NetworkRecordings
import NetworkTesting
import NetworkWebSocket
import ResumableUploads

struct Movie: Codable, Sendable { var id = 7; var title = "" }
enum AppError: Error { case offline, failed(any Error) }
struct ServerError: Error, Decodable { var code = 0; var message = "" }
func log(_ items: Any?...) {}
func lazily(_ value: @autoclosure () -> Bool) -> Bool { value() }

let endpoint = Endpoint<Movie>(path: "movie/7")
let file = URL(fileURLWithPath: "movie")
let statuses = [404, 410]

// MARK: Closures and tasks

func s31(_ service: any DataTransferService) -> Task<Int, any Error> {
    Task {
        do { return try await service.request(endpoint).id } catch DataTransferError.networkFailure(let failure) {
            return failure.statusCode ?? 0
        }
    }
}
func s32(_ service: any DataTransferService) async throws -> [Int] {
    try await withThrowingTaskGroup(of: Int.self) { group in
        group.addTask {
            do { return try await service.request(endpoint).id } catch let error as DataTransferError where error.isTimeout {
                return error.statusCode ?? 0
            }
        }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}
func s33(_ service: any DataTransferService) async throws {
    async let movie = service.request(endpoint)
    do { log(try await movie) } catch DataTransferError.parsing(let failure) { log(failure.contentType ?? "") }
}
func s34(_ service: any DataTransferService) async throws {
    let load: (Endpoint<Movie>) async throws -> Movie? = { endpoint in
        do { return try await service.request(endpoint) } catch DataTransferError.networkFailure(let failure)
            where failure.statusCode == .notFound
        { return nil }
    }
    log(try await load(endpoint) as Any)
}
func s35(_ service: any DataTransferService) {
    service.request(endpoint) { result in
        do { log(try result.get()) } catch DataTransferError.networkFailure(let failure) { log(failure.statusCode ?? 0) } catch {
            log(error)
        }
    }
}
func s36(_ result: Result<Movie, DataTransferError>) throws {
    switch result {
    case .success(let movie): log(movie)
    case .failure(.networkFailure(let failure)): log(statuses.map { "\($0) \(failure)" })
    case .failure(let error) where lazily(error.isTimeout): log(error)
    case .failure(let error): throw AppError.failed(error)
    }
}
// `get()` of a result states the type of its errors, so a `catch` without a pattern comes last.
func s37(_ result: Result<Movie, DataTransferError>) throws {
    do { log(try result.get()) } catch {
        guard statuses.contains(where: { $0 == error.statusCode }) else { throw error }
        log(error)
    }
}
func s38(_ service: any DataTransferService) -> AsyncThrowingStream<Movie, any Error> {
    AsyncThrowingStream { continuation in
        Task {
            do {
                continuation.yield(try await service.request(endpoint))
                continuation.finish()
            } catch DataTransferError.networkFailure(let failure) {
                continuation.finish(throwing: AppError.failed(failure))
            }
        }
    }
}

// MARK: Typed functions

func s39(_ service: any DataTransferService) async throws(DataTransferError) {
    switch await service.result(for: endpoint) {
    case .success(let movie): log(movie)
    case .failure(.networkFailure(let failure)) where statuses.contains(where: { $0 == failure.statusCode }): log(failure)
    case .failure(let error): throw error
    }
}
func s40(_ service: any DataTransferService) async throws(DataTransferError) -> Movie? {
    do throws(DataTransferError) { return try await service.result(for: endpoint).get() } catch {
        if statuses.contains(where: { $0 == error.statusCode }) { return nil }
        throw error
    }
}
func s41(_ service: any DataTransferService) async throws(AppError) -> Movie {
    do { return try await service.request(endpoint) } catch {
        throw statuses.contains(where: { $0 == error.statusCode }) ? .offline : .failed(error)
    }
}
func s42(_ service: any DataTransferService) async -> String {
    do { return try await service.request(endpoint).title } catch DataTransferError.parsing(let failure) {
        return failure.reason
    } catch { return "\(error)" }
}
func s43(_ service: any DataTransferService) async -> Movie? { try? await service.request(endpoint) }
func s44<Failure: Error>(_ body: () async throws(Failure) -> Movie) async throws -> Movie? {
    do { return try await body() } catch {
        if error.isTimeout { return nil }
        throw error
    }
}
func s45(_ service: any DataTransferService) async throws -> Movie? {
    try await s44 { try await service.request(endpoint) }
}

// MARK: Actors, classes, properties

actor Library {
    let service: any DataTransferService
    private var movies: [Movie] = []

    init(_ service: any DataTransferService) { self.service = service }

    func s46() async throws {
        do { movies.append(try await service.request(endpoint)) } catch DataTransferError.networkFailure(let failure) {
            log(failure.statusCode ?? movies.count)
        }
    }
    var s47: Movie? {
        get async throws {
            do { return try await service.request(endpoint) } catch let error where error.statusCode == 404 {
                return movies.first { $0.id == 7 }
            }
        }
    }
}
@MainActor final class Screen {
    let service: any DataTransferService
    var message: String?

    init(_ service: any DataTransferService) { self.service = service }

    func s48() async throws {
        do { _ = try await service.request(endpoint) } catch DataTransferError.networkFailure(let failure) {
            message = failure.statusCode.map { "\($0)" }
        }
    }
    func s49() {
        Task {
            do { message = try await service.request(endpoint).title } catch let error as DataTransferError where error.isTimeout
            { message = "\(error.statusCode ?? 0)" }
        }
    }
    func s50() async throws {
        do { _ = try await service.request(endpoint) } catch let error as DataTransferError {
            self.message = error.statusCode.map { "\($0)" } ?? "\(error)"
        }
    }
}
struct Loader<Service: DataTransferService> {
    let service: Service

    func s51<Value: Decodable & Sendable>(_ endpoint: Endpoint<Value>) async throws -> Value? {
        do { return try await service.request(endpoint) } catch DataTransferError.networkFailure(let failure)
            where failure.statusCode == 404
        { return nil }
    }
}

// MARK: Other calls

func s52(_ service: any DataTransferService) async throws {
    do { _ = try await service.download(endpoint, to: file) } catch DataTransferError.file(let failure) {
        log(failure.partialFile ?? file)
    }
}
func s53(_ service: any DataTransferService) async throws {
    do { _ = try await service.uploadResumably(file, to: Endpoint<Void>(path: "files")) } catch let error as DataTransferError {
        log(error.uploadFailure?.statusCode ?? 0)
    }
}
func s54(_ service: any DataTransferService, _ endpoint: Endpoint<[Movie]>) async throws {
    do {
        for try await movie in try await service.stream(endpoint, as: .ndjson(Movie.self)) { log(movie) }
    } catch DataTransferError.parsing(let failure) { log(failure.elementIndex ?? 0) }
}
func s55(_ service: any DataTransferService) async throws {
    do { log(try await service.response(for: endpoint).value) } catch let error where error.statusCode == .notFound { log(error) }
}
func s56(_ service: any DataTransferService) async throws {
    do {
        for try await page in service.pages(of: endpoint, by: .linkHeader) { log(page.value) }
    } catch let error as DataTransferError where lazily(error.isTimeout) { log(error.statusCode ?? 0) }
}
func s57(_ service: any DataTransferService) async throws {
    do {
        for try await event in service.events(endpoint) { log(event.data) }
    } catch DataTransferError.networkFailure(let failure) { log(failure.statusCode ?? 0) }
}
func s58(_ network: any NetworkService) async throws {
    do {
        let socket = try await network.webSocket(for: endpoint)
        try await socket.send(.text("movie"))
        for try await message in socket.messages { log(message) }
    } catch let error as WebSocketError where error.code == .closed { log(error.closeCode.map { "\($0)" } ?? "") }
}
func s59(_ store: any CredentialStore) async throws {
    do {
        let oauth = try OAuthClient(tokenURL: "https://a.example/token", clientID: "a")
        _ = try await oauth.deviceFlow(savedIn: store) { log($0.userCode) }
        try await store.signOut()
    } catch let error as OAuthError where error.code == .accessDenied { log(statuses.map { "\($0) \(error)" }) }
}
func s60(_ service: any DataTransferService) async throws {
    do {
        let cache = try ValueCache(directory: file)
        try await cache.set(try await service.request(endpoint), for: "7", lifetime: .seconds(60))
        try CookieStore(contentsOf: file).save(to: file)
        _ = try RecordedSession("movie.har", live: DefaultSessionManager.shared)
        _ = try APIConfiguration("https://a.example")
    } catch let error as CacheStoreError where error.code == .diskFull {
        log(error.message)
    } catch let error as RequestGenerationError {
        log(statuses.map { "\($0) \(error.field)" })
    } catch is CookieStoreError, is HTTPArchiveError {
        log(statuses.first ?? 0)
    }
}

// MARK: Layers that others implement state the type of their errors: a `catch` without a pattern comes last

func s61(_ session: any NetworkSessionManager, _ request: NetworkRequest) async throws {
    do { log(try await session.response(for: request)) } catch {
        log(error.code == .tlsFailed, error.tlsFailure.map { "\($0)" } ?? "")
    }
}
func s62(_ network: any NetworkService, _ endpoint: Endpoint<Data>) async throws {
    do { log(try await network.response(for: endpoint)) } catch NetworkError.status(let response)
        where statuses.contains(response.statusCode)
    {
        log(response)
    } catch {
        throw AppError.failed(error)
    }
}
