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
  type Ticker,
} from '@quipu/core'
import { tradePrice } from './trade.ts'

type HaltEvent = Extract<MarketEvent, { kind: 'halt' | 'pause' }>

/** The halts and pauses of a symbol; both have the first name of their symbol. */
export const haltsOf = (marketEvents: readonly MarketEvent[], origin: Ticker): readonly HaltEvent[] =>
  marketEvents.filter(
    (each): each is HaltEvent => (each.kind === 'halt' || each.kind === 'pause') && concerns(each, origin),
  )

/** The messages of halts and pauses: the stop with its reason, the violated band, and the resumption. */
export function noticesOf(
  tape: Tape,
  asset: Asset,
  letter: TapeLetter,
  halts: readonly HaltEvent[],
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

const NO_REASON: TapeCode = { code: '', text: '' }

const statusOf = (status: TapeCode, reason: TapeCode, tape: TapeLetter) =>
  ({
    kind: 'status',
    code: status.code,
    message: status.text,
    reason: reason.code,
    reasonMessage: reason.text,
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
  const price = (ticks: number): Price => tradePrice(Math.max(1, Math.round(ticks)), asset)
  const ends = { up: price(middle * (1 + part)), down: price(middle * (1 - part)) }
  return { kind: 'luld', ...ends, indicator: 'B', tape: letter } as const
}

/** A code of the tape and its text. */
export type TapeCode = { readonly code: string; readonly text: string }

type Codes = {
  readonly halted: TapeCode
  readonly paused: TapeCode
  readonly resumed: TapeCode
  readonly band: TapeCode
  readonly reasons: Record<HaltReason, TapeCode>
}

const tapeCode = (code: string, text: string): TapeCode => ({ code, text })

/** The codes of Nasdaq listings. */
const NASDAQ: Codes = {
  halted: tapeCode('H', 'Trading Halt'),
  paused: tapeCode('P', 'Volatility Trading Pause'),
  resumed: tapeCode('T', 'Trading Resumption'),
  band: tapeCode('LUDP', 'Volatility Trading Pause'),
  reasons: {
    newsPending: tapeCode('T1', 'Halt News Pending'),
    newsReleased: tapeCode('T2', 'Halt News Dissemination'),
    operational: tapeCode('T6', 'Regulatory Halt Extraordinary Market Activity'),
    circuitBreaker1: tapeCode('MWC1', 'Market Wide Circuit Breaker Halt Level 1'),
    circuitBreaker2: tapeCode('MWC2', 'Market Wide Circuit Breaker Halt Level 2'),
    circuitBreaker3: tapeCode('MWC3', 'Market Wide Circuit Breaker Halt Level 3'),
  },
}

/** The codes of all other listings. */
const OTHERS: Codes = {
  halted: tapeCode('2', 'Trading Halt'),
  paused: tapeCode('2', 'Trading Halt'),
  resumed: tapeCode('3', 'Resume'),
  band: tapeCode('M', 'Limit Up-Limit Down Trading Pause'),
  reasons: {
    newsPending: tapeCode('P', 'News Pending'),
    newsReleased: tapeCode('D', 'News Released'),
    operational: tapeCode('X', 'Operational'),
    circuitBreaker1: tapeCode('1', 'Market-Wide Circuit Breaker Level 1'),
    circuitBreaker2: tapeCode('2', 'Market-Wide Circuit Breaker Level 2'),
    circuitBreaker3: tapeCode('3', 'Market-Wide Circuit Breaker Level 3'),
  },
}

export const haltCodes = (tape: TapeLetter): Codes => (tape === 'C' || tape === 'O' ? NASDAQ : OTHERS)
