import assert from 'node:assert/strict'
import { request } from '../../server/src/http/testing/request.ts'
import { type Body, newWorld as brokerWorld, call, callAsOperator } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { StreamClient } from '../support/stream-client.ts'

export { broker }

/** Creates a world with a frozen clock, so no result in these files depends on timing. */
export const newWorld = (settings: Readonly<Record<string, unknown>> = {}) =>
  brokerWorld(broker, { seed: 'specification', ...settings })

export type World = Awaited<ReturnType<typeof newWorld>>
export type Caller = Pick<World, 'url' | 'keyId' | 'secretKey'>
export type StageResponse = Awaited<ReturnType<typeof call>>

export const get = (caller: Caller, path: string, headers?: Readonly<Record<string, string>>) =>
  call(caller, 'GET', path, undefined, headers)

/** Sends a request with only these headers. */
export async function callWithHeaders(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string | Uint8Array<ArrayBuffer>,
): Promise<StageResponse> {
  const response = await request(broker.url + path, method, headers, body)
  const isJson = response.headers.get('content-type')?.includes('json')
  return { ...response, body: isJson ? JSON.parse(response.text) : response.text }
}

/** Opens a stream of the broker. */
export const openStream = (path: string, headers?: Readonly<Record<string, string>>): Promise<StreamClient> =>
  StreamClient.open(broker.url + path, headers)

export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

export const marketBuy = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
/** A limit far below the market, so the order rests. */
export const restingBuy = { ...marketBuy, type: 'limit', limit_price: '10' }

export const postOrder = (caller: Caller, order: object) => call(caller, 'POST', '/v2/orders', order)

/** Places an order and asserts that it is accepted. */
export async function placeOrder(caller: Caller, order: object): Promise<Body> {
  const { status, body } = await postOrder(caller, order)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** Asserts a refusal: its status, an integer code, a message, and a request id. */
export function assertRefused(
  response: StageResponse,
  status: number,
  code: number,
  message?: string | RegExp,
): void {
  assert.deepEqual([response.status, response.body.code], [status, code], JSON.stringify(response.body))
  assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f]{32}$/)
  if (message instanceof RegExp) assert.match(response.body.message, message)
  else if (message !== undefined) assert.equal(response.body.message, message)
  else assert.equal(typeof response.body.message, 'string')
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'

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
  const response = await postAction(world, body)
  assert.equal(response.status, 201, JSON.stringify(response.body))
  return response.body
}

export const advanceTo = (world: World, to: string) =>
  callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/clock/advance`, { to })

export const buy = (world: World, qty: string, more: object = {}) =>
  placeOrder(world, { symbol: 'AAPL', qty, side: 'buy', type: 'market', time_in_force: 'day', ...more })

export const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'
/** The burn address, which the issuer refuses. */
export const REFUSED_WALLET = '0x000000000000000000000000000000000000dEaD'

export const mintRequest = {
  underlying_symbol: 'AAPL',
  qty: '1.5',
  issuer: 'xstocks',
  network: 'ethereum',
  wallet_address: WALLET,
}

/** A world with an account that may mint and holds ten shares each of AAPL and KO. */
export async function participant(settings?: Readonly<Record<string, unknown>>): Promise<World> {
  const world = await newWorld(settings)
  for (const symbol of ['AAPL', 'KO']) await placeOrder(world, { ...marketBuy, symbol, qty: '10' })
  return world
}

export const postMint = (
  caller: Caller,
  patch: object = {},
  idempotencyKey?: string,
): Promise<StageResponse> =>
  call(
    caller,
    'POST',
    '/v2/tokenization/mint',
    { ...mintRequest, ...patch },
    idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
  )

/** Mints and asserts that the request is accepted. */
export async function mintShares(caller: Caller, patch: object = {}, idempotencyKey?: string): Promise<Body> {
  const { status, body } = await postMint(caller, patch, idempotencyKey)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** All tokenization requests of the account. */
export const requests = async (caller: Caller): Promise<Body[]> =>
  (await call(caller, 'GET', '/v2/tokenization/requests')).body

/** The shares that the account holds. */
export const heldShares = async (caller: Caller, symbol = 'AAPL'): Promise<string> =>
  (await call(caller, 'GET', `/v2/positions/${symbol}`)).body.qty
