import { resolve } from 'node:path'
import { type AddedSymbol, addedSymbolOf, fail, ok } from '@quipu/core/values'
import { httpUrl, oneOf, onOff, optional, type Read, setting, token, wholeNumber } from './setting.ts'

/** Where data is stored. */
export type Data = { readonly kind: 'memory' } | { readonly kind: 'folder'; readonly path: string }
/** Where the journal and the views are stored. */
export type Store = { readonly kind: 'embedded' } | { readonly kind: 'postgres'; readonly url: string }
export type Tls =
  | { readonly kind: 'off' }
  | { readonly kind: 'files'; readonly certificate: string; readonly key: string }
/** Origins whose pages may call the API: none, these, or all. */
export type Cors = 'off' | '*' | readonly string[]

const KIB = 1024
const MIB = 1024 * KIB
const HOUR_MS = 3_600_000

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)

const host: Read<string> = (text) =>
  /^[\w.:-]{1,253}$/.test(text) ? ok(text) : fail('a name or address without a port, such as 127.0.0.1')

const data: Read<Data> = (text) =>
  text === 'memory' ? ok({ kind: 'memory' }) : ok({ kind: 'folder', path: resolve(text) })

const store: Read<Store> = (text) => {
  if (text === 'embedded') return ok({ kind: 'embedded' })
  return isPostgres(text)
    ? ok({ kind: 'postgres', url: text })
    : fail('embedded or postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE')
}

/** Several hosts are separated by commas, which a URL does not allow: only the first host is parsed. */
const isPostgres = (text: string): boolean =>
  /^postgres(ql)?:\/\//.test(text) && URL.canParse(text.replace(/,[^/?#]*/, ''))

