import { sortableTime } from '../records/sortable-time.ts'
import type { MarketMessage } from './market-types.ts'

/** The channels whose messages can be read over REST. */
export const restChannels = ['trades', 'quotes', 'bars'] as const
export type RestChannel = (typeof restChannels)[number]

const channelOf: Readonly<Record<string, RestChannel>> = { t: 'trades', q: 'quotes', b: 'bars' }

type Position = { readonly at: string; readonly keys: ReadonlySet<string> }

/** The time of the last message of each channel and symbol, with the messages of that time. */
export class Positions {
  readonly #positions = new Map<string, Position>()

  has(channel: string, symbol: string): boolean {
    return this.#positions.has(`${channel} ${symbol}`)
  }

  /** A later subscription begins at its own time. */
  forget(channel: string, symbol: string): void {
    this.#positions.delete(`${channel} ${symbol}`)
  }

  /** Sets the time of symbols that have none. */
  begin(symbols: Iterable<readonly [channel: string, symbol: string]>, now: string): void {
    for (const [channel, symbol] of symbols) {
      const key = `${channel} ${symbol}`
      // A bar has the time at which its minute began.
      const at =
        channel === 'bars' ? sortableTime(now).replace(/\d\d\.\d+Z$/, '00.000000000Z') : sortableTime(now)
      if (!this.#positions.has(key)) this.#positions.set(key, { at, keys: new Set() })
    }
  }

  record(message: MarketMessage): void {
    const [key, at] = placeOf(message)
    if (key === undefined) return
    const known = this.#positions.get(key)
    if (known !== undefined && known.at > at) return
    const keys = known?.at === at ? [...known.keys, identityOf(message)] : [identityOf(message)]
    this.#positions.set(key, { at, keys: new Set(keys) })
  }

  /** Whether a message is after the position. Messages of other channels always are. */
  isNew(message: MarketMessage): boolean {
    const [key, at] = placeOf(message)
    const known = key === undefined ? undefined : this.#positions.get(key)
    if (known === undefined || at > known.at) return true
    return at === known.at && !known.keys.has(identityOf(message))
  }

  /** The symbols of a channel with the time from which messages are missing. */
  of(channel: RestChannel): readonly { readonly symbol: string; readonly at: string }[] {
    const prefix = `${channel} `
    return [...this.#positions]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, { at }]) => ({ symbol: key.slice(prefix.length), at }))
  }
}

function placeOf(message: MarketMessage): readonly [key: string | undefined, at: string] {
  const channel = channelOf[message.T]
  return [channel && `${channel} ${message.S}`, 't' in message ? sortableTime(message.t) : '']
}

/** What distinguishes messages of the same time. */
function identityOf(message: MarketMessage): string {
  if (message.T === 'b') return ''
  return message.T === 't' ? String(message.i) : JSON.stringify(Object.entries(message).sort())
}
