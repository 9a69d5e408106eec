import Endpoints
import Foundation
import NetworkCore

extension NetworkRequest {
    static func make(_ method: RequestMethod = .get, _ path: String = "/a", body: NetworkBody? = nil) -> NetworkRequest {
        NetworkRequest(method: method, url: URL(string: "https://api.test" + path)!, body: body)
    }
}

extension NetworkResponse {
    static func make(_ status: Int = 200, _ headers: HeaderFields = [:], _ text: String = "") -> NetworkResponse {
        NetworkResponse(
            statusCode: status, headers: headers, body: .data(Data(text.utf8)), url: URL(string: "https://api.test/a")!)
    }
}

/// Returns the response or the error of a call.
func result(
    _ call: () async throws(TransportError) -> NetworkResponse
) async -> Result<NetworkResponse, TransportError> {
    do throws(TransportError) {
        return .success(try await call())
    } catch {
        return .failure(error)
    }
}

extension Result where Success == NetworkResponse, Failure == TransportError {
    var code: TransportError.Code? { if case .failure(let error) = self { error.code } else { nil } }
    var status: Int? { try? get().statusCode }
}
