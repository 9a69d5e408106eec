// An upload is a method of a service, so `import ResumableUploads` alone must be enough.
@_exported import DataTransfer
