import assert from 'node:assert/strict'
import { type Body, callAsOperator } from '../support/broker.ts'
import { broker, placeOrder, type World } from './stage.ts'

/** Worlds begin on Monday, 5 January 2026, at 10:00 in New York. */
export const TUESDAY = '2026-01-06'
export const EFFECTIVE_AT = '2026-01-06T05:00:00Z'
export const OPEN = '2026-01-06T14:30:00Z'

export const actionsPath = (name: string): string => `/sim/v1/worlds/${name}/corporate-actions`
export const postAction = (world: World, body: object) =>
  callAsOperator(broker, 'POST', actionsPath(world.world), body)
export const listActions = async (world: World): Promise<Body[]> =>
  (await callAsOperator(broker, 'GET', actionsPath(world.world))).body

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

export async function createAction(world: World, body: object): Promise<Body> {
  const answer = await postAction(world, body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

export const advanceTo = (world: World, to: string) =>
  callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/clock/advance`, { to })

export const buy = (world: World, qty: string, more: object = {}) =>
  placeOrder(world, { symbol: 'AAPL', qty, side: 'buy', type: 'market', time_in_force: 'day', ...more })
