import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { RequestOptions } from 'node:https'
import type { ConnectionOptions } from 'node:tls'
import {
  type OwnerCredentials,
  readCredentials,
  readServerFile,
  type ServerFile,
} from '@quipu/broker/data-folder/owner-file.ts'
import { CLI_AGENT } from '@quipu/contract'
import { errorMessage } from '@quipu/core/values'
import { type Client, type ClientOptions, createClient } from '@quipu/sdk'
import type { Config } from '@quipu/server/config/config.ts'
import type { UpstreamTls } from '../run/gateway/upstream.ts'
import { CommandFailed, NoServer, UsageError } from './command.ts'
import { isAlive } from './running-servers.ts'

/** The server of a command: that of --url, or the one that the server file of the data folder describes. */
export type FoundServer = Pick<ServerFile, 'url' | 'publicUrl'> &
  Partial<Pick<ServerFile, 'pid' | 'version' | 'certificate'>>

/** The URL of the server, and a fetch that trusts its certificate. */
export type Endpoint = Pick<ClientOptions, 'url' | 'fetch'>

type KeyPair = { readonly keyId: string; readonly secretKey: string }

export function endpointOf(config: Config): Endpoint {
  const { url } = findServer(config)
  const trust = url.startsWith('https:') ? trusted(config, url) : undefined
  return { url, fetch: named(trust ? fetchTrusting(trust) : plainFetch) }
}

/** The request log shows requests of this program by this name. */
const named =
  (plain: typeof fetch): typeof fetch =>
  (to, init) =>
    plain(to, { ...init, headers: { ...(init?.headers as object), 'user-agent': CLI_AGENT } })

/** The file of --ca, else the certificate of the server on the data folder, if the URL is its own address. */
function trusted({ ca, data, url: selected }: Config, url: string): Trust | undefined {
  const own = data.kind === 'folder' ? readServerFile(data.path) : undefined
  const isOwn = own?.certificate !== undefined && own.url === url
  // An authority does not vouch for the own address, which is `localhost` for a server on all addresses.
  if (isOwn && (ca === undefined || selected === undefined)) return { kind: 'own', file: own.certificate! }
  return ca === undefined ? undefined : { kind: 'authority', file: ca }
}

/** The server of --url, else of the data folder. Throws NoServer. */
export function findServer(config: Config): FoundServer {
  if (config.url !== undefined) return { url: config.url }
  return runningServer(config)
}

/** The server of the data folder. Throws NoServer. */
export function runningServer({ data }: Config): ServerFile {
  const hint = 'start one with `quipu start`, or set --url'
  if (data.kind === 'memory')
    throw new NoServer(`a server in memory has no data folder: set its URL with --url`)
  const server = readServerFile(data.path)
  if (server === undefined) throw new NoServer(`no server is running on ${data.path}: ${hint}`)
  if (isAlive(server.pid)) return server
  throw new NoServer(`no server is running on ${data.path} (process ${server.pid} has ended): ${hint}`)
}

/**
 * The data folder, for a command that works on local files. QUIPU_URL may be an address of the server on this folder; any
 * other URL means a remote server.
 */
export function localFolder(config: Config, what: string): string {
  const { data, url } = config
  if (data.kind === 'memory') throw new UsageError('a server in memory has no folder: set one with --data')
  const own = url === undefined ? undefined : readServerFile(data.path)
  if (url !== undefined && url !== own?.url && url !== own?.publicUrl)
    throw new UsageError(
      `${what} works on a data folder of this machine: set --data instead of --url or QUIPU_URL`,
    )
  return data.path
}

/** The data folder, if the server of the command runs on it. */
export function folderOfServer(config: Config): string | undefined {
  if (config.data.kind === 'memory') return undefined
  const own = readServerFile(config.data.path)
  const { url } = findServer(config)
  return own && (url === own.url || url === own.publicUrl) ? config.data.path : undefined
}

/** Whether a server is running; otherwise a command opens the data folder itself. */
export function isServed(config: Config): boolean {
  try {
    findServer(config)
    return true
  } catch (error) {
    if (error instanceof NoServer) return false
    throw error
  }
}

/** Some commands, such as a long advance, take minutes. */
const TIMEOUT_MS = 3_600_000

