import type { WhatIfFillRecord, WhatIfRecord } from '@quipu/contract'
import { divide, format, formatInstant, type Instant } from '@quipu/core'

/** The fill of an order with one limit. Amounts are billionths. */
export type ComputedFill = {
  readonly price: bigint
  readonly outcome: WhatIfFillRecord['outcome']
  readonly filled: bigint
  /** Price times quantity. */
  readonly value: bigint
  readonly first?: Instant | undefined
  readonly last?: Instant | undefined
}

/** `isComplete`: each limit has its fill. */
export type ComputedFills = { readonly fills: readonly ComputedFill[]; readonly isComplete: boolean }

/** The fields of the response that say what was asked. */
export type WhatIfHead = Omit<WhatIfRecord, 'fills' | 'complete'>

export const whatIfToWire = (head: WhatIfHead, { fills, isComplete }: ComputedFills): WhatIfRecord => ({
  ...head,
  complete: isComplete,
  fills: fills.map(fillToWire),
})

/** The average is rounded as that of an order. */
const fillToWire = ({ price, outcome, filled, value, first, last }: ComputedFill): WhatIfFillRecord => ({
  limit_price: format(price),
  outcome,
  filled_qty: format(filled),
  ...(filled > 0n && { filled_avg_price: format(divide(value, filled, 'nearest')) }),
  ...(first !== undefined && { first_at: formatInstant(first) }),
  ...(last !== undefined && { last_at: formatInstant(last) }),
})
