import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'

/** Signature algorithms that clients may use. */
export const ALGORITHMS = ['ES256', 'RS256', 'EdDSA', 'Ed25519'] as const

const RSA_BITS_MIN = 2048
const TEXT_MAX = 16_384

/** Parses a public key in PEM or JWK format and returns it as a JWK, or the problem. */
export function publicKeyOf(input: unknown): { readonly jwk: string } | { readonly problem: string } {
  const material = typeof input === 'string' && input.trimStart().startsWith('{') ? parsed(input) : input
  if (isPrivate(material))
    return { problem: 'expected a public key, received a private one (do not share private keys)' }
  try {
    const key = keyOf(material)
    return isFit(key) ? { jwk: JSON.stringify(key.export({ format: 'jwk' })) } : { problem: EXPECTED }
  } catch {
    return { problem: EXPECTED }
  }
}

const EXPECTED = 'expected a public key as PEM or JSON Web Key: P-256, RSA (2048 bits or more) or Ed25519'

/** Parses a stored key for signature checks. */
export const keyFrom = (jwk: string): KeyObject =>
  createPublicKey({ key: JSON.parse(jwk) as JsonWebKey, format: 'jwk' })

function parsed(text: string): unknown {
  try {
    return text.length > TEXT_MAX ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

const isPrivate = (material: unknown): boolean =>
  typeof material === 'string'
    ? material.includes('PRIVATE KEY')
    : typeof material === 'object' && material !== null && ('d' in material || 'k' in material)

function keyOf(material: unknown): KeyObject {
  if (typeof material !== 'string') return createPublicKey({ key: material as JsonWebKey, format: 'jwk' })
  if (material.length > TEXT_MAX) throw new Error('too long')
  return createPublicKey(material)
}

function isFit({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  if (type === 'ec') return details?.namedCurve === 'prime256v1'
  if (type === 'rsa') return (details?.modulusLength ?? 0) >= RSA_BITS_MIN
  return type === 'ed25519'
}
