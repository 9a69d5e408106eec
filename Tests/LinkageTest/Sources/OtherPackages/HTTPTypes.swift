// swift-format-ignore-file
// The names of the public top-level types of HTTPTypes in swift-http-types 1.6.0, with the nine commits after it (e186752b). A name that another file here declares is left out.

public enum HTTPField {}
public enum HTTPFields {}
public enum HTTPRequest {}
public enum HTTPResponse {}
