import { followingTrades } from '@quipu/contract'
import type { ChannelLists } from './subscriptions.ts'

export type DataRequest =
  | { readonly action: 'auth'; readonly key: string; readonly secret: string }
  | {
      readonly action: 'subscribe' | 'unsubscribe'
      readonly lists: ChannelLists
      /** Why none of it can be done: a value that is no list of symbols, or a channel of another stream. */
      readonly problem?: 400 | 410
    }
  | { readonly action: 'unknown' }

const SYMBOL = /^(?:\*|[A-Za-z0-9]{1,21}(?:[./-][A-Za-z0-9]{1,16})?)$/

/** What a client of a data stream wants. */
export function dataRequestOf(message: unknown, channels: readonly string[]): DataRequest {
  if (typeof message !== 'object' || message === null) return { action: 'unknown' }
  const { action, ...rest } = message as Readonly<Record<string, unknown>>
  if (action === 'auth') {
    const { key, secret } = rest
    const isPair = typeof key === 'string' && typeof secret === 'string'
    return isPair ? { action, key, secret } : { action: 'unknown' }
  }
  if (action !== 'subscribe' && action !== 'unsubscribe') return { action: 'unknown' }
  const problem = problemOf(rest, channels)
  return problem ? { action, lists: {}, problem } : { action, lists: listsOf(rest, channels) }
}

/** Clients name every channel there is, with nothing in it: only what has something in it counts. */
const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0)

function problemOf(
  lists: Readonly<Record<string, unknown>>,
  channels: readonly string[],
): 400 | 410 | undefined {
  for (const [channel, value] of Object.entries(lists)) {
    if (isNothing(value)) continue
    const isOurs = channels.includes(channel)
    if (!isOurs && Array.isArray(value)) return 410
    if (isOurs && !isSymbols(value)) return 400
  }
  return undefined
}

const isSymbols = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((symbol) => typeof symbol === 'string' && SYMBOL.test(symbol))

/** Channels that follow the trades are not asked for, so asking for them changes nothing. */
function listsOf(lists: Readonly<Record<string, unknown>>, channels: readonly string[]): ChannelLists {
  const followers: readonly string[] = followingTrades
  return Object.fromEntries(
    Object.entries(lists).filter(
      (entry): entry is [string, string[]] =>
        channels.includes(entry[0]) && !followers.includes(entry[0]) && !isNothing(entry[1]),
    ),
  )
}
