import Endpoints
import Foundation
import Testing

@testable import NetworkCache

struct FixedDateTests {
    @Test func `dates in the preferred form have the same seconds as by the general parser`() {
        for seconds in stride(from: Int64(-62_167_219_200), through: 253_402_300_799, by: 86_400 * 13 + 12_345) {
            let date = HTTPDate(secondsSince1970: seconds)
            #expect(FixedDate.seconds(date.description) == date.secondsSince1970)
        }
        #expect(FixedDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        #expect(FixedDate.seconds("Thu, 29 Feb 2024 00:00:00 GMT") == HTTPDate("Thu, 29 Feb 2024 00:00:00 GMT")?.secondsSince1970)
    }

    @Test(arguments: [
        "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "sun, 06 nov 1994 08:49:37 gmt",
        "Sun, 06 Nov 1994 08:49:60 GMT", "Sun, 30 Feb 2024 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov 1994 08-49-37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
        "Sun,é6 Nov 1994 08:49:37 GM",
        "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nev 1994 08:49:37 GMT",
    ])
    func `any other text is left to the general parser`(text: String) {
        #expect(FixedDate.seconds(text) == nil)
    }
}
