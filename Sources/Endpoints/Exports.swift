// Public types conform to `RedactedStringConvertible`, so `import Endpoints` alone must be enough to print them.
@_exported import NetworkLogging
