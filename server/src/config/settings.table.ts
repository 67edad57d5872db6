import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { ANY_SYMBOL, newMargin, newVenue } from '@quipu/contract'
import { type AddedSymbol, addedSymbolOf, fail, ok } from '@quipu/core/values'
import { namedFields } from './named-values.ts'
import { isPublic } from './reach.ts'
import {
  type Earlier,
  httpUrl,
  inGroup,
  oneOfSetting,
  onOff,
  type Read,
  type Setting,
  token,
  wholeNumber,
} from './setting.ts'

/** Where data is stored. */
export type Data =
  /** `market`: a folder with imported prices. */
  { readonly kind: 'memory'; readonly market?: string } | { readonly kind: 'folder'; readonly path: string }
/** Where commands write run files. */
export type RunsSetting = { readonly kind: 'off' } | { readonly kind: 'folder'; readonly path: string }
/** Where the journal and the query tables are stored. */
export type StoreSetting = { readonly kind: 'embedded' } | { readonly kind: 'postgres'; readonly url: string }
export type Tls =
  | { readonly kind: 'off' }
  | { readonly kind: 'files'; readonly certificate: string; readonly key: string }
/** Origins whose pages may call the API: none, these, or all. */
export type Cors = 'off' | '*' | readonly string[]

const KIB = 1024
const MIB = 1024 * KIB
const HOUR_MS = 3_600_000

const host: Read<string> = (text) =>
  /^[\w.:-]{1,253}$/.test(text) ? ok(text) : fail('a name or address without a port, such as 127.0.0.1')

const data: Read<Data> = (text) =>
  text === 'memory' ? ok({ kind: 'memory' }) : ok({ kind: 'folder', path: resolve(text) })

const runsFolder: Read<RunsSetting> = (text) =>
  text === 'off' ? ok({ kind: 'off' }) : ok({ kind: 'folder', path: resolve(text) })

