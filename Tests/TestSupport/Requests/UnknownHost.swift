/// A host name that does not exist, and for which no name server is asked, because its first label has more than 63 bytes (RFC 1035 §2.3.4).
///
/// So tests depend on no network: a name server that loses a packet delays a lookup by five seconds or more.
package let unknownHost = String(repeating: "a", count: 64) + ".invalid"
