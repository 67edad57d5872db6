import type { HaltReason } from '@quipu/core'
import { keysOf } from '@quipu/core/values'

/** The names of halt reasons in requests and responses. */
export const haltReasonNames = {
  newsPending: 'news_pending',
  newsReleased: 'news_released',
  operational: 'operational',
  circuitBreaker1: 'circuit_breaker_1',
  circuitBreaker2: 'circuit_breaker_2',
  circuitBreaker3: 'circuit_breaker_3',
} as const satisfies Record<HaltReason, string>

export type HaltReasonName = (typeof haltReasonNames)[HaltReason]

export const haltReasonOf = (name: HaltReasonName): HaltReason =>
  keysOf(haltReasonNames).find((reason) => haltReasonNames[reason] === name)!
