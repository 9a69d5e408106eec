// The one file that selects the Combine implementation: Apple's, or OpenCombine if a package compiles this source with
// `OPENCOMBINE` defined. The other files import neither.
#if OPENCOMBINE
    @_exported import OpenCombine
#elseif canImport(Combine)
    @_exported import Combine
#endif

// Without Combine, this module only re-exports DataTransfer, so that shared code can import it without a condition.
@_exported import DataTransfer
