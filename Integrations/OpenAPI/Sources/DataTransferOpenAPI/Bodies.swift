internal import DataTransferOpenAPIMessages
import Endpoints
import Foundation
import NetworkCore
import OpenAPIRuntime

extension NetworkBody {
    /// Creates a body whose chunks are requested from this one while they are sent, about 256 KiB ahead of the connection.
    ///
    /// It can be sent again if the iteration behavior is `multiple`. A length that is known is sent as `Content-Length`.
    public init(_ body: HTTPBody) {
        let length: Int64? = if case .known(let count) = body.length { count } else { nil }
        self = .bytes(body, length: length, isReplayable: body.iterationBehavior == .multiple)
    }
}

extension HTTPBody {
    /// Creates a body that receives that of the response while it is iterated, which is possible once.
    ///
    /// Its length is known if the response states it, and the content is not coded: `Content-Length` is the length of the coded
    /// content.
    public convenience init(_ response: NetworkResponse) {
        let announced = response.headers.contains("Content-Encoding") ? nil : response.headers["Content-Length"]
        let length = announced.flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
        self.init(
            response.body.slices, length: length.map { Length.known($0) } ?? .unknown, iterationBehavior: .single)
    }
}
