import assert from 'node:assert/strict'
import { type Body, newWorld as brokerWorld, call } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { StreamClient } from '../support/stream-client.ts'

export { broker }

/** Creates a world with a frozen clock, so no result in these files depends on timing. */
export const newWorld = (settings: Readonly<Record<string, unknown>> = {}) =>
  brokerWorld(broker, { seed: 'specification', ...settings })

export type World = Awaited<ReturnType<typeof newWorld>>
export type Caller = Pick<World, 'url' | 'keyId' | 'secretKey'>
export type Answer = Awaited<ReturnType<typeof call>>

export const get = (caller: Caller, path: string, headers?: Readonly<Record<string, string>>) =>
  call(caller, 'GET', path, undefined, headers)

/** Sends a request with only these headers. */
export async function callWithHeaders(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string | Uint8Array<ArrayBuffer>,
): Promise<Answer> {
  const response = await fetch(broker.url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers }
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
export function assertRefused(answer: Answer, status: number, code: number, message?: string | RegExp): void {
  assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body))
  assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f]{32}$/)
  if (message instanceof RegExp) assert.match(answer.body.message, message)
  else if (message !== undefined) assert.equal(answer.body.message, message)
  else assert.equal(typeof answer.body.message, 'string')
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'
