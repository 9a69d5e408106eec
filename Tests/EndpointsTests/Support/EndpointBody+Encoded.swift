import Endpoints
import Foundation
import Testing

extension EndpointBody {
    /// Returns the bytes of a body that is in memory.
    func encoded() throws -> Data {
        try #require(content().data)
    }
}
