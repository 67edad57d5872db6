import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  GeneralSubtree,
  GeneralSubtrees,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_nameConstraints,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  NameConstraints,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509'
import { certificateNames, OFFICIAL_DOMAIN } from './hosts.ts'

/** A certificate and its private key, as PEM. */
export type Certified = { readonly certificate: string; readonly key: string }

const DAY_MS = 86_400_000
const AUTHORITY_DAYS = 3650
// Apple's clients refuse certificates that are valid for more than 825 days.
const SERVER_DAYS = 397

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2'
const COMMON_NAME = '2.5.4.3'
const AUTHORITY_NAME = 'Quipu local authority'

/** A certificate authority that can vouch for nothing but the official hosts and this machine. */
export function newAuthority(now: Date): Certified {
  const keys = newKeys()
  const extensions = [
    extension(id_ce_basicConstraints, true, new BasicConstraints({ cA: true, pathLenConstraint: 0 })),
    extension(id_ce_keyUsage, true, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign)),
    extension(id_ce_nameConstraints, true, permittedNames()),
    extension(id_ce_subjectKeyIdentifier, false, new SubjectKeyIdentifier(keyIdOf(keys.key))),
  ]
  const subject = nameOf(AUTHORITY_NAME)
  return issue({ subject, issuer: subject, extensions, now, days: AUTHORITY_DAYS, signWith: keys.key, keys })
}

/** A server certificate of the authority for all names that it may vouch for. */
export function newServerCertificate(
  authority: Certified,
  now: Date,
  hosts: readonly string[] = certificateNames,
): Certified {
  const keys = newKeys()
  const names = [
    ...hosts.map((dNSName) => new GeneralName({ dNSName })),
    ...['127.0.0.1', '127.77.7.7', '::1'].map((iPAddress) => new GeneralName({ iPAddress })),
  ]
  const keyIdentifier = new KeyIdentifier(keyIdOf(authority.key))
  const extensions = [
    extension(id_ce_basicConstraints, true, new BasicConstraints()),
    extension(id_ce_keyUsage, true, new KeyUsage(KeyUsageFlags.digitalSignature)),
    extension(id_ce_extKeyUsage, false, new ExtendedKeyUsage([id_kp_serverAuth])),
    extension(id_ce_subjectAltName, false, new SubjectAlternativeName(names)),
    extension(id_ce_subjectKeyIdentifier, false, new SubjectKeyIdentifier(keyIdOf(keys.key))),
    extension(id_ce_authorityKeyIdentifier, false, new AuthorityKeyIdentifier({ keyIdentifier })),
  ]
  const [subject, issuer] = [nameOf('Quipu'), nameOf(AUTHORITY_NAME)]
  return issue({ subject, issuer, extensions, now, days: SERVER_DAYS, signWith: authority.key, keys })
}

function permittedNames(): NameConstraints {
  const bases = [
    new GeneralName({ dNSName: OFFICIAL_DOMAIN }),
    new GeneralName({ dNSName: 'localhost' }),
    new GeneralName({ iPAddress: '127.0.0.0/8' }),
    new GeneralName({ iPAddress: '::1/128' }),
  ]
  return new NameConstraints({
    permittedSubtrees: new GeneralSubtrees(bases.map((base) => new GeneralSubtree({ base }))),
  })
}

type Issue = {
  readonly subject: Name
  readonly issuer: Name
  readonly extensions: readonly Extension[]
  readonly now: Date
  readonly days: number
  readonly signWith: string
  readonly keys: Keys
}

function issue({ subject, issuer, extensions, now, days, signWith, keys }: Issue): Certified {
  const signature = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 })
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: serialNumber(),
    signature,
    issuer,
    subject,
    // A clock that is a little behind must not refuse a new certificate.
    validity: new Validity({
      notBefore: new Date(now.getTime() - DAY_MS),
      notAfter: new Date(now.getTime() + days * DAY_MS),
    }),
    subjectPublicKeyInfo: AsnConvert.parse(keys.publicDer, SubjectPublicKeyInfo),
    extensions: new Extensions([...extensions]),
  })
  const signed = sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), signWith)
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm: signature,
    signatureValue: bytesOf(signed),
  })
  return { certificate: pemOf(AsnConvert.serialize(certificate)), key: keys.key }
}

type Keys = { readonly key: string; readonly publicDer: ArrayBuffer }

function newKeys(): Keys {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    publicDer: bytesOf(publicKey.export({ type: 'spki', format: 'der' })),
  }
}

/** Positive and 16 bytes long. */
function serialNumber(): ArrayBuffer {
  const bytes = randomBytes(16)
  bytes[0] = 0x40 | (bytes[0]! & 0x3f)
  return bytesOf(bytes)
}

function keyIdOf(privateKey: string): OctetString {
  const der = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  return new OctetString(bytesOf(createHash('sha256').update(der).digest().subarray(0, 20)))
}

const extension = (extnID: string, critical: boolean, value: unknown): Extension =>
  new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) })

function nameOf(commonName: string): Name {
  const value = new AttributeValue({ utf8String: commonName })
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: COMMON_NAME, value })])])
}

const bytesOf = (buffer: Buffer): ArrayBuffer => new Uint8Array(buffer).buffer

function pemOf(der: ArrayBuffer): string {
  const lines = Buffer.from(der)
    .toString('base64')
    .match(/.{1,64}/g)!
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}
