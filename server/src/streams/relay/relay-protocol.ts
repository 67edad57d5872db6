import { participantPath, tradeUpdatesPath } from '@quipu/contract'
import { numberOfId } from '../../wire/event-id.ts'
import type { ChannelLists } from '../subscriptions.ts'

/** A message of the holder that is a response to the client, or the journal number of the last update before the first one. */
export type StreamResponse =
  | { readonly kind: 'authenticated' | 'refused' }
  | { readonly kind: 'subscribed'; readonly lists: ChannelLists }
  | { readonly kind: 'position'; readonly seq: number }

/** How a node reads the messages of a stream that it relays. It decodes responses only. */
export type RelayProtocol = {
  /** Whether the stream begins with a welcome message. */
  readonly hasWelcome: boolean
  /** Whether another node can continue the stream. */
  readonly canResume: boolean
  readonly mayBeResponse: (data: Buffer) => boolean
  readonly responseOf: (message: unknown) => StreamResponse | undefined
  /** The journal number of an update. */
  readonly numberIn: (data: Buffer) => number | undefined
  /** The request that repeats subscriptions. */
  readonly requestOf: (lists: ChannelLists) => object
}

export function relayProtocol(endpoint: string): RelayProtocol {
  if (endpoint === tradeUpdatesPath) return tradeUpdates
  return endpoint === participantPath ? participant : marketData
}

type Fields = Readonly<Record<string, unknown>>

/** The stream of the message that is sent to nodes only. */
const POSITION = 'position'

/** Sent to another node: a client that continues elsewhere before its first update has all updates up to this one. */
export const positionMessage = (id: string): object => ({ stream: POSITION, data: { event_id: id } })

/** An update contains an order, which is longer. */
const RESPONSE_MAX_BYTES = 300
const EVENT_ID = /[0-7][0-9A-HJKMNP-TV-Z]{25}/
const EVENT_ID_FIELD = 'event_id'
/** The id and what is between the name of the field and the id in JSON and in MessagePack. */
const ID_BYTES = 32

const tradeUpdates: RelayProtocol = {
  hasWelcome: false,
  canResume: true,
  mayBeResponse: (data) => data.length < RESPONSE_MAX_BYTES,
  responseOf(message) {
    const { stream, data = {} } = (message ?? {}) as { readonly stream?: unknown; readonly data?: Fields }
    if (stream === 'authorization')
      return { kind: data['status'] === 'authorized' ? 'authenticated' : 'refused' }
    if (stream === POSITION) return { kind: 'position', seq: numberOfId(String(data[EVENT_ID_FIELD])) }
    if (stream !== 'listening') return undefined
    const { streams } = data as { readonly streams: readonly string[] }
    const lists = streams.map((name) => [name, ['*']] as const)
    return { kind: 'subscribed', lists: Object.fromEntries(lists) }
  },
  numberIn(data) {
    const at = data.indexOf(EVENT_ID_FIELD)
    if (at < 0) return undefined
    const start = at + EVENT_ID_FIELD.length
    const [id] = EVENT_ID.exec(data.toString('latin1', start, start + ID_BYTES)) ?? []
    return id === undefined ? undefined : numberOfId(id)
  },
  requestOf: (lists) => ({ action: 'listen', data: { streams: Object.keys(lists) } }),
}

/** Every message begins with its type, so the first bytes are enough. */
const TYPE_BYTES = 32

const marketData: RelayProtocol = {
  hasWelcome: true,
  canResume: true,
  mayBeResponse: (data) => /success|subscription|error/.test(data.toString('latin1', 0, TYPE_BYTES)),
  responseOf(message) {
    const [first = {}] = (message ?? []) as readonly Fields[]
    const { T: type, msg, ...rest } = first
    if (type === 'success' && msg === 'authenticated') return { kind: 'authenticated' }
    if (type === 'error') return { kind: 'refused' }
    if (type !== 'subscription') return undefined
    const lists = Object.entries(rest as ChannelLists).filter(([, symbols]) => symbols.length > 0)
    return { kind: 'subscribed', lists: Object.fromEntries(lists) }
  },
  numberIn: () => undefined,
  requestOf: (lists) => ({ action: 'subscribe', ...lists }),
}

/** The reports of a participant depend on what it has received, so no other node can continue it. */
const participant: RelayProtocol = {
  hasWelcome: false,
  canResume: false,
  mayBeResponse: () => false,
  responseOf: () => ({ kind: 'authenticated' }),
  numberIn: () => undefined,
  requestOf: () => ({}),
}

/** Whether a message of a client may change its subscriptions. */
export const isSubscription = (data: Buffer): boolean => data.includes('subscribe') || data.includes('listen')
