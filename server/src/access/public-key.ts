import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'

/** How a program may sign. */
export const ALGORITHMS = ['ES256', 'RS256', 'EdDSA', 'Ed25519'] as const

const RSA_BITS_MIN = 2048
const TEXT_MAX = 16_384

/** A public key that was given in PEM or as a JSON Web Key, as the latter; else what is wrong with it. */
export function publicKeyOf(given: unknown): { readonly jwk: string } | { readonly problem: string } {
  const material = typeof given === 'string' && given.trimStart().startsWith('{') ? parsed(given) : given
  if (isPrivate(material))
    return { problem: 'expected a public key, received a private one: keep it to yourself' }
  try {
    const key = keyOf(material)
    return isFit(key) ? { jwk: JSON.stringify(key.export({ format: 'jwk' })) } : { problem: EXPECTED }
  } catch {
    return { problem: EXPECTED }
  }
}

const EXPECTED = 'expected a public key in PEM or as a JSON Web Key: P-256, RSA from 2048 bits on, or Ed25519'

/** As it is kept, for looking at what was signed with the other half. */
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
