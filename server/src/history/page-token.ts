import type { Instant } from '@quipu/core'
import { instantOfNanos } from '@quipu/core/values'

/** The end of a page: the symbol and the position of the last item. Opaque to callers. */
export type PageEnd<Position> = { readonly symbol: string; readonly position: Position }

/** Writes the position of an item to a token and reads it; `read` returns undefined for invalid text. */
export type PositionCodec<Position> = {
  /** The kind of the pages; a token of another kind is refused. */
  readonly kind: string
  write(position: Position): string
  read(text: string): Position | undefined
}

export const pageToken = <Position>(
  { symbol, position }: PageEnd<Position>,
  codec: PositionCodec<Position>,
): string => Buffer.from(`${symbol}|${codec.kind}|${codec.write(position)}`).toString('base64url')

/** Reads a token for the same symbols and kind; any other token is undefined. */
export function readPageToken<Position>(
  token: string,
  codec: PositionCodec<Position>,
  symbols: readonly string[],
): PageEnd<Position> | undefined {
  const [symbol, kind, text, more] = Buffer.from(token, 'base64url').toString('utf8').split('|')
  if (symbol === undefined || text === undefined || more !== undefined) return undefined
  if (!symbols.includes(symbol) || kind !== codec.kind) return undefined
  const position = codec.read(text)
  return position === undefined ? undefined : { symbol, position }
}

const NANOS = /^\d{1,19}$/

export const readInstant = (text: string): Instant | undefined =>
  NANOS.test(text) ? instantOfNanos(BigInt(text)) : undefined
