@_exported import NetworkCore
@_exported import OpenAPIRuntime
