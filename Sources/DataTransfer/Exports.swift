// Re-exported, so that a program needs only `import DataTransfer`.
@_exported import Endpoints
@_exported import NetworkCore
@_exported import NetworkLogging
