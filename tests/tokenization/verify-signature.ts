import { createHash, createPublicKey, verify } from 'node:crypto'

/** A request as an issuer received it. */
export type Received = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Buffer
}
type Trust = { readonly keyId: string; readonly publicKey: string; readonly nowSeconds: number }

/**
 * Checks the signature (RFC 9421) and the digest (RFC 9530) of a request, written from the standards. It builds the
 * signature base from the components in Signature-Input. Returns the problem, or undefined.
 */
export function signatureFault(
  request: Received,
  { keyId, publicKey, nowSeconds }: Trust,
): string | undefined {
  const input = /^sig=(\(.*?\))(;.*)$/.exec(single(request, 'signature-input') ?? '')
  if (!input) return 'no Signature-Input of the label sig'
  const [, list, rest] = input as unknown as [string, string, string]
  const params = new Map([...rest.matchAll(/;([a-z]+)=("([^"]*)"|\d+)/g)].map((m) => [m[1]!, m[3] ?? m[2]!]))
  if (rest !== [...rest.matchAll(/;[a-z]+=(?:"[^"]*"|\d+)/g)].join('')) return 'unreadable parameters'
  if ([...params.keys()].join() !== 'created,keyid,alg,nonce') return `parameters ${[...params.keys()]}`
  if (params.get('keyid') !== keyId) return 'another key'
  if (params.get('alg') !== 'ed25519') return 'another algorithm'
  if (!/^[0-9a-f]{32}$/.test(params.get('nonce')!)) return 'no nonce of 128 bits'
  if (Math.abs(Number(params.get('created')) - nowSeconds) > 60) return 'made at another time'

  const names = [...list.slice(1, -1).matchAll(/"([^"]+)"/g)].map((match) => match[1]!)
  const wanted = request.body.length > 0 ? WITH_BODY : WITHOUT
  if (list !== `(${wanted.map((name) => `"${name}"`).join(' ')})`) return `covers ${list}`
  const lines = names.map((name) => `"${name}": ${componentOf(request, name)}`)
  const base = [...lines, `"@signature-params": ${list}${rest}`].join('\n')
  const signature = /^sig=:([A-Za-z0-9+/]+=*):$/.exec(single(request, 'signature') ?? '')?.[1]
  if (signature === undefined) return 'no Signature of the label sig'
  const isRight = verify(
    null,
    Buffer.from(base),
    createPublicKey(publicKey),
    Buffer.from(signature, 'base64'),
  )
  if (!isRight) return 'the signature is not that of the request'
  return request.body.length > 0 ? digestFault(request) : undefined
}

const WITHOUT = ['@method', '@target-uri']
const WITH_BODY = [...WITHOUT, 'content-type', 'content-digest']

function digestFault(request: Received): string | undefined {
  const digest = createHash('sha256').update(request.body).digest('base64')
  return single(request, 'content-digest') === `sha-256=:${digest}:`
    ? undefined
    : 'the digest is not that of the body'
}

function componentOf(request: Received, name: string): string {
  if (name === '@method') return request.method
  if (name === '@target-uri') return request.url
  return single(request, name) ?? ''
}

/** The value of a header field that occurs at most once. */
function single({ headers }: Received, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value.trim() : undefined
}
