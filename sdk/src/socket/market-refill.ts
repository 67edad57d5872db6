import type { Client } from '../contract.ts'
import { StreamError } from '../errors.ts'
import { type Positions, type RestChannel, restChannels } from './market-positions.ts'
import type { MarketFeed, MarketMessage } from './market-types.ts'

export type MissedParts = {
  readonly feed: MarketFeed
  readonly client: Client
  readonly positions: Positions
  readonly wanted: ReadonlyMap<string, ReadonlySet<string>>
  readonly signal: AbortSignal
}

type Page = {
  readonly rows: Readonly<Record<string, readonly object[]>>
  readonly next: string | null
}
type MarketRefillQuery = {
  readonly symbols: readonly string[]
  readonly start: string
  readonly sort: 'asc'
  readonly page_token: string | undefined
}

const letters: Readonly<Record<RestChannel, string>> = { trades: 't', quotes: 'q', bars: 'b' }
/** The feeds whose messages REST returns at the same time as the stream. */
const refilled: ReadonlySet<MarketFeed> = new Set(['sip', 'iex', 'crypto'])

/** Reads trades, quotes and minute bars since the positions. Throws if other channels may have missed messages. */
export async function* missedMessages(parts: MissedParts): AsyncGenerator<MarketMessage, undefined> {
  const { feed, positions, wanted } = parts
  const channels = [...wanted].filter(([, symbols]) => symbols.size > 0).map(([channel]) => channel)
  const isRefilled = (channel: string) =>
    refilled.has(feed) && (restChannels as readonly string[]).includes(channel)
  for (const channel of restChannels)
    if (channels.includes(channel) && isRefilled(channel))
      for (const { symbol, at } of positions.of(channel))
        if (wanted.get(channel)?.has(symbol) || wanted.get(channel)?.has('*'))
          yield* missedOf(parts, channel, symbol, at)
  // Symbols of a wildcard are known only after their first message.
  const isComplete = (channel: string) =>
    isRefilled(channel) && [...wanted.get(channel)!].every((symbol) => positions.has(channel, symbol))
  const others = channels.filter((channel) => !isComplete(channel))
  if (others.length > 0)
    throw new StreamError(`messages may be missing: not all ${others.join(', ')} can be read over REST`)
  return undefined
}

async function* missedOf(
  { feed, client, signal }: MissedParts,
  channel: RestChannel,
  symbol: string,
  start: string,
): AsyncGenerator<MarketMessage, undefined> {
  const read = readers[channel]
  let token: string | undefined
  do {
    const query = { symbols: [symbol], start, sort: 'asc', page_token: token } as const
    const { rows, next } = await read(client, feed, query, signal)
    for (const row of rows[symbol] ?? []) yield { T: letters[channel], S: symbol, ...row } as MarketMessage
    token = next ?? undefined
  } while (token !== undefined)
  return undefined
}

type Reader = (
  client: Client,
  feed: MarketFeed,
  query: MarketRefillQuery,
  signal: AbortSignal,
) => Promise<Page>

const params = { loc: 'us' } as const
const stockFeed = (feed: MarketFeed): 'iex' | 'sip' => (feed === 'iex' ? 'iex' : 'sip')

const readers: Readonly<Record<RestChannel, Reader>> = {
  async trades(client, feed, query, signal) {
    const { trades: rows, next_page_token: next } =
      feed === 'crypto'
        ? await client.cryptoTrades({ params, query }, { signal })
        : await client.stockTrades({ query: { ...query, feed: stockFeed(feed) } }, { signal })
    return { rows, next }
  },
  async quotes(client, feed, query, signal) {
    const { quotes: rows, next_page_token: next } =
      feed === 'crypto'
        ? await client.cryptoQuotes({ params, query }, { signal })
        : await client.stockQuotes({ query: { ...query, feed: stockFeed(feed) } }, { signal })
    return { rows, next }
  },
  async bars(client, feed, plain, signal) {
    const query = { ...plain, timeframe: '1Min' }
    const { bars: rows, next_page_token: next } =
      feed === 'crypto'
        ? await client.cryptoBars({ params, query }, { signal })
        : await client.stockBars({ query: { ...query, feed: stockFeed(feed) } }, { signal })
    return { rows, next }
  },
}