export const operatorClient = (config: Config): Client =>
  createClient({ ...operatorOptions(config), timeoutMs: TIMEOUT_MS })

/** The server, and the operator key: from the settings, else from the owner's file. */
export function operatorOptions(config: Config): Endpoint & KeyPair {
  const reach = endpointOf(config)
  const stored: OwnerCredentials = config.data.kind === 'folder' ? readCredentials(config.data.path) : {}
  const keyId = config.brokerKey ?? stored.brokerKey
  const secretKey = config.brokerSecret ?? stored.brokerSecret
  if (keyId === undefined || secretKey === undefined)
    throw new CommandFailed(
      'no operator credential: set QUIPU_BROKER_KEY and QUIPU_BROKER_SECRET, or with --data the folder of the first start',
    )
  return { ...reach, keyId, secretKey }
}

/** The same, and a function that ends open requests. One to a server that is silent would keep the process for its whole timeout. */
export function closableOptions(config: Config): {
  readonly options: ClientOptions
  close(): Promise<void>
} {
  const options = operatorOptions(config)
  const closed = new AbortController()
  const plain = options.fetch ?? plainFetch
  const closable: typeof fetch = (to, init) => {
    const signals = init?.signal ? [init.signal, closed.signal] : [closed.signal]
    return plain(to, { ...init, signal: AbortSignal.any(signals) })
  }
  return { options: { ...options, fetch: closable }, close: async () => closed.abort() }
}

export const anonymousClient = (config: Config): Client => createClient(endpointOf(config))

/** Trusted certificates: an additional authority, or only the certificate of the server. */
export type Trust =
  | { readonly kind: 'authority'; readonly file: string }
  | { readonly kind: 'own'; readonly file: string }

/** Loaded with the first request, because it takes a tenth of the time of a command without one. */
export const plainFetch: typeof fetch = async (input, init) =>
  (await import('./node-fetch.ts')).nodeFetch(String(input), init)

/** `fetch` for https with certificates that the system does not trust. */
export function fetchTrusting(trust: Trust): typeof fetch {
  const pem = certificateIn(trust.file)
  return async (input, init) => {
    const [{ nodeFetch }, tls] = await Promise.all([import('./node-fetch.ts'), import('node:tls')])
    return nodeFetch(String(input), init, tlsOptions(trust.kind, pem, tls) as RequestOptions)
  }
}

type Tls = typeof import('node:tls')

function tlsOptions(kind: Trust['kind'], pem: string, tls: Tls): UpstreamTls {
  if (kind === 'authority') return { ca: [...tls.rootCertificates, pem] }
  const createConnection = pinnedTo(pem, tls.connect)
  // The file is the server's certificate, so it is valid for any name of this machine.
  const any = { ca: pem, allowPartialTrustChain: true, checkServerIdentity: () => undefined }
  return { ...any, createConnection } as UpstreamTls
}

/**
 * Connects to a server that shows exactly this certificate, or one that it vouches for. An expired certificate keeps clients
 * away, but not the commands of its own machine: they mend it.
 */
const pinnedTo =
  (pem: string, connect: Tls['connect']): NonNullable<UpstreamTls['createConnection']> =>
  (options, done) => {
    // The path of a request is not that of a socket.
    const socket = connect({ ...(options as ConnectionOptions), path: undefined, rejectUnauthorized: false })
    const fail = (error: Error) => done(error, socket)
    socket.once('error', fail).once('secureConnect', () => {
      socket.off('error', fail)
      const shown = socket.getPeerX509Certificate()
      if (socket.authorized || shown?.raw.equals(new X509Certificate(pem).raw)) return done(null, socket)
      const code = String(socket.authorizationError)
      socket.destroy()
      fail(Object.assign(new Error(`the server shows another certificate (${code})`), { code }))
    })
    return undefined
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
    throw new UsageError(`cannot read the certificate ${file}: ${errorMessage(error)}`)
  }
}

/** The same for connections of TLS and WebSockets. */
export async function trustOf(config: Config): Promise<UpstreamTls | undefined> {
  const trust = trusted(config, findServer(config).url)
  return trust && tlsOptions(trust.kind, certificateIn(trust.file), await import('node:tls'))
}
