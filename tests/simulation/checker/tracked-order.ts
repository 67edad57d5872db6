import type { Order } from '@quipu/core'
import { cents } from './rules.ts'

/** An order of the checker: as accepted, with its changes since. */
export type TrackedOrder = {
  accepted: Order
  /** The id of the first parent of its group. */
  readonly group: string | undefined
  quantity: bigint
  stop: bigint | undefined
  /** Trades count for its stop from this time. */
  armedAt: bigint | undefined
  isElected: boolean
  /** A leg that waits for its parent, or for a trade that elects it. */
  isHeld: boolean
  isWorking: boolean
  isOpen: boolean
  /** The market does not work it: it is done for the day, or rests after a partial fill. */
  isDone: boolean
  isResting: boolean
  /** While a cancel is pending: the time of the decision. */
  cancelAt: bigint | undefined
  /** The order that is to replace this one, with the quantity filled before. */
  pending: { readonly by: string; readonly filled: bigint } | undefined
  filled: bigint
  value: bigint
  spent: bigint
}

/** A waiting leg holds nothing, except the leg of an OTO whose parent is filled. */
export const holds = ({ isHeld, armedAt, accepted }: TrackedOrder): boolean =>
  !isHeld || (accepted.group?.class === 'oto' && armedAt !== undefined)

export function moneyOf({ accepted, quantity, filled, spent }: TrackedOrder): bigint {
  const { notional, reserve } = accepted
  if (notional === undefined) return cents(reserve, quantity - filled, 'buy')
  return notional > spent ? notional - spent : 0n
}
