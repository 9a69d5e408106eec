// The ways in which applications write `do` and `catch` around calls of this package. Each function is one shape, which compiles in debug and in
// release builds: with typed throws, the compiler of Swift 6.3 aborts at many of them, so what applications call throws any error.
import DataTransfer
import Foundation

struct Movie: Codable, Sendable { var id = 7; var title = "" }
enum AppError: Error { case offline, failed(any Error) }
struct ServerError: Error, Decodable { var code = 0; var message = "" }
func log(_ items: Any?...) {}
func lazily(_ value: @autoclosure () -> Bool) -> Bool { value() }

let endpoint = Endpoint<Movie>(path: "movie/7")
let file = URL(fileURLWithPath: "movie")
let statuses = [404, 410]

// MARK: Case patterns in a function that throws

func s01(_ service: some DataTransferService) async throws {
    do { print(try await service.request(endpoint)) } catch DataTransferError.networkFailure(let failure) {
        print(failure.statusCode ?? 0)
    }
}
func s02(_ service: any DataTransferService) async throws {
    do { log(try await service.request(endpoint)) } catch DataTransferError.parsing(let failure) where failure.codingPath.isEmpty
    { log(failure.codingPath) }
}
func s03(_ service: any DataTransferService) async throws -> Movie? {
    do { return try await service.request(endpoint) } catch DataTransferError.networkFailure(.status(let response))
        where response.statusCode == 404
    {
        return nil
    }
}
func s04(_ service: any DataTransferService) async throws -> Movie? {
    do { return try await service.request(endpoint) } catch DataTransferError.networkFailure(.notConnected),
        DataTransferError.networkFailure(.timedOut)
    {
        return nil
    }
}
func s05(_ service: any DataTransferService) async throws {
    do { _ = try await service.request(endpoint) } catch DataTransferError.resolvedNetworkFailure(let error as ServerError, _) {
        log([error.code].map { $0 + 1 })
    }
}
func s06(_ service: any DataTransferService) async throws {
    do { _ = try await service.request(endpoint) } catch DataTransferError.resolvedNetworkFailure(
        is ServerError, cause: let cause)
    {
        log(cause.statusCode ?? 0)
    }
}
func s07(_ service: any DataTransferService) async throws {
    do { _ = try await service.request(endpoint) } catch DataTransferError.file(let failure)
        where lazily(failure.partialFile != nil)
    { log(failure) }
}
func s08(_ service: any DataTransferService) async throws {
    do {
        _ = try await service.request(endpoint)
    } catch DataTransferError.noResponse {
        log(statuses.contains { $0 == 3 })
    } catch DataTransferError.parsing(let failure) {
        log(failure.elementIndex ?? 0)
    } catch DataTransferError.networkFailure(let failure) {
        throw AppError.failed(failure)
    }
}

// MARK: Conditions

func s09(_ service: any DataTransferService) async throws {
    do { _ = try await service.request(endpoint) } catch let error where error.isTimeout { log(error) }
}
func s10(_ service: any DataTransferService) async throws {
    do { _ = try await service.request(endpoint) } catch let error where statuses.contains(where: { $0 == error.statusCode }) {
        log(error)
    }
}
func s11(_ service: any DataTransferService) async throws {
    do { _ = try await service.request(endpoint) } catch let error where error.statusCode == 404 || error.isCancelled {
        log(error)
    }
}
func s12(_ service: any DataTransferService) async throws {
    do { _ = try await service.request(endpoint) } catch  where error.isConnectivity { log("offline", error) }
}
func s13(_ service: any DataTransferService) async throws {
    do { _ = try await service.request(endpoint) } catch  where error.resolved(as: ServerError.self)?.code == 3 { log(error) }
}
func s14(_ service: any DataTransferService) async throws {
    do { _ = try await service.request(endpoint) } catch let error where (error.statusCode ?? 0) >= 500 { log(error) }
}

// MARK: Casts

