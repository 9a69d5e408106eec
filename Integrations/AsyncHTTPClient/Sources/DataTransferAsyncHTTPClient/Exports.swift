@_exported import NetworkCore