const store: Read<StoreSetting> = (text) => {
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

/** Symbols of `main`: added ones, and whether it lists unknown ones on first use. */
export type SymbolsSetting = { readonly added: readonly AddedSymbol[]; readonly isAny: boolean }

const symbols: Read<SymbolsSetting> = (text) => {
  const words = text.split(',').map((word) => word.trim())
  const added: AddedSymbol[] = []
  for (const word of words) {
    const read = word === ANY_SYMBOL ? undefined : addedSymbolOf(word)
    if (read?.ok === false) return fail('any, or symbols such as SOFI,RIVN:14,PEPE/USD')
    if (read) added.push(read.value)
  }
  return ok({ added, isAny: words.includes(ANY_SYMBOL) })
}

/** Accepts ws and wss URLs. */
const streamUrl: Read<string> = (text) => {
  const read = httpUrl(text.replace(/^ws/, 'http'))
  return read.ok ? ok(read.value) : fail('a URL such as wss://stream.data.example.com')
}

const privateKey: Read<string> = (text) =>
  /^(0x)?[0-9a-fA-F]{64}$/.test(text) ? ok(text) : fail('64 hex digits')

const choice = <const Word extends string>(...words: readonly Word[]) => ({
  placeholder: words.join('|'),
  read: oneOfSetting(...words),
})
const onOrOff = { placeholder: 'on|off', read: onOff }
const url = { placeholder: 'URL', read: httpUrl }

/** A default that is higher or absent if only this computer can reach the server. */
const byReach = (local: number, shared: number) => ({
  text: `${shared}, or ${local} if only this computer can reach the server`,
  from: (earlier: Earlier) => String(isPublic(earlier) ? shared : local),
})

/** A limit of the server: a whole number in a range. */
const limit = (
  about: string,
  [min, max]: readonly [number, number],
  defaultValue: number | ReturnType<typeof byReach>,
): Setting<number> =>
  inGroup('limits').setting({
    about,
    placeholder: 'N',
    read: wholeNumber(min, max),
    defaultValue: typeof defaultValue === 'number' ? String(defaultValue) : defaultValue,
  })

const server = inGroup('server')
const world = inGroup('world')
const upstream = inGroup('upstream')
const chain = inGroup('chain')
const credentials = inGroup('credentials')
const client = inGroup('client')

/** All settings and limits. */
export const settings = {
  port: server.setting({
    about: 'Port to listen on; 0 selects a free port.',
    placeholder: 'N',
    read: wholeNumber(0, 65_535),
    defaultValue: '7878',
  }),
  host: server.setting({
    about: 'Address to listen on; 0.0.0.0 accepts connections from other computers.',
    placeholder: 'ADDRESS',
    read: host,
    defaultValue: '127.0.0.1',
  }),
  data: server.setting({
    about: 'Data folder, or `memory` for no persistence.',
    placeholder: 'FOLDER',
    read: data,
    defaultValue: './.quipu',
  }),
  store: server.setting({
    about: 'Where journal and query tables are stored: embedded (in the data folder) or postgres://…',
    placeholder: 'STORE',
    read: store,
    defaultValue: 'embedded',
    secret: true,
    redact: withoutPassword,
  }),
  clusterSecret: server.optional({
    about:
      'Secret that all nodes of a cluster share. It makes this server a node: several servers on one PostgreSQL database share its worlds.',
    placeholder: 'SECRET',
    read: token(32, 256),
    secret: true,
    hasNoFlag: true,
  }),
  nodeUrl: server.optional({
    about: 'URL under which the other nodes of the cluster reach this one. Default: its address.',
    ...url,
  }),
  backups: server.optional({
    about: 'Folder of backups that are made over HTTP. Default: `backups` in the data folder.',
    placeholder: 'FOLDER',
    read: (text) => ok(resolve(text)),
  }),
  tls: server.setting({
    about: 'Serve https with this certificate and key file, or off.',
    placeholder: 'off|CERT,KEY',
    read: tls,
    defaultValue: 'off',
  }),
  publicUrl: server.optional({
    about: 'URL under which clients reach this server, if different from its own address.',
    ...url,
  }),
  trustProxy: server.setting({
    about: 'Trust X-Forwarded-For and X-Forwarded-Proto from a reverse proxy.',
    ...onOrOff,
    defaultValue: 'off',
  }),
  cors: server.setting({
    about: 'Origins of web pages that may call the API: off, * or a list.',
    placeholder: 'ORIGINS',
    read: cors,
    defaultValue: 'off',
  }),
  securityContact: server.optional({
    about:
      'Contact in /.well-known/security.txt. Default: mailto:security@HOST, with the host of this server.',
    placeholder: 'mailto:…|https://…',
    read: contact,
  }),
  log: server.setting({
    about: 'Minimum log level. The log goes to stderr: text on a terminal, else JSON lines.',
    ...choice('debug', 'info', 'warn', 'error', 'silent'),
    defaultValue: 'info',
  }),
  profile: server.setting({
    about: 'shared: refuse to start if other computers could reach an unsafe server. local: only warn.',
    ...choice('local', 'shared'),
    defaultValue: 'local',
  }),
  secondFactor: server.setting({
    about:
      'Who must have a second factor to sign in: nobody (optional), operators and auditors (operators), or everybody.',
    ...choice('optional', 'operators', 'everybody'),
    defaultValue: 'optional',
  }),
  metrics: server.setting({
    about: 'Who may read /metrics. Only operators see world names.',
    ...choice('anyone', 'operator'),
    defaultValue: 'anyone',
  }),
  readers: server.setting({
    about:
      'Threads that read pages of bars, ticks, auctions and journals; 0 reads them on the thread of the orders.',
    placeholder: 'N',
    read: wholeNumber(0, 16),
    defaultValue: {
      text: '0 with one core, 1 with two, 2 with four or more',
      from: () => String(Math.min(Math.floor(availableParallelism() / 2), 2)),
    },
  }),
  sim: server.setting({
    about:
      'off: do not allow new worlds, changes of clocks and prices, fault rules, or forced tokenization outcomes.',
    ...onOrOff,
    defaultValue: 'on',
  }),

  seed: world.optional({
    about: 'Market seed of a new data folder. Default: random.',
    placeholder: 'TEXT',
    read: token(1, 64),
  }),
  hours: world.setting({
    about: 'Trading hours: always, or New York sessions (nyse). For a new data folder.',
    ...choice('always', 'nyse'),
    defaultValue: 'always',
  }),
  symbols: world.optional({
    about:
      'Symbols to add to the market, each with an optional price. any: list unknown US tickers on first use, in a new data folder.',
    placeholder: 'any|SOFI,RIVN:14',
    read: symbols,
  }),
  fillSize: world.setting({
    about: 'How much one quote fills: unlimited, or its displayed size. For a new data folder.',
    ...choice('unlimited', 'displayed'),
    defaultValue: 'unlimited',
  }),
  fees: world.setting({
    about: 'Fees of fills: US regulatory fees by date (us), or none. For a new data folder.',
    ...choice('us', 'none'),
    defaultValue: 'us',
  }),
  latencyMs: world.setting({
    about: 'Milliseconds from the acceptance of an order until it reaches the market. For a new data folder.',
    placeholder: 'N',
    read: wholeNumber(0, HOUR_MS),
    defaultValue: '0',
  }),
  venue: world.optional({
    about:
      'Delays, rejections and fill models of the market: latency=50ms..2s,reject_share=0.05. For a new data folder. Default: none.',
    placeholder: 'NAME=VALUE,…',
    read: namedFields(newVenue()),
  }),
  margin: world.optional({
    about:
      'Margin interest and margin calls: interest_rate=0.065,call_sessions=2. For a new data folder. Default: none.',
    placeholder: 'NAME=VALUE,…',
    read: namedFields(newMargin()),
  }),

  strictClientLookup: server.setting({
    about:
      'Return 422 from GET /v1/oauth/clients/{id} if redirect_uri, scope or response_type does not match the app.',
    ...onOrOff,
    defaultValue: 'off',
  }),
  wallets: server.setting({
    about:
      'Check of wallet addresses for mints: lenient accepts any but the zero address; strict requires the format of the network.',
    ...choice('lenient', 'strict'),
    defaultValue: 'lenient',
  }),

  chainUrl: chain.optional({
    about: 'JSON-RPC URL of an EVM node. Tokens of main on that network are then real.',
    ...url,
    secret: true,
    redact: (text) => (URL.canParse(text) ? new URL(text).origin : text),
  }),
  chainKey: chain.optional({
    about:
      'Private key (hex) that mints and burns. Its address receives tokens to redeem. Better set by QUIPU_CHAIN_KEY_FILE.',
    placeholder: 'KEY',
    read: privateKey,
    secret: true,
  }),
  chainNetwork: chain.setting({
    about: 'Network of that node.',
    placeholder: 'NETWORK',
    read: oneOfSetting(
      'arbitrum',
      'base',
      'binance',
      'cronos',
      'ethereum',
      'hyperevm',
      'mantle',
      'robinhood',
    ),
    defaultValue: 'ethereum',
  }),
  chainConfirmations: chain.setting({
    about: 'Number of blocks, including its own, after which a transaction is final.',
    placeholder: 'N',
    read: wholeNumber(1, 1_000),
    defaultValue: '1',
  }),
  chainTokens: chain.optional({
    about:
      'JSON file with contract addresses by token symbol. Other tokens are deployed at their first mint.',
    placeholder: 'FILE',
    read: (text) => ok(resolve(text)),
  }),
  upstreamUrl: upstream.optional({
    about: 'URL of a market data provider with the Alpaca protocol. Its prices become the market of main.',
    ...url,
  }),
  upstreamStreamUrl: upstream.optional({
    about: 'URL of its streams. Default: stream.data.… for a host data.…, else the URL of the provider.',
    placeholder: 'URL',
    read: streamUrl,
  }),
  upstreamTradingUrl: upstream.optional({
    about: 'URL of its asset list, if different.',
    ...url,
  }),
  upstreamKeyId: upstream.optional({
    about: 'API key id at the provider.',
    placeholder: 'ID',
    read: token(1, 128),
  }),
  upstreamSecretKey: upstream.optional({
    about: 'API secret at the provider.',
    placeholder: 'SECRET',
    read: token(1, 256),
    secret: true,
  }),
  upstreamFeed: upstream.setting({
    about: 'Stock feed of the provider.',
    ...choice('iex', 'sip', 'delayed_sip'),
    defaultValue: 'iex',
  }),
  upstreamCrypto: upstream.setting({
    about: 'Crypto location of the provider.',
    ...choice('us', 'us-1', 'us-2', 'eu-1', 'bs-1'),
    defaultValue: 'us',
  }),

  keyId: credentials.optional({
    about: 'Trading key to add to the paper account, together with its secret.',
    placeholder: 'ID',
    read: token(1, 64),
  }),
  secretKey: credentials.optional({
    about: 'Secret of that key.',
    placeholder: 'SECRET',
    read: token(8, 256),
    secret: true,
  }),
  brokerKey: credentials.optional({
    about: 'Operator key to add, together with its secret.',
    placeholder: 'ID',
    read: token(1, 64),
  }),
  brokerSecret: credentials.optional({
    about: 'Secret of that operator key.',
    placeholder: 'SECRET',
    read: token(8, 256),
    secret: true,
  }),

  rateLimit: limit(
    'Requests per minute, per key, per app and account, and per address without a key. 0 = no limit.',
    [0, 1_000_000],
    byReach(0, 200),
  ),
  failedAttemptsMax: limit(
    'Failed attempts per minute from one address; further ones get 429. 0 = no limit.',
    [0, 1_000_000],
    byReach(6000, 60),
  ),
  appFailedAttemptsMax: limit(
    'Failed attempts for one app or key in five minutes from one address; further ones get 429. 0 = no limit.',
    [0, 1_000_000],
    byReach(1000, 10),
  ),
  appFailedAttemptsTotalMax: limit(
    'The same from all addresses together. Right secrets that Quipu generated always pass.',
    [0, 1_000_000],
    byReach(10_000, 100),
  ),
  userFailedAttemptsMax: limit(
    'Wrong passwords for one user in five minutes from one address; then the user name must wait. 0 = no limit.',
    [0, 1_000_000],
    10,
  ),
  userFailedAttemptsTotalMax: limit(
    'The same from all addresses together. A browser that signed in before has a separate limit.',
    [0, 1_000_000],
    50,
  ),
  pageMax: limit('Maximum rows per response, if the protocol allows more.', [1, 10_000], 10_000),
  idempotencyKeyMax: limit(
    'Maximum characters of an Idempotency-Key. 36 tests the announced limit.',
    [1, 128],
    128,
  ),
  pageCacheBytes: limit(
    'Memory in bytes to cache pages of market data that never change. 0 = no cache.',
    [0, 1024 * MIB],
    64 * MIB,
  ),
  bodyMaxBytes: limit('Maximum size of a request body in bytes.', [KIB, 64 * MIB], MIB),
  largeBodyBytesPerMinute: limit(
    'Bytes per minute in request bodies above 16 KiB, per key, and per address without a key. 0 = no limit.',
    [0, 1024 * 1024 * MIB],
    16 * MIB,
  ),
  headerMaxBytes: limit('Maximum size of the request line and all headers in bytes.', [KIB, MIB], 16 * KIB),
  headersTimeoutMs: limit('Milliseconds for the headers of a request to arrive.', [100, HOUR_MS], 10_000),
  requestTimeoutMs: limit('Milliseconds for a whole request to arrive.', [100, HOUR_MS], 30_000),
  responseReadTimeoutMs: limit(
    'Milliseconds that a response may wait for its client to read.',
    [100, HOUR_MS],
    30_000,
  ),
  keepAliveMs: limit(
    'Milliseconds an idle connection stays open, as responses announce. It closes responseReadTimeoutMs later.',
    [100, HOUR_MS],
    600_000,
  ),
  connectionsMax: limit(
    'Maximum open connections, including streams. Lower if the process may open fewer files (ulimit -n).',
    [1, 1_000_000],
    10_000,
  ),
  connectionRequestsMax: limit(
    'Maximum concurrent requests of one connection; further ones wait.',
    [1, 1000],
    4,
  ),
  unsentMaxBytes: limit(
    'Maximum bytes of responses that clients have not read; further requests get 503.',
    [MIB, 64 * 1024 * MIB],
    256 * MIB,
  ),
  streamsMax: limit('Maximum open streams of one credential per endpoint.', [1, 1_000_000], 100),
  streamAuthTimeoutMs: limit('Milliseconds for a stream to authenticate.', [100, HOUR_MS], 10_000),
  unauthenticatedMax: limit('Maximum open streams that have not authenticated.', [1, 1_000_000], 1000),
  unauthenticatedPerAddressMax: limit('The same, from one address.', [1, 1_000_000], 200),
  authAttemptsMax: limit('Maximum wrong credentials that one stream may send.', [1, 1_000_000], 30),
  authFailureDelayMs: limit(
    'Delay in milliseconds before a stream receives the error for wrong credentials.',
    [0, HOUR_MS],
    1000,
  ),
  pingIntervalMs: limit(
    'Milliseconds between two pings on a stream; a stream that misses two is closed.',
    [100, HOUR_MS],
    20_000,
  ),
  frameMaxBytes: limit('Maximum size of a frame from a stream client in bytes.', [KIB, 64 * MIB], 64 * KIB),
  fragmentsMax: limit('Maximum fragments of such a frame.', [1, 1_000_000], 1024),
  symbolsMax: limit('Maximum symbols of one stream, over all its channels.', [1, 1_000_000], 10_000),
  socketBufferMaxBytes: limit(
    'Maximum unsent bytes of a stream; then its client counts as too slow.',
    [KIB, 1024 * MIB],
    4 * MIB,
  ),
  drainTimeoutMs: limit(
    'Milliseconds a virtual clock waits for a client to read; then the client counts as too slow.',
    [0, HOUR_MS],
    5000,
  ),
  closeTimeoutMs: limit(
    'Milliseconds for a closed stream to complete the closing handshake.',
    [0, HOUR_MS],
    2000,
  ),
  queueMax: limit(
    'Maximum commands of a world that wait for the disk; further ones are refused.',
    [1, 1_000_000],
    10_000,
  ),
  diskFreeMinBytes: limit(
    'Minimum free bytes of the data folder. Below it, writes get 503; reads continue.',
    [0, 1024 * 1024 * MIB],
    4 * MIB,
  ),
  queryTablesLagMax: limit(
    'Maximum events the query tables may be behind; then commands wait for them.',
    [1, 10_000_000],
    50_000,
  ),
  queryTablesWaitMs: limit(
    'Milliseconds a command or a history query waits for the query tables.',
    [0, HOUR_MS],
    5000,
  ),
  worldsMax: limit('Maximum number of worlds, including main.', [1, 100_000], 100),
  faultsMax: limit('Maximum fault rules of a world, and as many from client order ids.', [0, 10_000], 100),
  watchlistsMax: limit('Maximum watchlists of an account.', [1, 10_000], 200),
  firstUseSymbolsMax: limit('Maximum symbols that a world lists on first use.', [1, 5000], 500),
  watchlistSymbolsMax: limit('Maximum symbols of a watchlist.', [1, 10_000], 1000),
  // There are 1295 world codes.
  durableWorldsMax: limit('Maximum number of durable worlds besides main.', [0, 1295], 20),
  runFileMaxBytes: limit('Maximum size of a run file in bytes.', [KIB, 1024 * MIB], 100 * MIB),
  runsMax: limit(
    'Maximum number of stored runs. The oldest that is not pinned is deleted first.',
    [1, 100_000],
    1000,
  ),
  runsMaxBytes: limit(
    'Maximum size of the files of all stored runs in bytes.',
    [KIB, 1024 * 1024 * MIB],
    5 * 1024 * MIB,
  ),
  worldFileMaxBytes: limit(
    'Maximum size of a saved world that can be loaded, in bytes.',
    [KIB, 2047 * MIB],
    256 * MIB,
  ),
  branchKeptMs: limit(
    'Milliseconds of real time after which a temporary fork that nobody used is deleted.',
    [1000, 7 * 24 * HOUR_MS],
    HOUR_MS,
  ),
  advanceMaxDays: limit('Maximum days that one advance moves a clock.', [1, 36_500], 3660),
  upstreamTimeoutMs: limit(
    'Milliseconds for a request to the provider, including retries and waits.',
    [100, HOUR_MS],
    10_000,
  ),
  upstreamRequestsMax: limit('Maximum concurrent requests to the provider.', [1, 1000], 8),
  upstreamSymbolsMax: limit('Maximum symbols with prices streamed from the provider.', [1, 1_000_000], 1000),
  upstreamGapTradesMax: limit(
    'Maximum missed trades per symbol that are published after a lost connection to the provider.',
    [0, 1_000_000],
    10_000,
  ),
  upstreamCacheRowsMax: limit(
    'Maximum rows of provider pages that are cached in memory.',
    [0, 100_000_000],
    200_000,
  ),
  eventStreamsMax: limit('Maximum open event streams (server-sent events).', [0, 1_000_000], 1000),
  eventStreamsPerKey: limit(
    'Maximum open event streams of one key, session or app, and of one account.',
    [0, 1_000_000],
    25,
  ),
  scanMax: limit(
    'Maximum events that one page of a filtered list of events or postings scans.',
    [1, 100_000_000],
    200_000,
  ),
  requestLogMax: limit(
    'Number of recent requests of each world that can be looked up.',
    [0, 1_000_000],
    10_000,
  ),
  requestLogTextMax: limit(
    'Maximum characters of the query, and of the body, that the request log keeps of a request, without secrets. 0: neither.',
    [0, 100_000],
    2000,
  ),
  refusedOrdersMax: limit(
    'Number of recent refused orders of each world that can be explained.',
    [0, 1_000_000],
    1000,
  ),
  whatIfMs: limit(
    'Maximum milliseconds to compute the fills that an order would have had with other limit prices.',
    [0, 60_000],
    2000,
  ),
  stopGraceMs: limit(
    'Milliseconds for pending requests to finish when the server stops.',
    [0, HOUR_MS],
    10_000,
  ),

  url: client.optional({
    about: 'URL of the server. Default: the server of the data folder.',
    ...url,
  }),
  ca: client.optional({
    about: 'Certificate file to trust, for a server with a private certificate.',
    placeholder: 'FILE',
    read: (text) => ok(resolve(text)),
  }),
  runs: client.setting({
    about: 'Folder for run files, or `off`.',
    placeholder: 'FOLDER|off',
    read: runsFolder,
    defaultValue: './quipu-runs',
  }),
  world: client.setting({
    about: 'World to use.',
    placeholder: 'NAME',
    read: token(1, 40),
    defaultValue: 'main',
  }),
} as const

export type Settings = typeof settings
export type SettingName = keyof Settings
