import { createPrivateKey, generateKeyPairSync, hash, type KeyObject, randomBytes, sign } from 'node:crypto'
import { definedFields } from '@quipu/core/values'

/** An Ed25519 key pair: Quipu signs with the private key, the issuer checks with the public one. */
export type IssuerKey = { readonly keyId: string; readonly publicKey: string; readonly privateKey: string }

export function newSigningKey(now: Date): IssuerKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return {
    keyId: `quipu-issuer-${now.toISOString().slice(0, 7)}-${randomBytes(4).toString('hex')}`,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
}

export type Signable = {
  readonly method: string
  readonly url: string
  /** Absent for a request without a body. */
  readonly body?: string | undefined
}

/**
 * Signature headers by RFC 9421 and RFC 9530. They cover the method, the URL and, with a body, its type and digest.
 */
export function signatureHeaders(
  { method, url, body }: Signable,
  { keyId, privateKey }: IssuerKey,
  { createdSeconds, nonce }: { readonly createdSeconds: number; readonly nonce: string },
): Readonly<Record<string, string>> {
  const digest = body === undefined ? undefined : `sha-256=:${hash('sha256', body, 'base64')}:`
  const covered: readonly (readonly [string, string])[] = [
    ['@method', method],
    ['@target-uri', url],
    ...(digest === undefined
      ? []
      : ([
          ['content-type', CONTENT_TYPE],
          ['content-digest', digest],
        ] as const)),
  ]
  const names = covered.map(([name]) => `"${name}"`).join(' ')
  const params = `(${names});created=${createdSeconds};keyid="${keyId}";alg="ed25519";nonce="${nonce}"`
  const base = [
    ...covered.map(([name, value]) => `"${name}": ${value}`),
    `"@signature-params": ${params}`,
  ].join('\n')
  const signature = sign(null, Buffer.from(base), keyOf(privateKey)).toString('base64')
  return {
    ...definedFields({ 'Content-Digest': digest }),
    'Signature-Input': `sig=${params}`,
    Signature: `sig=:${signature}:`,
  }
}

export const CONTENT_TYPE = 'application/json'

/** The last parsed key is cached, because there is rarely another. */
let read: { readonly pem: string; readonly key: KeyObject } | undefined
function keyOf(pem: string): KeyObject {
  if (read?.pem !== pem) read = { pem, key: createPrivateKey(pem) }
  return read.key
}
