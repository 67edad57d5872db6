import assert from 'node:assert/strict'
import { type Body, callAsOperator } from '../broker.ts'
import { broker, placed, type world } from './stage.ts'

export type Own = Awaited<ReturnType<typeof world>>

/** Worlds begin on Monday, 5 January 2026, at 10:00 in New York. */
export const TUESDAY = '2026-01-06'
export const MOMENT = '2026-01-06T05:00:00Z'
export const OPEN = '2026-01-06T14:30:00Z'

export const path = (name: string): string => `/sim/v1/worlds/${name}/corporate-actions`
export const act = (own: Own, body: object) => callAsOperator(broker, 'POST', path(own.world), body)
export const list = async (own: Own): Promise<Body[]> =>
  (await callAsOperator(broker, 'GET', path(own.world))).body

export const split = (newRate: number, oldRate: number, exDate = TUESDAY) => ({
  type: newRate > oldRate ? 'forward_split' : 'reverse_split',
  symbol: 'AAPL',
  ex_date: exDate,
  new_rate: newRate,
  old_rate: oldRate,
})
export const dividend = (rate: string, dates: object = {}) => ({
  type: 'cash_dividend',
  symbol: 'AAPL',
  ex_date: TUESDAY,
  rate,
  ...dates,
})

export async function made(own: Own, body: object): Promise<Body> {
  const answer = await act(own, body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

export const until = (own: Own, to: string) =>
  callAsOperator(broker, 'POST', `/sim/v1/worlds/${own.world}/clock/advance`, { to })

export const buy = (own: Own, qty: string, more: object = {}) =>
  placed(own, { symbol: 'AAPL', qty, side: 'buy', type: 'market', time_in_force: 'day', ...more })
