import { readFileSync } from 'node:fs'
import { type RequestOptions, request } from 'node:https'
import { Readable } from 'node:stream'
import { rootCertificates } from 'node:tls'
import { UsageError } from './command.ts'

/** Which certificates a server may show: those a file vouches for, beside the usual ones; or its own one alone. */
export type Trust =
  | { readonly kind: 'authority'; readonly file: string }
  | { readonly kind: 'own'; readonly file: string }

/** `fetch` for https with certificates that the machine does not know. */
export function fetchTrusting(trust: Trust): typeof fetch {
  const options = tlsOptions(trust)
  return (input, init = {}) =>
    new Promise<Response>((resolve, reject) => {
      const { method = 'GET', headers, body, signal } = init
      const asked = request(
        String(input),
        { ...options, method, headers: Object.fromEntries(new Headers(headers)), ...(signal && { signal }) },
        (answer) => {
          const { statusCode: status = 0, headers: told } = answer
          const isEmpty = status === 204 || status === 304
          const pairs = Object.entries(told).map(([name, value]): [string, string] => [name, String(value)])
          // Nobody listens for the end of a body that was left unread.
          answer.on('error', () => {})
          resolve(
            new Response(isEmpty ? null : (Readable.toWeb(answer) as ReadableStream), {
              status,
              headers: pairs,
            }),
          )
        },
      )
      asked.on('error', reject)
      asked.end(body ?? undefined)
    })
}

function tlsOptions({ kind, file }: Trust): RequestOptions {
  const pem = certificateIn(file)
  if (kind === 'authority') return { ca: [...rootCertificates, pem] }
  // The file is the server's own, so its certificate is right under any name of this machine.
  return { ca: pem, allowPartialTrustChain: true, checkServerIdentity: () => undefined } as RequestOptions
}

function certificateIn(file: string): string {
  const text = textIn(file)
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw new UsageError(`${file}: expected a certificate in PEM format (-----BEGIN CERTIFICATE-----)`)
}

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`cannot read the certificate ${file}: ${(error as Error).message}`)
  }
}
