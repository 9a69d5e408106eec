// On Apple platforms `URLSessionManager` is a part of NetworkCore, whose default session manager it is. Sources that import this module build
// there and on Linux, where it is `Sources/NetworkCore/URLSession`.
@_exported import NetworkCore
