import {
  type Asset,
  concerns,
  type HaltReason,
  haltSpan,
  instantOfMicros,
  type MarketEvent,
  type Price,
  type Tape,
  type TapeLetter,
  type TapeMessage,
} from '@quipu/core'
import { priceOf } from './trade.ts'

type Still = Extract<MarketEvent, { kind: 'halt' | 'pause' }>

/** The halts and pauses of a symbol. */
export const haltsOf = (marketEvents: readonly MarketEvent[], { symbol }: Asset): readonly Still[] =>
  marketEvents.filter(
    (each): each is Still => (each.kind === 'halt' || each.kind === 'pause') && concerns(each, symbol),
  )

/** The messages of halts and pauses: the stop with its reason, the violated band, and the resumption. */
export function noticesOf(
  tape: Tape,
  asset: Asset,
  letter: TapeLetter,
  halts: readonly Still[],
): readonly TapeMessage[] {
  return halts.flatMap((halt, index) => {
    const { from, to } = haltSpan(halt)
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

/** The band whose upper or lower limit the last trade reached. */
function bandsOf(
  tape: Tape,
  asset: Asset,
  { limit, percent }: Extract<MarketEvent, { kind: 'pause' }>,
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

/** A code of the tape and its text. */
export type Said = { readonly code: string; readonly words: string }

type Codes = {
  readonly halted: Said
  readonly paused: Said
  readonly resumed: Said
  readonly band: Said
  readonly reasons: Record<HaltReason, Said>
}

const said = (code: string, words: string): Said => ({ code, words })

/** The codes of Nasdaq listings. */
const NASDAQ: Codes = {
  halted: said('H', 'Trading Halt'),
  paused: said('P', 'Volatility Trading Pause'),
  resumed: said('T', 'Trading Resumption'),
  band: said('LUDP', 'Volatility Trading Pause'),
  reasons: {
    newsPending: said('T1', 'Halt News Pending'),
    newsReleased: said('T2', 'Halt News Dissemination'),
    operational: said('T6', 'Regulatory Halt Extraordinary Market Activity'),
    circuitBreaker1: said('MWC1', 'Market Wide Circuit Breaker Halt Level 1'),
    circuitBreaker2: said('MWC2', 'Market Wide Circuit Breaker Halt Level 2'),
    circuitBreaker3: said('MWC3', 'Market Wide Circuit Breaker Halt Level 3'),
  },
}

/** The codes of all other listings. */
const OTHERS: Codes = {
  halted: said('2', 'Trading Halt'),
  paused: said('2', 'Trading Halt'),
  resumed: said('3', 'Resume'),
  band: said('M', 'Limit Up-Limit Down Trading Pause'),
  reasons: {
    newsPending: said('P', 'News Pending'),
    newsReleased: said('D', 'News Released'),
    operational: said('X', 'Operational'),
    circuitBreaker1: said('1', 'Market-Wide Circuit Breaker Level 1'),
    circuitBreaker2: said('2', 'Market-Wide Circuit Breaker Level 2'),
    circuitBreaker3: said('3', 'Market-Wide Circuit Breaker Level 3'),
  },
}

export const haltCodes = (tape: TapeLetter): Codes => (tape === 'C' || tape === 'O' ? NASDAQ : OTHERS)
