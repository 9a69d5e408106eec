import Endpoints
import Testing

struct ContextValuesTests {
    private enum Name: ContextKey { typealias Value = String }
    private enum Count: ContextKey { typealias Value = Int }
    private enum Size: ContextKey { typealias Value = Int }

    @Test func `each key has a separate value`() {
        var context = ContextValues()
        #expect(context[Name.self] == nil)
        context[Name.self] = "a"
        context[Count.self] = 1
        context[Size.self] = 2
        #expect(context[Name.self] == "a" && context[Count.self] == 1 && context[Size.self] == 2)
        context[Count.self] = 3
        #expect(context[Name.self] == "a" && context[Count.self] == 3 && context[Size.self] == 2)
    }

    @Test func `a value can be removed without changing the others`() {
        var context = ContextValues()
        context[Name.self] = "a"
        context[Count.self] = 1
        context[Size.self] = 2
        context[Count.self] = nil
        #expect(context[Name.self] == "a" && context[Count.self] == nil && context[Size.self] == 2)
        context[Name.self] = nil
        context[Size.self] = nil
        context[Size.self] = nil
        #expect(context[Name.self] == nil && context[Count.self] == nil && context[Size.self] == nil)
    }

    @Test func `changing a copy does not change the original`() {
        var context = ContextValues()
        context[Count.self] = 1
        var copy = context
        copy[Count.self] = 2
        copy[Name.self] = "b"
        #expect(context[Count.self] == 1 && context[Name.self] == nil)
        #expect(copy[Count.self] == 2)
    }
}
