import type { BookShape, CryptoQuote, CryptoTrade } from '../operations/data/crypto-records.ts'
import type { BarShape, QuoteShape, TradeShape } from '../operations/data/market-records.ts'
import type { TypeOf } from '../shape/index.ts'

/** A market-data stream. `works`: channels have data; `empty`: it follows the protocol but sends no data. */
export type DataStream = {
  readonly path: string
  readonly kind: 'stocks' | 'test' | 'crypto' | 'perps' | 'options' | 'news'
  readonly state: 'works' | 'empty'
  /** Allowed values of `{loc}` in the path. */
  readonly locations?: readonly string[]
  /** All keys of a subscription acknowledgement, in this sequence. */
  readonly channels: readonly string[]
}

/** A subscription to trades includes corrections and cancel errors; clients cannot subscribe to them. */
export const tradeFollowUps = ['corrections', 'cancelErrors'] as const

export const stockChannels = [
  'trades',
  'quotes',
  'bars',
  'updatedBars',
  'dailyBars',
  'statuses',
  'lulds',
  'imbalances',
  ...tradeFollowUps,
] as const

export type StockChannel = (typeof stockChannels)[number]

export const testChannels = ['trades', 'quotes', 'bars'] as const

export const cryptoChannels = ['trades', 'quotes', 'orderbooks', 'bars', 'updatedBars', 'dailyBars'] as const
const perpsChannels = [...cryptoChannels, 'pricing'] as const
const optionChannels = ['trades', 'quotes'] as const

const locations = ['us', 'us-1', 'us-2', 'eu-1', 'bs-1'] as const

/** All market-data streams. */
export const dataStreams = {
  sip: { path: '/v2/sip', kind: 'stocks', state: 'works', channels: stockChannels },
  iex: { path: '/v2/iex', kind: 'stocks', state: 'works', channels: stockChannels },
  delayed_sip: { path: '/v2/delayed_sip', kind: 'stocks', state: 'works', channels: stockChannels },
  boats: { path: '/v1beta1/boats', kind: 'stocks', state: 'empty', channels: stockChannels },
  overnight: { path: '/v1beta1/overnight', kind: 'stocks', state: 'empty', channels: stockChannels },
  test: { path: '/v2/test', kind: 'test', state: 'works', channels: testChannels },
  crypto: {
    path: '/v1beta3/crypto/{loc}',
    kind: 'crypto',
    state: 'works',
    locations,
    channels: cryptoChannels,
  },
  perps: {
    path: '/v1beta1/crypto-perps/{loc}',
    kind: 'perps',
    state: 'empty',
    locations: [...locations, 'global'],
    channels: perpsChannels,
  },
  indicative: { path: '/v1beta1/indicative', kind: 'options', state: 'empty', channels: optionChannels },
  opra: { path: '/v1beta1/opra', kind: 'options', state: 'empty', channels: optionChannels },
  news: { path: '/v1beta1/news', kind: 'news', state: 'empty', channels: ['news'] },
} as const satisfies Record<string, DataStream>

export type DataStreamName = keyof typeof dataStreams

/** Error code → exact text; clients compare both. */
export const streamErrors = {
  400: { message: 'invalid syntax', when: 'an invalid message or an unknown action' },
  401: { message: 'not authenticated', when: 'a subscribe before authentication' },
  402: {
    message: 'auth failed',
    when: 'wrong credentials; the socket stays open until the authentication timeout',
  },
  403: { message: 'already authenticated', when: 'a second authentication' },
  404: { message: 'auth timeout', when: 'no authentication within ten seconds' },
  405: { message: 'symbol limit exceeded', when: 'more symbols than allowed; nothing changes' },
  406: { message: 'connection limit exceeded', when: 'another session of the caller is open' },
  407: { message: 'slow client', when: 'the client reads too slowly' },
  409: { message: 'insufficient subscription', when: 'a feed that the caller may not use' },
  410: {
    message: 'invalid subscribe action for this feed',
    when: 'a channel that this stream does not have',
  },
  411: { message: 'insufficient scope', when: 'an OAuth token without the data scope' },
  412: {
    message: 'option messages are only available in MsgPack format',
    when: 'an option stream read as JSON',
  },
  413: {
    message: 'star subscription is not allowed for option quotes',
    when: 'a wildcard on option quotes',
  },
  500: { message: 'internal error', when: 'a bug in the server' },
} as const satisfies Record<number, { readonly message: string; readonly when: string }>

