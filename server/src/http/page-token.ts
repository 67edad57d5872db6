import type { Frame, Instant } from '@quipu/core'
import { refuse } from './refusal.ts'

/** Where a page ended: the last bar that was sent. Opaque to callers. */
export type PageEnd = { readonly symbol: string; readonly at: Instant }

const frameWord = ({ unit, count }: Frame): string => `${count}${unit}`

export const pageToken = ({ symbol, at }: PageEnd, frame: Frame): string =>
  Buffer.from(`${symbol}|${frameWord(frame)}|${at}`).toString('base64url')

const DIGITS_MAX = 19

/** A token of ours, for the same symbols and frame; any other is refused. */
export function readPageToken(token: string, frame: Frame, symbols: readonly string[]): PageEnd {
  const [symbol, word, nanos, more] = Buffer.from(token, 'base64url').toString('utf8').split('|')
  if (symbol === undefined || nanos === undefined || more !== undefined || word !== frameWord(frame))
    throw refuse({ code: 'invalidPageToken' })
  if (!symbols.includes(symbol) || nanos.length > DIGITS_MAX || !/^\d+$/.test(nanos))
    throw refuse({ code: 'invalidPageToken' })
  return { symbol, at: BigInt(nanos) as Instant }
}
