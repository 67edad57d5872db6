import type { Instant } from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'

/** Where a page ended: the symbol, and the place of the last item that was sent. Opaque to callers. */
export type PageEnd<Place> = { readonly symbol: string; readonly place: Place }

/** How the place of an item is written into a token, and read back; undefined for what nobody wrote. */
export type Places<Place> = {
  /** What the pages are of: a token for other pages is refused. */
  readonly kind: string
  write(place: Place): string
  read(text: string): Place | undefined
}

export const pageToken = <Place>({ symbol, place }: PageEnd<Place>, places: Places<Place>): string =>
  Buffer.from(`${symbol}|${places.kind}|${places.write(place)}`).toString('base64url')

/** A token of ours, for the same symbols and kind; any other is refused. */
export function readPageToken<Place>(
  token: string,
  places: Places<Place>,
  symbols: readonly string[],
): PageEnd<Place> {
  const [symbol, kind, text, more] = Buffer.from(token, 'base64url').toString('utf8').split('|')
  const isOurs = symbol !== undefined && symbols.includes(symbol) && kind === places.kind
  const place = isOurs && text !== undefined && more === undefined ? places.read(text) : undefined
  if (symbol === undefined || place === undefined) throw refuse({ code: 'invalidPageToken' })
  return { symbol, place }
}

const NANOS = /^\d{1,19}$/

export const readInstant = (text: string): Instant | undefined =>
  NANOS.test(text) ? (BigInt(text) as Instant) : undefined