export type StreamErrorCode = keyof typeof streamErrors

type Lists = { readonly [channel: string]: readonly string[] | null | undefined }

/** Messages of a client. Key `oauth`: the secret is an OAuth token. */
export type DataStreamRequest =
  | { readonly action: 'auth'; readonly key: string; readonly secret: string }
  | ({ readonly action: 'subscribe' | 'unsubscribe' } & Lists)

/** Messages of the server, sent in arrays; a control message has its own array. `T` is the first field. */
export type DataStreamMessage =
  | { readonly T: 'success'; readonly msg: 'connected' | 'authenticated' }
  | { readonly T: 'error'; readonly code: StreamErrorCode; readonly msg: string }
  | ({ readonly T: 'subscription' } & {
      readonly [channel in keyof typeof messageTypeOf]?: readonly string[]
    })
  | BarMessage
  | TradeMessage
  | QuoteMessage
  | CryptoTradeMessage
  | CryptoQuoteMessage
  | StatusMessage
  | LuldMessage
  | ImbalanceMessage
  | CorrectionMessage
  | CancelErrorMessage
  | BookMessage

/** A message about a symbol: type letter first, then the symbol. */
type SymbolMessage<Letter extends string, Fields> = { readonly T: Letter; readonly S: string } & Fields

export type StatusMessage = SymbolMessage<
  's',
  {
    readonly sc: string
    readonly sm: string
    readonly rc: string
    readonly rm: string
    readonly t: string
    readonly z: string
  }
>
export type LuldMessage = SymbolMessage<
  'l',
  { readonly u: number; readonly d: number; readonly i: string; readonly t: string; readonly z: string }
>
/** Before an auction: the price at which it would clear now. */
export type ImbalanceMessage = SymbolMessage<
  'i',
  { readonly p: number; readonly z: string; readonly t: string }
>
/** `o…` is the original trade, `c…` the corrected one. */
export type CorrectionMessage = SymbolMessage<
  'c',
  {
    readonly x: string
    readonly oi: number
    readonly op: number
    readonly os: number
    readonly oc: readonly string[]
    readonly ci: number
    readonly cp: number
    readonly cs: number
    readonly cc: readonly string[]
    readonly t: string
    readonly z: string
  }
>
export type CancelErrorMessage = SymbolMessage<
  'x',
  {
    readonly i: number
    readonly x: string
    readonly p: number
    readonly s: number
    readonly a: 'C' | 'E'
    readonly t: string
    readonly z: string
  }
>
/** With `r`: the whole book. Without: changed levels; size 0 removes a level. */
export type BookMessage = SymbolMessage<'o', TypeOf<typeof BookShape> & { readonly r?: true }>
export type CryptoTradeMessage = SymbolMessage<'t', TypeOf<typeof CryptoTrade>>
export type CryptoQuoteMessage = SymbolMessage<'q', TypeOf<typeof CryptoQuote>>

export type BarMessage = { readonly T: 'b' | 'u' | 'd'; readonly S: string } & TypeOf<typeof BarShape>
export type TradeMessage = { readonly T: 't'; readonly S: string } & TypeOf<typeof TradeShape>
export type QuoteMessage = { readonly T: 'q'; readonly S: string } & TypeOf<typeof QuoteShape>

/** The letter `T` in messages on a channel. */
export const messageTypeOf = {
  trades: 't',
  quotes: 'q',
  bars: 'b',
  updatedBars: 'u',
  dailyBars: 'd',
  statuses: 's',
  lulds: 'l',
  imbalances: 'i',
  corrections: 'c',
  cancelErrors: 'x',
  orderbooks: 'o',
  pricing: 'p',
  news: 'n',
} as const satisfies Record<StockChannel | (typeof perpsChannels)[number] | 'news', string>

export const streamError = (code: StreamErrorCode): DataStreamMessage => ({
  T: 'error',
  code,
  msg: streamErrors[code].message,
})
