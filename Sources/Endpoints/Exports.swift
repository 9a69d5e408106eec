// Decoders and encoders of JSON are part of the interface, and public types conform to `RedactedStringConvertible`, so `import Endpoints` alone
// must be enough to use and to print them.
@_exported import NetworkJSON
@_exported import NetworkLogging
