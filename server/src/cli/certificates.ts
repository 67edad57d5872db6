import { readFileSync } from 'node:fs'
import type { RequestOptions } from 'node:https'
import { Readable } from 'node:stream'
import { UsageError } from './command.ts'

/** Which certificates a server may show: those a file vouches for, beside the usual ones; or its own one alone. */
export type Trust =
  | { readonly kind: 'authority'; readonly file: string }
  | { readonly kind: 'own'; readonly file: string }

/** `fetch` for https with certificates that the machine does not know. */
export function fetchTrusting(trust: Trust): typeof fetch {
  const pem = certificateIn(trust.file)
  return async (input, init = {}) => {
    // A tenth of the time that a command without https takes to load.
    const [{ request }, { rootCertificates }] = await Promise.all([import('node:https'), import('node:tls')])
    const options = tlsOptions(trust.kind, pem, rootCertificates)
    return new Promise<Response>((resolve, reject) => {
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
}

function tlsOptions(kind: Trust['kind'], pem: string, usual: readonly string[]): RequestOptions {
  if (kind === 'authority') return { ca: [...usual, pem] }
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
