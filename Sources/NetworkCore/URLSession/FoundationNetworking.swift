// On Linux the URL-loading types live in a module of their own; every other file just says `import Foundation`.
#if canImport(FoundationNetworking)
    @_exported public import FoundationNetworking
#endif
