import Endpoints
import TestSupport

/// Returns the query of the parameters without the question mark.
func query(_ parameters: ParameterList, _ style: QueryStyle = QueryStyle()) throws -> String {
    let url = try Endpoint.make("", query: parameters, style: style).url()
    return String(url.dropFirst("https://api.example.com?".count))
}