func s15(_ service: any DataTransferService) async throws {
    do { _ = try await service.request(endpoint) } catch let error as DataTransferError { log(error.statusCode ?? 0) }
}
func s16(_ service: any DataTransferService) async throws {
    do { _ = try await service.request(endpoint) } catch is DataTransferError { log(statuses.first ?? 0) }
}
func s17(_ service: any DataTransferService) async throws {
    do { _ = try await service.request(endpoint) } catch let error as DataTransferError where error.isTimeout {
        log(error.statusCode ?? 0)
    }
}
func s18(_ service: any DataTransferService) async throws {
    do { _ = try await service.request(endpoint) } catch is CancellationError { log("cancelled") }
}
func s19(_ service: any DataTransferService) async throws {
    do { _ = try await service.request(endpoint) } catch let error as AppError { log([error].map { "\($0)" }) }
}
func s20(_ service: any DataTransferService) async throws {
    do { _ = try await service.request(endpoint) } catch {
        if case DataTransferError.networkFailure(let failure) = error { log(failure.statusCode ?? 0) } else { throw error }
    }
}
func s21(_ service: any DataTransferService) async throws {
    do { _ = try await service.request(endpoint) } catch {
        switch error {
        case DataTransferError.networkFailure(.status(let response)) where response.statusCode == 401: throw AppError.offline
        case DataTransferError.networkFailure, DataTransferError.parsing: log(statuses.contains { $0 == error.statusCode })
        default: throw AppError.failed(error)
        }
    }
}
func s22(_ service: any DataTransferService) async throws {
    do { _ = try await service.request(endpoint) } catch {
        guard let resolved = error.resolved(as: ServerError.self) else { throw error }
        log(resolved.message)
    }
}

// MARK: Several errors

func s23(_ service: any DataTransferService) async throws {
    do {
        try JSONEncoder().encode(try await service.request(endpoint)).write(to: file)
    } catch DataTransferError.parsing(let failure) {
        log(failure.reason)
    }
}
func s24(_ service: any DataTransferService) async throws {
    do {
        try JSONEncoder().encode(try await service.request(endpoint)).write(to: file)
    } catch let error as DataTransferError where error.isTimeout {
        log(error.statusCode ?? 0)
    } catch let error as CocoaError {
        log(error.code)
    }
}
func s25(_ service: any DataTransferService) async throws {
    do {
        try Task.checkCancellation()
        _ = try await service.request(endpoint)
    } catch is CancellationError { return } catch let error as DataTransferError where error.isCancelled { return }
}
func s26(_ service: any DataTransferService, _ session: any NetworkSessionManager, _ request: NetworkRequest) async throws {
    do {
        log(try await session.response(for: request).statusCode)
        _ = try await service.request(endpoint)
    } catch let error as TransportError where error.code == .timedOut { log(error.attempts) } catch DataTransferError.noResponse(
        let failure)
    {
        log(failure.contentType ?? "")
    }
}

// MARK: Nested

func s27(_ service: any DataTransferService) async throws {
    do {
        do { _ = try await service.request(endpoint) } catch DataTransferError.parsing(let failure) {
            log(failure.contentType ?? "")
        }
    } catch DataTransferError.networkFailure(let failure) { log(failure.statusCode ?? 0) }
}
func s28(_ service: any DataTransferService) async throws {
    do {
        for number in 1...3 {
            do { _ = try await service.request(endpoint) } catch let error where error.isRetryable && number < 3 { continue }
        }
    } catch { throw AppError.failed(error) }
}
func s29(_ service: any DataTransferService) async throws {
    func once() async throws {
        do { _ = try await service.request(endpoint) } catch DataTransferError.networkFailure(let failure) {
            log(failure.statusCode ?? 0)
        }
    }
    do { try await once() } catch DataTransferError.noResponse(let failure) { log(failure.contentType ?? "") }
}
func s30(_ service: any DataTransferService) async throws -> Int {
    defer { log("over") }
    do { return try await service.request(endpoint).id } catch DataTransferError.networkFailure(let failure) {
        return failure.statusCode ?? 0
    }
}
