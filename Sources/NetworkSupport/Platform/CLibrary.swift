// The C library of the platform, with the names of its module. Files that use its types import NetworkSupport, and not Glibc or Musl: Swift's
// static SDK for Linux has only the latter. `import Foundation` alone is not enough: for its members, the compiler requires this import.
#if canImport(Darwin)
    @_exported import Darwin
#elseif canImport(Musl)
    @_exported import Musl
#elseif canImport(Glibc)
    @_exported import Glibc
#elseif canImport(Android)
    @_exported import Android
#endif
