import Endpoints
import Foundation
import Testing

extension RequestBody {
    /// The bytes of a body in memory.
    func encoded() throws -> Data {
        try #require(content().data)
    }
}
