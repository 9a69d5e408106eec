"""Writes X.509 certificates byte by byte, also those that no library agrees to write; only their keys and signatures are made by one.

    ca = authority("Root")
    site = leaf(ca, dns("site.example"), end=day(-1))
"""
import base64
import dataclasses
import datetime
import functools
import hashlib
import ipaddress
import itertools

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa

# MARK: DER (ITU-T X.690)


def der(tag, *parts):
    content = b"".join(parts)
    size = len(content)
    octets = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag]) + (bytes([size]) if size < 128 else bytes([128 + len(octets)]) + octets) + content


def integer(value):
    return der(2, value.to_bytes((value + (value < 0)).bit_length() // 8 + 1, "big", signed=True))


def bits(content, unused=0):
    return der(3, bytes([unused]), content)


def oid(text):
    first, second, *others = map(int, text.split("."))
    octets = bytes([40 * first + second])
    for number in others:
        groups = [number >> shift & 127 | 128 for shift in range(28, -1, -7) if number >> shift]
        octets += bytes(groups[:-1] + [groups[-1] & 127 if groups else 0])
    return der(6, octets)


sequence, octets, utf8, printable = (functools.partial(der, tag) for tag in (0x30, 4, 12, 19))
null = der(5)


def time(value):
    text = value.strftime("%Y%m%d%H%M%SZ").zfill(15).encode()
    return der(23, text[2:]) if 1950 <= value.year < 2050 else der(24, text)


def day(number):
    """The time now, some days before or after."""
    return datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=number)


# MARK: Names (RFC 5280 §4.1.2.4, §4.2.1.6)


def subject(common_name, string=utf8):
    """A name of one attribute, or of none for an empty text."""
    text = common_name.encode()
    return sequence(der(0x31, sequence(oid("2.5.4.3"), string(text)))) if text else sequence()


def octet_text(text):
    return text if isinstance(text, bytes) else text.encode()


def email(text):
    return der(0x81, octet_text(text))


def dns(text):
    return der(0x82, octet_text(text))


def uri(text):
    return der(0x86, octet_text(text))


def address(text):
    """An iPAddress: of an address, of the address and mask of a network, or of any bytes."""
    if isinstance(text, bytes):
        return der(0x87, text)
    if "/" in text:
        network = ipaddress.ip_network(text)
        return der(0x87, network.network_address.packed + network.netmask.packed)
    return der(0x87, ipaddress.ip_address(text).packed)


def directory(name):
    return der(0xA4, name)


# MARK: Extensions (RFC 5280 §4.2)

SERVER, CLIENT, ANY_PURPOSE = "1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2", "2.5.29.37.0"
DIGITAL_SIGNATURE, KEY_ENCIPHERMENT, CERTIFICATE_SIGNING, LIST_SIGNING = 0, 2, 5, 6


def extension(identifier, value, critical=False, true=b"\xff"):
    return sequence(oid(identifier), der(1, true) if critical else b"", octets(value))


def basic_constraints(ca, path=None, critical=True):
    return extension("2.5.29.19", sequence(der(1, b"\xff") if ca else b"", b"" if path is None else integer(path)), critical)


def key_usage(*usages):
    flags = sum(0x80 >> usage for usage in usages)
    return extension("2.5.29.15", bits(bytes([flags]), 7 - max(usages)), True)


def purposes(*identifiers):
    return extension("2.5.29.37", sequence(*map(oid, identifiers)))


def alternative_names(*names, critical=False):
    return extension("2.5.29.17", sequence(*names), critical)


def name_constraints(permitted=(), excluded=(), critical=True):
    lists = [der(tag, *map(sequence, names)) for tag, names in ((0xA0, permitted), (0xA1, excluded)) if names]
    return extension("2.5.29.30", sequence(*lists), critical)


def authority_key(identifier):
    return extension("2.5.29.35", sequence(der(0x80, identifier)))


# MARK: Keys and signatures


def make_key(kind):
    match kind:
        case "P-256":
            return ec.generate_private_key(ec.SECP256R1())
        case "P-384":
            return ec.generate_private_key(ec.SECP384R1())
        case "P-521":
            return ec.generate_private_key(ec.SECP521R1())
        case "secp256k1":
            return ec.generate_private_key(ec.SECP256K1())
        case "Ed25519":
            return ed25519.Ed25519PrivateKey.generate()
        case int():
            return rsa_key(kind)
        case _:
            return kind


@functools.cache
def rsa_key(size):
    """One for all certificates, as it takes long."""
    return rsa.generate_private_key(65537, size)


def public_key(key):
    return key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


HASHES = {"md5": hashes.MD5(), "sha1": hashes.SHA1(), "sha256": hashes.SHA256(), "sha384": hashes.SHA384(), "sha512": hashes.SHA512()}
RSA_SIGNATURES = {"md5": 4, "sha1": 5, "sha256": 11, "sha384": 12, "sha512": 13}
EC_SIGNATURES = {"sha1": "1", "sha256": "3.2", "sha384": "3.3", "sha512": "3.4"}


def signature_algorithm(key, hash):
    """The identifier of the algorithm, and a function that signs (RFC 3279, 4055, 5758, 8410)."""
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return sequence(oid("1.3.101.112")), key.sign
    if isinstance(key, ec.EllipticCurvePrivateKey):
        return sequence(oid("1.2.840.10045.4." + EC_SIGNATURES[hash])), lambda data: key.sign(data, ec.ECDSA(HASHES[hash]))
    if hash == "pss":
        digest = sequence(oid("2.16.840.1.101.3.4.2.1"), null)
        generator = sequence(oid("1.2.840.113549.1.1.8"), digest)
        parameters = sequence(der(0xA0, digest), der(0xA1, generator), der(0xA2, integer(32)))
        scheme = padding.PSS(padding.MGF1(hashes.SHA256()), 32)
        return sequence(oid("1.2.840.113549.1.1.10"), parameters), lambda data: key.sign(data, scheme, hashes.SHA256())
    identifier = sequence(oid(f"1.2.840.113549.1.1.{RSA_SIGNATURES[hash]}"), null)
    return identifier, lambda data: key.sign(data, padding.PKCS1v15(), HASHES[hash])


# MARK: Certificates (RFC 5280 §4.1)

serials = itertools.count(0x1000)


@dataclasses.dataclass
class Certificate:
    der: bytes
    key: object
    subject: bytes
    key_identifier: bytes

    def pem(self):
        return "-----BEGIN CERTIFICATE-----\n" + base64.encodebytes(self.der).decode() + "-----END CERTIFICATE-----\n"

    def key_pem(self):
        return self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()


def issue(name, issuer, extensions, *, key="P-256", start=None, end=None, version=3, serial=None, hash="sha256", signer=None,
          public=None, outer_hash=None, broken=False, key_identifiers=True):
    """A certificate for a name (DER) of an issuer, or of itself for None.

    `signer` signs instead of the issuer; `public` replaces the DER of the public key; `outer_hash` is the algorithm that is named beside
    the signature, outside of what is signed; `broken` alters the signature.
    """
    key = make_key(key)
    information = public or public_key(key)
    identifier = hashlib.sha1(information).digest()
    signing_key = signer.key if signer else issuer.key if issuer else key
    if key_identifiers:
        own = extension("2.5.29.14", octets(identifier))
        extensions = [*extensions, own, authority_key(issuer.key_identifier if issuer else identifier)]
    algorithm, signature = signature_algorithm(signing_key, hash)
    signed = sequence(
        der(0xA0, integer(version - 1)) if version > 1 else b"",
        integer(next(serials) if serial is None else serial),
        algorithm,
        issuer.subject if issuer else name,
        sequence(time(start or day(-1)), time(end or day(30))),
        name,
        information,
        der(0xA3, sequence(*extensions)) if extensions else b"",
    )
    value = signature(signed)
    if broken:
        # The last byte, so that the signature keeps its form.
        value = value[:-1] + bytes([value[-1] ^ 1])
    outer = signature_algorithm(signing_key, outer_hash)[0] if outer_hash else algorithm
    return Certificate(sequence(signed, outer, bits(value)), key, name, identifier)


def authority(common_name, issuer=None, *more, constraints=basic_constraints(True), usage=key_usage(CERTIFICATE_SIGNING, LIST_SIGNING), **options):
    """A root, or an intermediate. `constraints` and `usage` are left out if they are empty."""
    return issue(options.pop("name", subject(common_name)), issuer, [e for e in (constraints, usage, *more) if e], **options)


def leaf(issuer, *names, more=(), common_name="leaf", constraints=basic_constraints(False), usage=key_usage(DIGITAL_SIGNATURE),
         purpose=purposes(SERVER), san=None, **options):
    """The certificate of a server. `san` replaces the extension of the alternative names; what is empty is left out."""
    if san is None:
        san = alternative_names(*names) if names else b""
    return issue(options.pop("name", subject(common_name)), issuer, [e for e in (constraints, usage, purpose, san, *more) if e], **options)
