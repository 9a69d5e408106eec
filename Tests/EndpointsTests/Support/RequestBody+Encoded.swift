import Endpoints
import Foundation
import Testing

extension RequestBody {
    /// Returns the bytes of a body that is in memory.
    func encoded() throws -> Data {
        try #require(content().data)
    }
}
