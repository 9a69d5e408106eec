extension MultipartFormData {
    /// The media type that a file name's extension stands for, compared without case; `application/octet-stream` for any other.
    public static func contentType(forFileName name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "application/octet-stream" }
        return contentTypes[name[name.index(after: dot)...].lowercased()] ?? "application/octet-stream"
    }

    // As IANA registers them, where it does.
    private static let contentTypes = [
        "7z": "application/x-7z-compressed", "aac": "audio/aac", "apng": "image/apng", "avi": "video/x-msvideo",
        "avif": "image/avif",
        "bmp": "image/bmp", "bz2": "application/x-bzip2", "css": "text/css", "csv": "text/csv", "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "epub": "application/epub+zip",
        "flac": "audio/flac", "gif": "image/gif", "gz": "application/gzip", "heic": "image/heic", "heif": "image/heif",
        "htm": "text/html", "html": "text/html", "ico": "image/vnd.microsoft.icon", "ics": "text/calendar", "jpeg": "image/jpeg",
        "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json", "jsonl": "application/jsonl",
        "jxl": "image/jxl",
        "log": "text/plain", "m4a": "audio/mp4", "m4v": "video/x-m4v", "md": "text/markdown", "mid": "audio/midi",
        "mjs": "text/javascript", "mkv": "video/matroska", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4",
        "mpeg": "video/mpeg", "mpg": "video/mpeg", "odp": "application/vnd.oasis.opendocument.presentation",
        "ods": "application/vnd.oasis.opendocument.spreadsheet", "odt": "application/vnd.oasis.opendocument.text",
        "oga": "audio/ogg",
        "ogg": "audio/ogg", "ogv": "video/ogg", "opus": "audio/ogg", "otf": "font/otf", "pdf": "application/pdf",
        "png": "image/png",
        "ppt": "application/vnd.ms-powerpoint",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation", "rtf": "application/rtf",
        "svg": "image/svg+xml", "tar": "application/x-tar", "tif": "image/tiff", "tiff": "image/tiff", "ttf": "font/ttf",
        "txt": "text/plain", "wasm": "application/wasm", "wav": "audio/wav", "weba": "audio/webm", "webm": "video/webm",
        "webp": "image/webp", "woff": "font/woff", "woff2": "font/woff2", "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml",
        "yaml": "application/yaml", "yml": "application/yaml", "zip": "application/zip", "zst": "application/zstd",
    ]
}
