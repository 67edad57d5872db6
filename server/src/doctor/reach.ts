import type { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { errorMessage } from '@quipu/core/values'
import { type Check, finding, fine } from './check.ts'
import { certificateCheck } from './machine.ts'
import { shellWord } from './shell-word.ts'

const TIMEOUT_MS = 5_000

/** An address that clients use, and the authorities that are trusted besides those of the system. */
export type Reached = { readonly url: string; readonly ca?: readonly string[] | undefined }

/** Asks Quipu at an address. The certificate is examined even if it is not valid. */
export async function reachChecks({ url, ca }: Reached, nowMs: number): Promise<readonly Check[]> {
  const fix = `curl -v ${shellWord(`${url}/readyz`)}    # check DNS, firewall, proxy and QUIPU_PUBLIC_URL`
  try {
    const { response, certificate, problem } = await ask(`${url}/readyz`, ca)
    const isQuipu = response.headers['x-quipu-version'] !== undefined
    const address = isQuipu
      ? fine('address', `${url} answers`)
      : finding('address', `${url} leads to another program (status ${response.statusCode})`, fix)
    return [address, ...(certificate ? [trustCheck(url, certificate, problem, nowMs)] : [])]
  } catch (error) {
    return [finding('address', `${url} cannot be reached: ${errorMessage(error)}`, fix)]
  }
}

function trustCheck(url: string, certificate: X509Certificate, problem: string | undefined, nowMs: number) {
  const check = certificateCheck(url, certificate, nowMs)
  if (!check.ok || problem === undefined) return check
  return finding(
    'certificate',
    `clients do not trust the certificate of ${url}: ${problem}`,
    `openssl s_client -connect ${hostOf(url)} -showcerts </dev/null    # install the whole chain, for the right name`,
  )
}

const hostOf = (url: string): string => {
  const { hostname, port } = new URL(url)
  return `${hostname}:${port || 443}`
}

type ReachResponse = {
  readonly response: IncomingMessage
  readonly certificate?: X509Certificate | undefined
  /** Why the certificate is not trusted. */
  readonly problem?: string | undefined
}

async function ask(url: string, ca: readonly string[] | undefined): Promise<ReachResponse> {
  const isTls = url.startsWith('https:')
  const { request } = isTls ? await import('node:https') : await import('node:http')
  const options = isTls ? { rejectUnauthorized: false, ...(ca && { ca: [...ca] }) } : {}
  // Counted from the start: another program may send for ever, and little.
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { ...options, signal, agent: false }, (response) => {
      // A TLS socket has the certificate of the server, and why it was not accepted.
      const socket = response.socket as TLSSocket
      const certificate = isTls ? socket.getPeerX509Certificate() : undefined
      const problem = isTls && !socket.authorized ? String(socket.authorizationError) : undefined
      response.on('error', () => undefined).destroy()
      resolve({ response, certificate, problem })
    })
    const noResponse = new Error(`no response after ${TIMEOUT_MS / 1000} s`)
    outgoing.on('error', (error) => reject(signal.aborted ? noResponse : error)).end()
  })
}
