import type { OrderId } from '../../ids.ts'
import type { Moment } from '../../moment.ts'
import { type Instant, later } from '../../time.ts'
import type { WorldSettings } from '../../world.ts'
import { type Delay, MILLION } from './settings.ts'

/** The decision that a draw is for. Each purpose of an order has its own draws. */
type Purpose =
  | 'latency'
  | 'reject'
  | 'cancelLatency'
  | 'cancelReject'
  | 'replaceLatency'
  | 'replaceReject'
  | 'doneForDay'
  | 'doneAt'
  | 'pieces'
  | 'piece'
  | 'rest'

const BITS = 32n
const DRAWS = 4_294_967_296

/** A seeded number below 2^32, from the world's seed, the order, the purpose and a counter. */
const draw = ({ id }: Moment, orderId: OrderId, purpose: Purpose, n: number): number =>
  Number.parseInt(id(`${orderId}/${purpose}`, n, 0).slice(0, 8), 16)

/** A seeded duration in nanoseconds. */
export function drawDelay(
  moment: Moment,
  orderId: OrderId,
  purpose: Purpose,
  { minNs, maxNs, shape }: Delay,
  n = 0,
): bigint {
  const drawn = BigInt(draw(moment, orderId, purpose, n))
  const range = maxNs - minNs
  if (shape === 'uniform') return minNs + ((range * drawn) >> BITS)
  return minNs + ((range * drawn * drawn * drawn * drawn) >> (4n * BITS))
}

/** A seeded time between two times. */
export const drawFrom = (
  moment: Moment,
  orderId: OrderId,
  purpose: Purpose,
  [from, to]: readonly [Instant, Instant],
): Instant => later(from, ((to - from) * BigInt(draw(moment, orderId, purpose, 0))) >> BITS)

/** A seeded number of millionths, from 0 to 999,999. */
export const drawMillionths = (moment: Moment, orderId: OrderId, purpose: Purpose, n = 0): number =>
  Math.floor((draw(moment, orderId, purpose, n) * MILLION) / DRAWS)

/** A draw that is below a share; undefined if it is not, or if the share is not set. */
export function drawBelow(
  moment: Moment,
  orderId: OrderId,
  purpose: Purpose,
  share: number | undefined,
  n = 0,
): { readonly draw: number; readonly share: number } | undefined {
  if (share === undefined) return undefined
  const draw = drawMillionths(moment, orderId, purpose, n)
  return draw < share ? { draw, share } : undefined
}

/** The time from an order's acceptance until the market has it. */
export const latencyOf = ({ latencyNs, venue }: WorldSettings, moment: Moment, orderId: OrderId): bigint =>
  venue?.latency ? drawDelay(moment, orderId, 'latency', venue.latency) : latencyNs
