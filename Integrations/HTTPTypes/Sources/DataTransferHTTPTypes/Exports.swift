@_exported import HTTPTypes
@_exported import NetworkCore
