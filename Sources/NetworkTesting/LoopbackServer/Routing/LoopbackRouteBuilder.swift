/// Collects the ``Route`` values listed in a ``LoopbackServer``'s closure. Conditions and loops are possible.
@resultBuilder
public enum LoopbackRouteBuilder {
    /// One route.
    public static func buildExpression(_ route: Route) -> [Route] { [route] }

    /// Routes made elsewhere.
    public static func buildExpression(_ routes: [Route]) -> [Route] { routes }

    /// The routes in the order they are listed.
    public static func buildBlock(_ parts: [Route]...) -> [Route] { parts.flatMap { $0 } }

    /// `if` without `else`.
    public static func buildOptional(_ routes: [Route]?) -> [Route] { routes ?? [] }

    /// The first branch of `if` or `switch`.
    public static func buildEither(first routes: [Route]) -> [Route] { routes }

    /// The other branch of `if` or `switch`.
    public static func buildEither(second routes: [Route]) -> [Route] { routes }

    /// `for … in`.
    public static func buildArray(_ parts: [[Route]]) -> [Route] { parts.flatMap { $0 } }
}
