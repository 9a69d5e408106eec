import DataTransferMacros
import Foundation
import Testing

@Suite struct EndpointTests {
    @Test func `a parameter with the name of a placeholder is in the path, and others of a GET are in the query`() throws {
        #expect(try Movies.Endpoints.movie(id: 7).line() == "GET /movie/7")
        #expect(try Movies.Endpoints.popular(page: 2).line() == "GET /movie/popular?page=2")
        #expect(try Movies.Endpoints.events(room: 3).line() == "GET /live?room=3")
    }

    @Test func `a default applies to the endpoint too`() throws {
        #expect(try Movies.Endpoints.popular().line() == "GET /movie/popular?page=1")
    }

    @Test func `a header field is sent if it is not nil`() throws {
        #expect(try Movies.Endpoints.popular(language: "en").built().headers["Accept-Language"] == "en")
        #expect(try Movies.Endpoints.popular().built().headers["Accept-Language"] == nil)
    }

    @Test func `a value without a label is the body of a POST, and values with labels are members`() throws {
        #expect(try Movies.Endpoints.add(Movie(id: 7, title: "Seven")).text() == #"{"id":7,"title":"Seven"}"#)
        #expect(try Options.Endpoints.members(title: "Seven", year: nil).text() == #"{"title":"Seven"}"#)
        #expect(try Options.Endpoints.members(title: "Seven", year: 1995).text() == #"{"title":"Seven","year":1995}"#)
    }

    @Test func `a form has the members with its encoding, or the parameters with Field`() throws {
        let form = Options.Endpoints.form(title: "Seven & 8", year: 1995)
        #expect(try form.text() == "title=Seven+%26+8&year=1995")
        #expect(try form.built().headers["Content-Type"] == "application/x-www-form-urlencoded")
        let fields = Options.Endpoints.fields(dry: true)
        #expect(try fields.text() == "grant_type=refresh")
        #expect(try fields.line() == "POST /a?dry=true")
    }

    @Test func `a multipart form has a part for each value that is not nil, and several for an array`() throws {
        let endpoint = Options.Endpoints.parts(movie: 7, image: Data("JPEG".utf8), title: nil, tags: ["a", "b"])
        let text = try endpoint.text()
        #expect(try endpoint.line() == "POST /a/7")
        #expect(text.contains("name=\"photo\"; filename=\"a.jpeg\"\r\nContent-Type: image/jpeg\r\n\r\nJPEG\r\n"))
        #expect(!text.contains("title"))
        #expect(text.components(separatedBy: "name=\"tags\"").count == 3)
    }

    @Test func `bytes are sent as they are, and no body if they are nil`() throws {
        #expect(try Options.Endpoints.bytes(Data("abc".utf8)).text() == "abc")
        #expect(try Options.Endpoints.bytes(nil).built().body == nil)
        #expect(try Options.Endpoints.file(.text("abc")).text() == "abc")
    }

    @Test func `a value without a label is the whole query of a GET`() throws {
        #expect(try Options.Endpoints.search(Options.Filter()).line() == "GET /a?title=seven&years=1995")
    }

    @Test func `another method has a body, and parameters may have any name`() throws {
        let endpoint = Options.Endpoints.find(Options.Filter(), service: 1, endpoint: 2, count: 3)
        #expect(try endpoint.line() == "QUERY /a?service=1&endpoint=2")
        #expect(try endpoint.text() == #"{"title":"seven","years":[1995]}"#)
        #expect(try endpoint.built().headers["X-B"] == "3")
    }

    @Test func `options are those of the endpoint`() throws {
        let text = Options.Endpoints.text(tags: ["a", "b"])
        #expect(try text.line() == "GET /a?tags=a,b")
        #expect(text.headerParameters["X-A"] == "1")
        #expect(text.timeouts.total == .seconds(5))
        let optional = Options.Endpoints.optional()
        #expect(optional.acceptedStatuses.contains(404))
        #expect(optional.headerParameters.cachePolicy == .revalidate)
        #expect(optional.priority == .high)
        #expect(!optional.requiresAuthentication)
        #expect(Options.Endpoints.members(title: "", year: nil).isIdempotent)
        #expect(!Options.Endpoints.form(title: "", year: nil).isIdempotent)
        let id = UUID()
        #expect(try Options.Endpoints.remove(id: id).line() == "DELETE /a/\(id.uuidString)?force=false")
    }
}
