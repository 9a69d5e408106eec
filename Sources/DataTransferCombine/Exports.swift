// One place decides whose Combine it is: Apple's, or OpenCombine where a package compiles this source with `OPENCOMBINE`
// defined. The other files name neither.
#if OPENCOMBINE
    @_exported import OpenCombine
#elseif canImport(Combine)
    @_exported import Combine
#endif

// Without Combine this module is DataTransfer under another name, so that shared code needs no condition to import it.
@_exported import DataTransfer
