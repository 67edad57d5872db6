import { resolve } from 'node:path'
import { type AddedSymbol, addedSymbolOf, fail, ok } from '@quipu/core/values'
import { httpUrl, onOff, open, type Read, setting, token, whole, word } from './setting.ts'

/** Where the books are kept. */
export type Data = { readonly kind: 'memory' } | { readonly kind: 'folder'; readonly path: string }
/** What holds journal and views. */
export type Store = { readonly kind: 'embedded' } | { readonly kind: 'postgres'; readonly url: string }
export type Tls =
  | { readonly kind: 'off' }
  | { readonly kind: 'files'; readonly certificate: string; readonly key: string }
/** Which pages of other origins may call: none, these, or all. */
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

/** Several hosts stand between commas, which a URL of one host does not allow: the first one is looked at. */
const isPostgres = (text: string): boolean =>
  /^postgres(ql)?:\/\//.test(text) && URL.canParse(text.replace(/,[^/?#]*/, ''))

/** An address as it may be shown; the hosts may be several. */
function withoutPassword(text: string): string {
  const hidden = text.replace(/^(\w+:\/\/[^:@/?#]*:)[^@/?#]*@/, '$1********@')
  return hidden.replace(/([?&]password=)[^&#]*/, '$1********')
}

const tls: Read<Tls> = (text) => {
  if (text === 'off') return ok({ kind: 'off' })
  if (text === 'auto')
    return fail('off or two files CERT.pem,KEY.pem, because this release makes no certificates yet')
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

/** Streams may be given by their own scheme. */
const streamUrl: Read<string> = (text) => {
  const read = httpUrl(text.replace(/^ws/, 'http'))
  return read.ok ? ok(read.value) : fail('an address such as wss://stream.data.example.com')
}

const privateKey: Read<string> = (text) =>
  /^(0x)?[0-9a-fA-F]{64}$/.test(text) ? ok(text) : fail('64 hex digits')

/** Every setting of Quipu, and every limit by its name. */
export const settings = {
  port: setting({
    group: 'server',
    about: 'Port to listen on; 0 takes a free port.',
    placeholder: 'N',
    read: whole(0, 65_535),
    byDefault: '7878',
  }),
  host: setting({
    group: 'server',
    about: 'Address to listen on; 0.0.0.0 lets other computers in.',
    placeholder: 'ADDRESS',
    read: host,
    byDefault: '127.0.0.1',
  }),
  data: setting({
    group: 'server',
    about: 'Data folder, or `memory` for no persistence.',
    placeholder: 'FOLDER',
    read: data,
    byDefault: './.quipu',
  }),
  store: setting({
    group: 'server',
    about: 'Where journal and views are stored: embedded (in the data folder) or postgres://…',
    placeholder: 'STORE',
    read: store,
    byDefault: 'embedded',
    secret: true,
    shown: withoutPassword,
  }),
  tls: setting({
    group: 'server',
    about: 'Serve https with this certificate and key file, or off.',
    placeholder: 'off|CERT,KEY',
    read: tls,
    byDefault: 'off',
  }),
  publicUrl: open({
    group: 'server',
    about: 'URL by which clients reach this server, if it is another than the one it listens on.',
    placeholder: 'URL',
    read: httpUrl,
  }),
  trustProxy: setting({
    group: 'server',
    about: 'Trust X-Forwarded-For and X-Forwarded-Proto of a proxy in front.',
    placeholder: 'on|off',
    read: onOff,
    byDefault: 'off',
  }),
  cors: setting({
    group: 'server',
    about: 'Origins of web pages that may call the API: off, * or a list.',
    placeholder: 'ORIGINS',
    read: cors,
    byDefault: 'off',
  }),
  securityContact: open({
    group: 'server',
    about:
      'Contact in /.well-known/security.txt; by default mailto:security@HOST of the address of this server.',
    placeholder: 'mailto:…|https://…',
    read: contact,
  }),
  log: setting({
    group: 'server',
    about: 'Minimum log level. The log goes to stderr: text on a terminal, else JSON lines.',
    placeholder: 'debug|info|warn|error|silent',
    read: word('debug', 'info', 'warn', 'error', 'silent'),
    byDefault: 'info',
  }),
  profile: setting({
    group: 'server',
    about: 'shared refuses an unsafe start that other computers can reach; local warns.',
    placeholder: 'local|shared',
    read: word('local', 'shared'),
    byDefault: 'local',
  }),
  metrics: setting({
    group: 'server',
    about: 'Who may read /metrics. Only operators see names of worlds.',
    placeholder: 'anyone|operator',
    read: word('anyone', 'operator'),
    byDefault: 'anyone',
  }),
  sim: setting({
    group: 'server',
    about: 'off: refuse to create worlds, to change clocks and prices, and to set outcomes of tokenization.',
    placeholder: 'on|off',
    read: onOff,
    byDefault: 'on',
  }),

  seed: open({
    group: 'world',
    about: 'Seed of the market of a new data folder. Default: random.',
    placeholder: 'TEXT',
    read: token(1, 64),
  }),
  hours: setting({
    group: 'world',
    about: 'When orders trade: always, or in New York sessions (nyse). For a new data folder.',
    placeholder: 'always|nyse',
    read: word('always', 'nyse'),
    byDefault: 'always',
  }),
  symbols: open({
    group: 'world',
    about: 'Symbols to add to the market, each with a price if wanted.',
    placeholder: 'SOFI,RIVN:14',
    read: symbols,
  }),
  fillSize: setting({
    group: 'world',
    about: 'How much a quote fills: unlimited, or the size it shows (displayed). For a new folder.',
    placeholder: 'unlimited|displayed',
    read: word('unlimited', 'displayed'),
    byDefault: 'unlimited',
  }),
  fees: setting({
    group: 'world',
    about: 'What fills cost: as in the United States, by date (us), or nothing (none). For a new folder.',
    placeholder: 'us|none',
    read: word('us', 'none'),
    byDefault: 'us',
  }),
  latencyMs: setting({
    group: 'world',
    about: 'From the acceptance of an order until the market has it. For a new folder.',
    placeholder: 'N',
    read: whole(0, HOUR_MS),
    byDefault: '0',
  }),

  strictClientLookup: setting({
    group: 'server',
    about:
      'Answer GET /v1/oauth/clients/{id} with 422 where redirect_uri, scope or response_type is not the app’s.',
    placeholder: 'on|off',
    read: onOff,
    byDefault: 'off',
  }),
  wallets: setting({
    group: 'server',
    about:
      'Which wallet addresses tokens may be minted to: lenient, anything but nobody’s; strict, as its network writes them.',
    placeholder: 'lenient|strict',
    read: word('lenient', 'strict'),
    byDefault: 'lenient',
  }),

  chainUrl: open({
    group: 'chain',
    about: 'A node of an EVM network, by JSON-RPC; tokens of main on that network are then real.',
    placeholder: 'URL',
    read: httpUrl,
    secret: true,
    shown: (text) => (URL.canParse(text) ? new URL(text).origin : text),
  }),
  chainKey: open({
    group: 'chain',
    about:
      'The private key, in hex, that mints and burns; tokens are sent to its address to be redeemed. Better given as QUIPU_CHAIN_KEY_FILE.',
    placeholder: 'KEY',
    read: privateKey,
    secret: true,
  }),
  chainNetwork: setting({
    group: 'chain',
    about: 'Which network that node stands for.',
    placeholder: 'NETWORK',
    read: word('arbitrum', 'base', 'binance', 'cronos', 'ethereum', 'hyperevm', 'mantle', 'robinhood'),
    byDefault: 'ethereum',
  }),
  chainConfirmations: setting({
    group: 'chain',
    about: 'How many blocks, its own included, make a transaction final.',
    placeholder: 'N',
    read: whole(1, 1_000),
    byDefault: '1',
  }),
  chainTokens: open({
    group: 'chain',
    about: 'A JSON file of contracts by token symbol; all others are deployed when they are first minted.',
    placeholder: 'FILE',
    read: (text) => ok(resolve(text)),
  }),
  upstreamUrl: open({
    group: 'upstream',
    about: 'A provider of market data that speaks this protocol; main then has its prices.',
    placeholder: 'URL',
    read: httpUrl,
  }),
  upstreamStreamUrl: open({
    group: 'upstream',
    about:
      'Where its data streams are; left out: at stream.data.… for a host data.…, else at the same address.',
    placeholder: 'URL',
    read: streamUrl,
  }),
  upstreamTradingUrl: open({
    group: 'upstream',
    about: 'Where it lists its assets, if that is another address.',
    placeholder: 'URL',
    read: httpUrl,
  }),
  upstreamKeyId: open({
    group: 'upstream',
    about: 'The key it gave you.',
    placeholder: 'ID',
    read: token(1, 128),
  }),
  upstreamSecretKey: open({
    group: 'upstream',
    about: 'The secret of that key.',
    placeholder: 'SECRET',
    read: token(1, 256),
    secret: true,
  }),
  upstreamFeed: setting({
    group: 'upstream',
    about: 'Its feed of stocks.',
    placeholder: 'iex|sip|delayed_sip',
    read: word('iex', 'sip', 'delayed_sip'),
    byDefault: 'iex',
  }),
  upstreamCrypto: setting({
    group: 'upstream',
    about: 'Its location of crypto.',
    placeholder: 'us|us-1|us-2|eu-1|bs-1',
    read: word('us', 'us-1', 'us-2', 'eu-1', 'bs-1'),
    byDefault: 'us',
  }),

  keyId: open({
    group: 'credentials',
    about: 'A trading key to add to the paper account, together with its secret.',
    placeholder: 'ID',
    read: token(1, 64),
  }),
  secretKey: open({
    group: 'credentials',
    about: 'The secret of that key.',
    placeholder: 'SECRET',
    read: token(8, 256),
    secret: true,
  }),
  brokerKey: open({
    group: 'credentials',
    about: 'An operator credential to add, together with its secret.',
    placeholder: 'ID',
    read: token(1, 64),
  }),
  brokerSecret: open({
    group: 'credentials',
    about: 'The secret of that credential.',
    placeholder: 'SECRET',
    read: token(8, 256),
    secret: true,
  }),

  rateLimit: setting({
    group: 'limits',
    about:
      'Requests a minute per key, per app and account, and per address where no key is needed; 0 is no limit.',
    placeholder: 'N',
    read: whole(0, 1_000_000),
    byDefault: {
      told: '0 on loopback, 200 elsewhere',
      from: ({ host }) => (isLoopback(host) ? '0' : '200'),
    },
  }),
  guessesMax: setting({
    group: 'limits',
    about: 'Failed attempts a minute from one address before they get 429; 0 is no limit.',
    placeholder: 'N',
    read: whole(0, 1_000_000),
    byDefault: {
      told: '6000 on loopback, 60 elsewhere',
      from: ({ host }) => (isLoopback(host) ? '6000' : '60'),
    },
  }),
  appGuessesMax: setting({
    group: 'limits',
    about:
      'Failed attempts for one app or key in five minutes from one address before they get 429; 0 is no limit.',
    placeholder: 'N',
    read: whole(0, 1_000_000),
    byDefault: {
      told: '1000 on loopback, 10 elsewhere',
      from: ({ host }) => (isLoopback(host) ? '1000' : '10'),
    },
  }),
  appGuessesTotalMax: setting({
    group: 'limits',
    about: 'The same from all addresses together. Right secrets that Quipu made always pass.',
    placeholder: 'N',
    read: whole(0, 1_000_000),
    byDefault: {
      told: '10000 on loopback, 100 elsewhere',
      from: ({ host }) => (isLoopback(host) ? '10000' : '100'),
    },
  }),
  personGuessesMax: setting({
    group: 'limits',
    about:
      'Wrong passwords of one person in five minutes from one address before that name must wait; 0 is no limit.',
    placeholder: 'N',
    read: whole(0, 1_000_000),
    byDefault: '10',
  }),
  personGuessesTotalMax: setting({
    group: 'limits',
    about: 'The same from all addresses together. A browser that signed in before has a limit of its own.',
    placeholder: 'N',
    read: whole(0, 1_000_000),
    byDefault: '50',
  }),
  pageMax: setting({
    group: 'limits',
    about: 'Rows of one answer, where the protocol allows more.',
    placeholder: 'N',
    read: whole(1, 10_000),
    byDefault: '10000',
  }),
  idempotencyKeyMax: setting({
    group: 'limits',
    about: 'Characters of an Idempotency-Key; 36, to see today what is announced.',
    placeholder: 'N',
    read: whole(1, 128),
    byDefault: '128',
  }),
  pageCacheBytes: setting({
    group: 'limits',
    about: 'Memory for pages of market data that never change, kept for whoever asks again; 0 keeps none.',
    placeholder: 'N',
    read: whole(0, 1024 * MIB),
    byDefault: String(64 * MIB),
  }),
  bodyMaxBytes: setting({
    group: 'limits',
    about: 'Size of a request body.',
    placeholder: 'N',
    read: whole(KIB, 64 * MIB),
    byDefault: String(MIB),
  }),
  headerMaxBytes: setting({
    group: 'limits',
    about: 'Size of the request line and all headers together.',
    placeholder: 'N',
    read: whole(KIB, MIB),
    byDefault: String(16 * KIB),
  }),
  headersTimeoutMs: setting({
    group: 'limits',
    about: 'Time for the headers of a request to arrive.',
    placeholder: 'N',
    read: whole(100, HOUR_MS),
    byDefault: '10000',
  }),
  requestTimeoutMs: setting({
    group: 'limits',
    about: 'Time for a whole request to arrive.',
    placeholder: 'N',
    read: whole(100, HOUR_MS),
    byDefault: '30000',
  }),
  answerTimeoutMs: setting({
    group: 'limits',
    about: 'Time an answer may lie unread by its client.',
    placeholder: 'N',
    read: whole(100, HOUR_MS),
    byDefault: '30000',
  }),
  keepAliveMs: setting({
    group: 'limits',
    about: 'Time an idle connection stays open, as responses say. It is closed answerTimeoutMs later.',
    placeholder: 'N',
    read: whole(100, HOUR_MS),
    byDefault: '600000',
  }),
  connectionsMax: setting({
    group: 'limits',
    about: 'Open connections, streams included; fewer where the process may open fewer files (ulimit -n).',
    placeholder: 'N',
    read: whole(1, 1_000_000),
    byDefault: '10000',
  }),
  connectionRequestsMax: setting({
    group: 'limits',
    about: 'Requests of one connection in progress at a time; further ones wait.',
    placeholder: 'N',
    read: whole(1, 1000),
    byDefault: '4',
  }),
  unsentMaxBytes: setting({
    group: 'limits',
    about: 'Bytes of all responses that clients have not read; beyond them, requests get 503.',
    placeholder: 'N',
    read: whole(MIB, 64 * 1024 * MIB),
    byDefault: String(256 * MIB),
  }),
  streamsMax: setting({
    group: 'limits',
    about: 'Open streams of one credential on one endpoint.',
    placeholder: 'N',
    read: whole(1, 1_000_000),
    byDefault: '100',
  }),
  streamAuthTimeoutMs: setting({
    group: 'limits',
    about: 'Time a stream has to authenticate.',
    placeholder: 'N',
    read: whole(100, HOUR_MS),
    byDefault: '10000',
  }),
  unauthenticatedMax: setting({
    group: 'limits',
    about: 'Open streams that have not authenticated yet.',
    placeholder: 'N',
    read: whole(1, 1_000_000),
    byDefault: '1000',
  }),
  unauthenticatedPerAddressMax: setting({
    group: 'limits',
    about: 'The same, from one address.',
    placeholder: 'N',
    read: whole(1, 1_000_000),
    byDefault: '200',
  }),
  authAttemptsMax: setting({
    group: 'limits',
    about: 'Wrong credentials that one stream may send.',
    placeholder: 'N',
    read: whole(1, 1_000_000),
    byDefault: '30',
  }),
  refusalDelayMs: setting({
    group: 'limits',
    about: 'Time the answer to wrong credentials is kept back on a stream.',
    placeholder: 'N',
    read: whole(0, HOUR_MS),
    byDefault: '1000',
  }),
  pingIntervalMs: setting({
    group: 'limits',
    about: 'Time between two pings on a stream; one that misses two is dropped.',
    placeholder: 'N',
    read: whole(100, HOUR_MS),
    byDefault: '20000',
  }),
  frameMaxBytes: setting({
    group: 'limits',
    about: 'Size of a frame that a stream takes from its client.',
    placeholder: 'N',
    read: whole(KIB, 64 * MIB),
    byDefault: String(64 * KIB),
  }),
  fragmentsMax: setting({
    group: 'limits',
    about: 'Pieces such a frame may come in.',
    placeholder: 'N',
    read: whole(1, 1_000_000),
    byDefault: '1024',
  }),
  symbolsMax: setting({
    group: 'limits',
    about: 'Symbols one stream may name, over all its channels.',
    placeholder: 'N',
    read: whole(1, 1_000_000),
    byDefault: '10000',
  }),
  socketBufferMaxBytes: setting({
    group: 'limits',
    about: 'What may wait to be sent on a stream before its client counts as too slow.',
    placeholder: 'N',
    read: whole(KIB, 1024 * MIB),
    byDefault: String(4 * MIB),
  }),
  drainTimeoutMs: setting({
    group: 'limits',
    about: 'Time a steered clock waits for a client to read, before that client counts as too slow.',
    placeholder: 'N',
    read: whole(0, HOUR_MS),
    byDefault: '5000',
  }),
  closeTimeoutMs: setting({
    group: 'limits',
    about: 'Time a closed stream may take to say goodbye.',
    placeholder: 'N',
    read: whole(0, HOUR_MS),
    byDefault: '2000',
  }),
  queueMax: setting({
    group: 'limits',
    about: 'Commands of a world that wait for the disk, before further ones are refused.',
    placeholder: 'N',
    read: whole(1, 1_000_000),
    byDefault: '10000',
  }),
  diskFreeMinBytes: setting({
    group: 'limits',
    about: 'Free space of the data folder below which requests that write get 503; reads go on.',
    placeholder: 'N',
    read: whole(0, 1024 * 1024 * MIB),
    byDefault: String(4 * MIB),
  }),
  viewsLagMax: setting({
    group: 'limits',
    about: 'Events the query tables may be behind, before commands wait for them.',
    placeholder: 'N',
    read: whole(1, 10_000_000),
    byDefault: '50000',
  }),
  viewsWaitMs: setting({
    group: 'limits',
    about: 'Time a command or a history query waits for the query tables.',
    placeholder: 'N',
    read: whole(0, HOUR_MS),
    byDefault: '5000',
  }),
  worldsMax: setting({
    group: 'limits',
    about: 'Worlds, main included.',
    placeholder: 'N',
    read: whole(1, 100_000),
    byDefault: '100',
  }),
  watchlistsMax: setting({
    group: 'limits',
    about: 'Watchlists of an account.',
    placeholder: 'N',
    read: whole(1, 10_000),
    byDefault: '200',
  }),
  watchlistSymbolsMax: setting({
    group: 'limits',
    about: 'Symbols in a watchlist.',
    placeholder: 'N',
    read: whole(1, 10_000),
    byDefault: '1000',
  }),
  advanceMaxDays: setting({
    group: 'limits',
    about: 'How far one advance may move a clock.',
    placeholder: 'N',
    read: whole(1, 36_500),
    byDefault: '3660',
  }),
  upstreamTimeoutMs: setting({
    group: 'limits',
    about: 'Time a question to upstream may take, tries and waits included.',
    placeholder: 'N',
    read: whole(100, HOUR_MS),
    byDefault: '10000',
  }),
  upstreamRequestsMax: setting({
    group: 'limits',
    about: 'Questions to upstream that are under way at once.',
    placeholder: 'N',
    read: whole(1, 1000),
    byDefault: '8',
  }),
  upstreamSymbolsMax: setting({
    group: 'limits',
    about: 'Symbols whose price is kept up to date by upstream.',
    placeholder: 'N',
    read: whole(1, 1_000_000),
    byDefault: '1000',
  }),
  upstreamGapTradesMax: setting({
    group: 'limits',
    about: 'Missed trades of one symbol that are told after a lost connection to upstream.',
    placeholder: 'N',
    read: whole(0, 1_000_000),
    byDefault: '10000',
  }),
  upstreamCacheRowsMax: setting({
    group: 'limits',
    about: 'Rows of finished pages of upstream that are kept in memory.',
    placeholder: 'N',
    read: whole(0, 100_000_000),
    byDefault: '200000',
  }),
  readersMax: setting({
    group: 'limits',
    about: 'Answers that stay open as server-sent events.',
    placeholder: 'N',
    read: whole(0, 1_000_000),
    byDefault: '1000',
  }),
  scanMax: setting({
    group: 'limits',
    about: 'Events that one page of a filtered list of events or postings looks through.',
    placeholder: 'N',
    read: whole(1, 100_000_000),
    byDefault: '200000',
  }),
  requestsKept: setting({
    group: 'limits',
    about: 'The last requests of each world that an operator can look up.',
    placeholder: 'N',
    read: whole(0, 1_000_000),
    byDefault: '10000',
  }),
  refusalsKept: setting({
    group: 'limits',
    about: 'The last refused orders of each world that can be explained.',
    placeholder: 'N',
    read: whole(0, 1_000_000),
    byDefault: '1000',
  }),
  stopGraceMs: setting({
    group: 'limits',
    about: 'Time that requests under way have to finish when the server stops.',
    placeholder: 'N',
    read: whole(0, HOUR_MS),
    byDefault: '10000',
  }),

  url: open({
    group: 'client',
    about: 'URL of the server. Default: the server of the data folder.',
    placeholder: 'URL',
    read: httpUrl,
  }),
  ca: open({
    group: 'client',
    about: 'Certificate file to trust, for a server with its own certificate.',
    placeholder: 'FILE',
    read: (text) => ok(resolve(text)),
  }),
  world: setting({
    group: 'client',
    about: 'World to work on.',
    placeholder: 'NAME',
    read: token(1, 40),
    byDefault: 'main',
  }),
} as const

export type Settings = typeof settings
export type SettingName = keyof Settings
