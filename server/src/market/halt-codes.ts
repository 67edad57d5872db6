import type { HaltReason, TapeLetter } from '@quipu/core'

/** A code of the tape and what it stands for. */
export type Said = { readonly code: string; readonly words: string }

type Codes = {
  readonly halted: Said
  readonly paused: Said
  readonly resumed: Said
  readonly band: Said
  readonly reasons: Record<HaltReason, Said>
}

const said = (code: string, words: string): Said => ({ code, words })

/** Nasdaq's own listings have one set of codes. */
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

/** All the others have another. */
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
