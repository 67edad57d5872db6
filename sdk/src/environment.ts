import type { ClientOptions, RequestOptions } from './client.ts'
import type { Credential } from './request.ts'

/** Where the server is, and who calls. Every field has a default. */
export type ConnectOptions = Credential &
  RequestOptions & {
    /** URL of the server. Default: QUIPU_URL, then APCA_API_BASE_URL, then the official host of `paper`. */
    readonly url?: string | undefined
    /** URL of the market data, if it has another host. Default: APCA_API_DATA_URL, then `url`. */
    readonly dataUrl?: string | undefined
    /** Whether an official host is the paper or the live one. Default: true. */
    readonly paper?: boolean | undefined
  }

/** The servers and the credential of a connection. */
export type Connection = {
  readonly trading: ClientOptions
  readonly data: ClientOptions
  /** URL of the market-data streams. */
  readonly streamUrl: string
  /** Whether the trading server is an official host, and not Quipu. */
  readonly isOfficial: boolean
}

type Variables = Readonly<Record<string, string | undefined>>

const variables = (): Variables => (globalThis as { process?: { env?: Variables } }).process?.env ?? {}

const official = {
  paper: 'https://paper-api.alpaca.markets',
  live: 'https://api.alpaca.markets',
  data: 'https://data.alpaca.markets',
  stream: 'https://stream.data.alpaca.markets',
} as const

/** Reads omitted options from the environment. Browsers have none. */
export function connectionOf(options: ConnectOptions, env: Variables = variables()): Connection {
  const { keyId, secretKey, accessToken, basic, url, dataUrl, paper = true, ...rest } = options
  const own = url ?? textOf(env['QUIPU_URL']) ?? textOf(env['APCA_API_BASE_URL'])
  const tradingUrl = withoutVersion(own ?? (paper ? official.paper : official.live))
  const isOfficial = /\.alpaca\.markets$/.test(new URL(tradingUrl).hostname)
  const chosenData = dataUrl ?? (url === undefined ? textOf(env['APCA_API_DATA_URL']) : undefined)
  const data = withoutVersion(chosenData ?? (isOfficial ? official.data : tradingUrl))
  const credential =
    explicit({ keyId, secretKey, accessToken, basic }) ?? ofEnvironment(url !== undefined, env)
  const common = { ...rest, ...credential }
  return {
    trading: { ...common, url: tradingUrl },
    data: { ...common, url: data },
    streamUrl: data === official.data ? official.stream : data,
    isOfficial,
  }
}

type AnyCredential = { readonly [Field in keyof Credential]: Credential[Field] }

/** Half a key is never completed from the environment: its other half belongs to another key. */
function explicit({ keyId, secretKey, accessToken, basic }: AnyCredential): Credential | undefined {
  if (accessToken !== undefined) return { accessToken }
  if (basic !== undefined) return { basic }
  if (keyId !== undefined && secretKey !== undefined) return { keyId, secretKey }
  if (keyId === undefined && secretKey === undefined) return undefined
  throw new TypeError(
    `${keyId === undefined ? 'secretKey without keyId' : 'keyId without secretKey'}: set both`,
  )
}

/**
 * A token of the environment, then a key. With QUIPU_URL, a key for that server is used before a key for other servers;
 * without it, it is sent nowhere.
 */
function ofEnvironment(hasUrl: boolean, env: Variables): Credential {
  const token = textOf(env['APCA_API_OAUTH_TOKEN'])
  if (token !== undefined) return { accessToken: token }
  const isQuipu = !hasUrl && textOf(env['QUIPU_URL']) !== undefined
  for (const prefix of isQuipu ? ['QUIPU', 'APCA_API'] : ['APCA_API']) {
    const keyOf = (part: string) => textOf(env[`${prefix}_${part}`])
    const [id, secret] = [keyOf('KEY_ID'), keyOf('SECRET_KEY')]
    if (id !== undefined && secret !== undefined) return { keyId: id, secretKey: secret }
  }
  throw new TypeError(
    'no credential: set keyId and secretKey, or accessToken, or APCA_API_KEY_ID and APCA_API_SECRET_KEY',
  )
}

const textOf = (text: string | undefined): string | undefined => (text === '' ? undefined : text)

/** Some programs set a base URL with the version, which is part of every path here. */
const withoutVersion = (url: string): string => url.replace(/\/+$/, '').replace(/\/v2$/, '')