/** The URL without the password. It may name several hosts. */
function withoutPassword(text: string): string {
  const hidden = text.replace(/^(\w+:\/\/[^:@/?#]*:)[^@/?#]*@/, '$1********@')
  return hidden.replace(/([?&]password=)[^&#]*/, '$1********')
}

const tls: Read<Tls> = (text) => {
  if (text === 'off') return ok({ kind: 'off' })
  if (text === 'auto')
    return fail('off or two files CERT.pem,KEY.pem (this release does not create certificates)')
  const [certificate, key, more] = text.split(',')
  return certificate && key && more === undefined
    ? ok({ kind: 'files', certificate, key })
    : fail('off or two files CERT.pem,KEY.pem')
}

const cors: Read<Cors> = (text) => {
  if (text === 'off' || text === '*') return ok(text)
  const origins = text.split(',').map((origin) => origin.trim())
  const areOrigins = origins.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin)
  return areOrigins
    ? ok(origins)
    : fail('off, * or origins such as https://app.example.com,http://localhost:3000')
}

const contact: Read<string> = (text) =>
  /^(mailto:|https:\/\/|tel:)[\x21-\x7e]+$/.test(text)
    ? ok(text)
    : fail('mailto:…, https://… or tel:…, without spaces')

const symbols: Read<readonly AddedSymbol[]> = (text) => {
  const added: AddedSymbol[] = []
  for (const part of text.split(',')) {
    const read = addedSymbolOf(part.trim())
    if (!read.ok) return fail('symbols such as SOFI,RIVN:14,PEPE/USD')
    added.push(read.value)
  }
  return ok(added)
}

/** Accepts ws and wss URLs. */
const streamUrl: Read<string> = (text) => {
  const read = httpUrl(text.replace(/^ws/, 'http'))
  return read.ok ? ok(read.value) : fail('a URL such as wss://stream.data.example.com')
}

const privateKey: Read<string> = (text) =>
  /^(0x)?[0-9a-fA-F]{64}$/.test(text) ? ok(text) : fail('64 hex digits')

/** All settings and limits. */
export const settings = {
  port: setting({
    group: 'server',
    about: 'Port to listen on; 0 selects a free port.',
    placeholder: 'N',
    read: wholeNumber(0, 65_535),
    defaultValue: '7878',
  }),
  host: setting({
    group: 'server',
    about: 'Address to listen on; 0.0.0.0 accepts connections from other computers.',
    placeholder: 'ADDRESS',
    read: host,
    defaultValue: '127.0.0.1',
  }),
  data: setting({
    group: 'server',
    about: 'Data folder, or `memory` for no persistence.',
    placeholder: 'FOLDER',
    read: data,
    defaultValue: './.quipu',
  }),
  store: setting({
    group: 'server',
    about: 'Where journal and views are stored: embedded (in the data folder) or postgres://…',
    placeholder: 'STORE',
    read: store,
    defaultValue: 'embedded',
    secret: true,
    redact: withoutPassword,
  }),
  tls: setting({
    group: 'server',
    about: 'Serve https with this certificate and key file, or off.',
    placeholder: 'off|CERT,KEY',
    read: tls,
    defaultValue: 'off',
  }),
  publicUrl: optional({
    group: 'server',
    about: 'URL under which clients reach this server, if different from its own address.',
    placeholder: 'URL',
    read: httpUrl,
  }),
  trustProxy: setting({
    group: 'server',
    about: 'Trust X-Forwarded-For and X-Forwarded-Proto from a reverse proxy.',
    placeholder: 'on|off',
    read: onOff,
    defaultValue: 'off',
  }),
  cors: setting({
    group: 'server',
    about: 'Origins of web pages that may call the API: off, * or a list.',
    placeholder: 'ORIGINS',
    read: cors,
    defaultValue: 'off',
  }),
  securityContact: optional({
    group: 'server',
    about:
      'Contact in /.well-known/security.txt. Default: mailto:security@HOST, with the host of this server.',
    placeholder: 'mailto:…|https://…',
    read: contact,
  }),
  log: setting({
    group: 'server',
    about: 'Minimum log level. The log goes to stderr: text on a terminal, else JSON lines.',
    placeholder: 'debug|info|warn|error|silent',
    read: oneOf('debug', 'info', 'warn', 'error', 'silent'),
    defaultValue: 'info',
  }),
  profile: setting({
    group: 'server',
    about: 'shared: refuse to start if other computers could reach an unsafe server. local: only warn.',
    placeholder: 'local|shared',
    read: oneOf('local', 'shared'),
    defaultValue: 'local',
  }),
  metrics: setting({
    group: 'server',
    about: 'Who may read /metrics. Only operators see world names.',
    placeholder: 'anyone|operator',
    read: oneOf('anyone', 'operator'),
    defaultValue: 'anyone',
  }),
  sim: setting({
    group: 'server',
    about: 'off: do not allow new worlds, changes of clocks and prices, or forced tokenization outcomes.',
    placeholder: 'on|off',
    read: onOff,
    defaultValue: 'on',
  }),

  seed: optional({
    group: 'world',
    about: 'Market seed of a new data folder. Default: random.',
    placeholder: 'TEXT',
    read: token(1, 64),
  }),
  hours: setting({
    group: 'world',
    about: 'Trading hours: always, or New York sessions (nyse). For a new data folder.',
    placeholder: 'always|nyse',
    read: oneOf('always', 'nyse'),
    defaultValue: 'always',
  }),
  symbols: optional({
    group: 'world',
    about: 'Symbols to add to the market, each with an optional price.',
    placeholder: 'SOFI,RIVN:14',
    read: symbols,
  }),
  fillSize: setting({
    group: 'world',
    about: 'How much one quote fills: unlimited, or its displayed size. For a new data folder.',
    placeholder: 'unlimited|displayed',
    read: oneOf('unlimited', 'displayed'),
    defaultValue: 'unlimited',
  }),
  fees: setting({
    group: 'world',
    about: 'Fees of fills: US regulatory fees by date (us), or none. For a new data folder.',
    placeholder: 'us|none',
    read: oneOf('us', 'none'),
    defaultValue: 'us',
  }),
  latencyMs: setting({
    group: 'world',
    about: 'Milliseconds from the acceptance of an order until it reaches the market. For a new data folder.',
    placeholder: 'N',
    read: wholeNumber(0, HOUR_MS),
    defaultValue: '0',
  }),

  strictClientLookup: setting({
    group: 'server',
    about:
      'Return 422 from GET /v1/oauth/clients/{id} if redirect_uri, scope or response_type does not match the app.',
    placeholder: 'on|off',
    read: onOff,
    defaultValue: 'off',
  }),
  wallets: setting({
    group: 'server',
    about:
      'Check of wallet addresses for mints: lenient accepts any but the zero address; strict requires the format of the network.',
    placeholder: 'lenient|strict',
    read: oneOf('lenient', 'strict'),
    defaultValue: 'lenient',
  }),

  chainUrl: optional({
    group: 'chain',
    about: 'JSON-RPC URL of an EVM node. Tokens of main on that network are then real.',
    placeholder: 'URL',
    read: httpUrl,
    secret: true,
    redact: (text) => (URL.canParse(text) ? new URL(text).origin : text),
  }),
  chainKey: optional({
    group: 'chain',
    about:
      'Private key (hex) that mints and burns. Its address receives tokens to redeem. Better set by QUIPU_CHAIN_KEY_FILE.',
    placeholder: 'KEY',
    read: privateKey,
    secret: true,
  }),
  chainNetwork: setting({
    group: 'chain',
    about: 'Network of that node.',
    placeholder: 'NETWORK',
    read: oneOf('arbitrum', 'base', 'binance', 'cronos', 'ethereum', 'hyperevm', 'mantle', 'robinhood'),
    defaultValue: 'ethereum',
  }),
  chainConfirmations: setting({
    group: 'chain',
    about: 'Number of blocks, including its own, after which a transaction is final.',
    placeholder: 'N',
    read: wholeNumber(1, 1_000),
    defaultValue: '1',
  }),
  chainTokens: optional({
    group: 'chain',
    about:
      'JSON file with contract addresses by token symbol. Other tokens are deployed at their first mint.',
    placeholder: 'FILE',
    read: (text) => ok(resolve(text)),
  }),
  upstreamUrl: optional({
    group: 'upstream',
    about: 'URL of a market data provider with the Alpaca protocol. Its prices become the market of main.',
    placeholder: 'URL',
    read: httpUrl,
  }),
  upstreamStreamUrl: optional({
    group: 'upstream',
    about: 'URL of its streams. Default: stream.data.… for a host data.…, else the URL of the provider.',
    placeholder: 'URL',
    read: streamUrl,
  }),
  upstreamTradingUrl: optional({
    group: 'upstream',
    about: 'URL of its asset list, if different.',
    placeholder: 'URL',
    read: httpUrl,
  }),
  upstreamKeyId: optional({
    group: 'upstream',
    about: 'API key id at the provider.',
    placeholder: 'ID',
    read: token(1, 128),
  }),
  upstreamSecretKey: optional({
    group: 'upstream',
    about: 'API secret at the provider.',
    placeholder: 'SECRET',
    read: token(1, 256),
    secret: true,
  }),
  upstreamFeed: setting({
    group: 'upstream',
    about: 'Stock feed of the provider.',
    placeholder: 'iex|sip|delayed_sip',
    read: oneOf('iex', 'sip', 'delayed_sip'),
    defaultValue: 'iex',
  }),
  upstreamCrypto: setting({
    group: 'upstream',
    about: 'Crypto location of the provider.',
    placeholder: 'us|us-1|us-2|eu-1|bs-1',
    read: oneOf('us', 'us-1', 'us-2', 'eu-1', 'bs-1'),
    defaultValue: 'us',
  }),

  keyId: optional({
    group: 'credentials',
    about: 'Trading key to add to the paper account, together with its secret.',
    placeholder: 'ID',
    read: token(1, 64),
  }),
  secretKey: optional({
    group: 'credentials',
    about: 'Secret of that key.',
    placeholder: 'SECRET',
    read: token(8, 256),
    secret: true,
  }),
  brokerKey: optional({
    group: 'credentials',
    about: 'Operator key to add, together with its secret.',
    placeholder: 'ID',
    read: token(1, 64),
  }),
  brokerSecret: optional({
    group: 'credentials',
    about: 'Secret of that operator key.',
    placeholder: 'SECRET',
    read: token(8, 256),
    secret: true,
  }),

  rateLimit: setting({
    group: 'limits',
    about: 'Requests per minute, per key, per app and account, and per address without a key. 0 = no limit.',
    placeholder: 'N',
    read: wholeNumber(0, 1_000_000),
    defaultValue: {
      text: '0 on loopback, 200 elsewhere',
      from: ({ host }) => (isLoopback(host) ? '0' : '200'),
    },
  }),
  failedAttemptsMax: setting({
    group: 'limits',
    about: 'Failed attempts per minute from one address; further ones get 429. 0 = no limit.',
    placeholder: 'N',
    read: wholeNumber(0, 1_000_000),
    defaultValue: {
      text: '6000 on loopback, 60 elsewhere',
      from: ({ host }) => (isLoopback(host) ? '6000' : '60'),
    },
  }),
  appFailedAttemptsMax: setting({
    group: 'limits',
    about:
      'Failed attempts for one app or key in five minutes from one address; further ones get 429. 0 = no limit.',
    placeholder: 'N',
    read: wholeNumber(0, 1_000_000),
    defaultValue: {
      text: '1000 on loopback, 10 elsewhere',
      from: ({ host }) => (isLoopback(host) ? '1000' : '10'),
    },
  }),
  appFailedAttemptsTotalMax: setting({
    group: 'limits',
    about: 'The same from all addresses together. Right secrets that Quipu generated always pass.',
    placeholder: 'N',
    read: wholeNumber(0, 1_000_000),
    defaultValue: {
      text: '10000 on loopback, 100 elsewhere',
      from: ({ host }) => (isLoopback(host) ? '10000' : '100'),
    },
  }),
  userFailedAttemptsMax: setting({
    group: 'limits',
    about:
      'Wrong passwords for one user in five minutes from one address; then the user name must wait. 0 = no limit.',
    placeholder: 'N',
    read: wholeNumber(0, 1_000_000),
    defaultValue: '10',
  }),
  userFailedAttemptsTotalMax: setting({
    group: 'limits',
    about: 'The same from all addresses together. A browser that signed in before has a separate limit.',
    placeholder: 'N',
    read: wholeNumber(0, 1_000_000),
    defaultValue: '50',
  }),
  pageMax: setting({
    group: 'limits',
    about: 'Maximum rows per response, if the protocol allows more.',
    placeholder: 'N',
    read: wholeNumber(1, 10_000),
    defaultValue: '10000',
  }),
  idempotencyKeyMax: setting({
    group: 'limits',
    about: 'Maximum characters of an Idempotency-Key. 36 tests the announced limit.',
    placeholder: 'N',
    read: wholeNumber(1, 128),
    defaultValue: '128',
  }),
  pageCacheBytes: setting({
    group: 'limits',
    about: 'Memory in bytes to cache pages of market data that never change. 0 = no cache.',
    placeholder: 'N',
    read: wholeNumber(0, 1024 * MIB),
    defaultValue: String(64 * MIB),
  }),
  bodyMaxBytes: setting({
    group: 'limits',
    about: 'Maximum size of a request body in bytes.',
    placeholder: 'N',
    read: wholeNumber(KIB, 64 * MIB),
    defaultValue: String(MIB),
  }),
  headerMaxBytes: setting({
    group: 'limits',
    about: 'Maximum size of the request line and all headers in bytes.',
    placeholder: 'N',
    read: wholeNumber(KIB, MIB),
    defaultValue: String(16 * KIB),
  }),
  headersTimeoutMs: setting({
    group: 'limits',
    about: 'Milliseconds for the headers of a request to arrive.',
    placeholder: 'N',
    read: wholeNumber(100, HOUR_MS),
    defaultValue: '10000',
  }),
  requestTimeoutMs: setting({
    group: 'limits',
    about: 'Milliseconds for a whole request to arrive.',
    placeholder: 'N',
    read: wholeNumber(100, HOUR_MS),
    defaultValue: '30000',
  }),
  responseReadTimeoutMs: setting({
    group: 'limits',
    about: 'Milliseconds that a response may wait for its client to read.',
    placeholder: 'N',
    read: wholeNumber(100, HOUR_MS),
    defaultValue: '30000',
  }),
  keepAliveMs: setting({
    group: 'limits',
    about:
      'Milliseconds an idle connection stays open, as responses announce. It closes responseReadTimeoutMs later.',
    placeholder: 'N',
    read: wholeNumber(100, HOUR_MS),
    defaultValue: '600000',
  }),
  connectionsMax: setting({
    group: 'limits',
    about:
      'Maximum open connections, including streams. Lower if the process may open fewer files (ulimit -n).',
    placeholder: 'N',
    read: wholeNumber(1, 1_000_000),
    defaultValue: '10000',
  }),
  connectionRequestsMax: setting({
    group: 'limits',
    about: 'Maximum concurrent requests of one connection; further ones wait.',
    placeholder: 'N',
    read: wholeNumber(1, 1000),
    defaultValue: '4',
  }),
  unsentMaxBytes: setting({
    group: 'limits',
    about: 'Maximum bytes of responses that clients have not read; further requests get 503.',
    placeholder: 'N',
    read: wholeNumber(MIB, 64 * 1024 * MIB),
    defaultValue: String(256 * MIB),
  }),
  streamsMax: setting({
    group: 'limits',
    about: 'Maximum open streams of one credential per endpoint.',
    placeholder: 'N',
    read: wholeNumber(1, 1_000_000),
    defaultValue: '100',
  }),
  streamAuthTimeoutMs: setting({
    group: 'limits',
    about: 'Milliseconds for a stream to authenticate.',
    placeholder: 'N',
    read: wholeNumber(100, HOUR_MS),
    defaultValue: '10000',
  }),
  unauthenticatedMax: setting({
    group: 'limits',
    about: 'Maximum open streams that have not authenticated.',
    placeholder: 'N',
    read: wholeNumber(1, 1_000_000),
    defaultValue: '1000',
  }),
  unauthenticatedPerAddressMax: setting({
    group: 'limits',
    about: 'The same, from one address.',
    placeholder: 'N',
    read: wholeNumber(1, 1_000_000),
    defaultValue: '200',
  }),
  authAttemptsMax: setting({
    group: 'limits',
    about: 'Maximum wrong credentials that one stream may send.',
    placeholder: 'N',
    read: wholeNumber(1, 1_000_000),
    defaultValue: '30',
  }),
  authFailureDelayMs: setting({
    group: 'limits',
    about: 'Delay in milliseconds before a stream receives the error for wrong credentials.',
    placeholder: 'N',
    read: wholeNumber(0, HOUR_MS),
    defaultValue: '1000',
  }),
  pingIntervalMs: setting({
    group: 'limits',
    about: 'Milliseconds between two pings on a stream; a stream that misses two is closed.',
    placeholder: 'N',
    read: wholeNumber(100, HOUR_MS),
    defaultValue: '20000',
  }),
  frameMaxBytes: setting({
    group: 'limits',
    about: 'Maximum size of a frame from a stream client in bytes.',
    placeholder: 'N',
    read: wholeNumber(KIB, 64 * MIB),
    defaultValue: String(64 * KIB),
  }),
  fragmentsMax: setting({
    group: 'limits',
    about: 'Maximum fragments of such a frame.',
    placeholder: 'N',
    read: wholeNumber(1, 1_000_000),
    defaultValue: '1024',
  }),
  symbolsMax: setting({
    group: 'limits',
    about: 'Maximum symbols of one stream, over all its channels.',
    placeholder: 'N',
    read: wholeNumber(1, 1_000_000),
    defaultValue: '10000',
  }),
  socketBufferMaxBytes: setting({
    group: 'limits',
    about: 'Maximum unsent bytes of a stream; then its client counts as too slow.',
    placeholder: 'N',
    read: wholeNumber(KIB, 1024 * MIB),
    defaultValue: String(4 * MIB),
  }),
  drainTimeoutMs: setting({
    group: 'limits',
    about: 'Milliseconds a virtual clock waits for a client to read; then the client counts as too slow.',
    placeholder: 'N',
    read: wholeNumber(0, HOUR_MS),
    defaultValue: '5000',
  }),
  closeTimeoutMs: setting({
    group: 'limits',
    about: 'Milliseconds for a closed stream to complete the closing handshake.',
    placeholder: 'N',
    read: wholeNumber(0, HOUR_MS),
    defaultValue: '2000',
  }),
  queueMax: setting({
    group: 'limits',
    about: 'Maximum commands of a world that wait for the disk; further ones are refused.',
    placeholder: 'N',
    read: wholeNumber(1, 1_000_000),
    defaultValue: '10000',
  }),
  diskFreeMinBytes: setting({
    group: 'limits',
    about: 'Minimum free bytes of the data folder. Below it, writes get 503; reads continue.',
    placeholder: 'N',
    read: wholeNumber(0, 1024 * 1024 * MIB),
    defaultValue: String(4 * MIB),
  }),
  viewsLagMax: setting({
    group: 'limits',
    about: 'Maximum events the views may be behind; then commands wait for them.',
    placeholder: 'N',
    read: wholeNumber(1, 10_000_000),
    defaultValue: '50000',
  }),
  viewsWaitMs: setting({
    group: 'limits',
    about: 'Milliseconds a command or a history query waits for the views.',
    placeholder: 'N',
    read: wholeNumber(0, HOUR_MS),
    defaultValue: '5000',
  }),
  worldsMax: setting({
    group: 'limits',
    about: 'Maximum number of worlds, including main.',
    placeholder: 'N',
    read: wholeNumber(1, 100_000),
    defaultValue: '100',
  }),
  watchlistsMax: setting({
    group: 'limits',
    about: 'Maximum watchlists of an account.',
    placeholder: 'N',
    read: wholeNumber(1, 10_000),
    defaultValue: '200',
  }),
  watchlistSymbolsMax: setting({
    group: 'limits',
    about: 'Maximum symbols of a watchlist.',
    placeholder: 'N',
    read: wholeNumber(1, 10_000),
    defaultValue: '1000',
  }),
  advanceMaxDays: setting({
    group: 'limits',
    about: 'Maximum days that one advance moves a clock.',
    placeholder: 'N',
    read: wholeNumber(1, 36_500),
    defaultValue: '3660',
  }),
  upstreamTimeoutMs: setting({
    group: 'limits',
    about: 'Milliseconds for a request to the provider, including retries and waits.',
    placeholder: 'N',
    read: wholeNumber(100, HOUR_MS),
    defaultValue: '10000',
  }),
  upstreamRequestsMax: setting({
    group: 'limits',
    about: 'Maximum concurrent requests to the provider.',
    placeholder: 'N',
    read: wholeNumber(1, 1000),
    defaultValue: '8',
  }),
  upstreamSymbolsMax: setting({
    group: 'limits',
    about: 'Maximum symbols with prices streamed from the provider.',
    placeholder: 'N',
    read: wholeNumber(1, 1_000_000),
    defaultValue: '1000',
  }),
  upstreamGapTradesMax: setting({
    group: 'limits',
    about: 'Maximum missed trades per symbol that are published after a lost connection to the provider.',
    placeholder: 'N',
    read: wholeNumber(0, 1_000_000),
    defaultValue: '10000',
  }),
  upstreamCacheRowsMax: setting({
    group: 'limits',
    about: 'Maximum rows of provider pages that are cached in memory.',
    placeholder: 'N',
    read: wholeNumber(0, 100_000_000),
    defaultValue: '200000',
  }),
  eventStreamsMax: setting({
    group: 'limits',
    about: 'Maximum open event streams (server-sent events).',
    placeholder: 'N',
    read: wholeNumber(0, 1_000_000),
    defaultValue: '1000',
  }),
  scanMax: setting({
    group: 'limits',
    about: 'Maximum events that one page of a filtered list of events or postings scans.',
    placeholder: 'N',
    read: wholeNumber(1, 100_000_000),
    defaultValue: '200000',
  }),
  requestLogMax: setting({
    group: 'limits',
    about: 'Number of recent requests of each world that an operator can look up.',
    placeholder: 'N',
    read: wholeNumber(0, 1_000_000),
    defaultValue: '10000',
  }),
  refusedOrdersMax: setting({
    group: 'limits',
    about: 'Number of recent refused orders of each world that can be explained.',
    placeholder: 'N',
    read: wholeNumber(0, 1_000_000),
    defaultValue: '1000',
  }),
  stopGraceMs: setting({
    group: 'limits',
    about: 'Milliseconds for pending requests to finish when the server stops.',
    placeholder: 'N',
    read: wholeNumber(0, HOUR_MS),
    defaultValue: '10000',
  }),

  url: optional({
    group: 'client',
    about: 'URL of the server. Default: the server of the data folder.',
    placeholder: 'URL',
    read: httpUrl,
  }),
  ca: optional({
    group: 'client',
    about: 'Certificate file to trust, for a server with a private certificate.',
    placeholder: 'FILE',
    read: (text) => ok(resolve(text)),
  }),
  world: setting({
    group: 'client',
    about: 'World to use.',
    placeholder: 'NAME',
    read: token(1, 40),
    defaultValue: 'main',
  }),
} as const

export type Settings = typeof settings
export type SettingName = keyof Settings
