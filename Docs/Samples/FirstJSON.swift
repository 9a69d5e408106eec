import Endpoints
import Foundation

struct Movie: Codable { let title: String; let released: Date }

let decoder = TransferJSONDecoder()
decoder.dateDecodingStrategy = .secondsSince1970
let text = #"{"title": "Seven", "released": 811641600}"#
let movie = try decoder.decode(Movie.self, from: Data(text.utf8))

let written = try TransferJSONEncoder().encode(movie)
print(String(decoding: written, as: UTF8.self))
// {"title":"Seven","released":"1995-09-21T00:00:00Z"}
