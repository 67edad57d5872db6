import {
  type Asset,
  concerns,
  instantOfMicros,
  type MarketEvent,
  type Price,
  stillness,
  type Tape,
  type TapeLetter,
  type Weather,
} from '@quipu/core'
import { haltCodes, type Said } from '../halt-codes.ts'
import { priceOf } from './trade.ts'

type Still = Extract<Weather, { kind: 'halt' | 'pause' }>

/** The halts and pauses of a symbol. */
export const haltsOf = (weather: readonly Weather[], { symbol }: Asset): readonly Still[] =>
  weather.filter(
    (each): each is Still => (each.kind === 'halt' || each.kind === 'pause') && concerns(each, symbol),
  )

/** What is told of them: that trading stops and why, the band that was left, and that trading goes on. */
export function noticesOf(
  tape: Tape,
  asset: Asset,
  letter: TapeLetter,
  halts: readonly Still[],
): readonly MarketEvent[] {
  return halts.flatMap((halt, index) => {
    const { from, to } = stillness(halt)
    const codes = haltCodes(letter)
    const isPause = halt.kind === 'pause'
    const stopped = isPause ? codes.paused : codes.halted
    const reason = isPause ? codes.band : codes.reasons[halt.reason]
    const bands = isPause ? bandsOf(tape, asset, halt, from, letter) : undefined
    return [
      ...(bands ? [{ at: instantOfMicros(from), id: 3 * index, ...bands }] : []),
      { at: instantOfMicros(from), id: 3 * index + 1, ...statusOf(stopped, reason, letter) },
      { at: instantOfMicros(to), id: 3 * index + 2, ...statusOf(codes.resumed, NO_REASON, letter) },
    ]
  })
}

const NO_REASON: Said = { code: '', words: '' }

const statusOf = (status: Said, reason: Said, tape: TapeLetter) =>
  ({
    kind: 'status',
    code: status.code,
    message: status.words,
    reason: reason.code,
    reasonMessage: reason.words,
    tape,
  }) as const

/** The band whose upper or lower end the last trade has reached. */
function bandsOf(
  tape: Tape,
  asset: Asset,
  { limit, percent }: Extract<Weather, { kind: 'pause' }>,
  from: number,
  letter: TapeLetter,
) {
  const last = tape.last(from - 1)
  if (!last) return undefined
  const part = percent / 100
  const middle = last.price / (limit === 'up' ? 1 + part : 1 - part)
  const price = (ticks: number): Price => priceOf(Math.max(1, Math.round(ticks)), asset)
  const ends = { up: price(middle * (1 + part)), down: price(middle * (1 - part)) }
  return { kind: 'luld', ...ends, indicator: 'B', tape: letter } as const
}
