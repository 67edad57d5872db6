import assert from 'node:assert/strict'
import { type Body, call, newWorld } from '../broker.ts'
import { broker } from '../shared-broker.ts'
import { StreamClient } from '../stream-client.ts'

export { broker }

/** A virtual world: its clock stands still until a row moves it, so nothing in these files is a matter of timing. */
export const world = (settings: Readonly<Record<string, unknown>> = {}) =>
  newWorld(broker, { seed: 'specification', ...settings })

export type World = Awaited<ReturnType<typeof world>>
export type Caller = Pick<World, 'url' | 'keyId' | 'secretKey'>
export type Answer = Awaited<ReturnType<typeof call>>

export const get = (who: Caller, path: string, headers?: Readonly<Record<string, string>>) =>
  call(who, 'GET', path, undefined, headers)

/** A call with these headers and no others. */
export async function bare(
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

/** A connection to one of the broker's streams. */
export const openStream = (path: string, headers?: Readonly<Record<string, string>>): Promise<StreamClient> =>
  StreamClient.open(broker.url + path, headers)

export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

export const marketBuy = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
/** Far below any price of the tape, so that it rests. */
export const restingBuy = { ...marketBuy, type: 'limit', limit_price: '10' }

export const place = (who: Caller, order: object) => call(who, 'POST', '/v2/orders', order)

/** Places an order that must be taken. */
export async function placed(who: Caller, order: object): Promise<Body> {
  const { status, body } = await place(who, order)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** What every refusal looks like: its status, an integer code, a message, and the id of the request. */
export function assertRefused(answer: Answer, status: number, code: number, message?: string | RegExp): void {
  assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body))
  assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f]{32}$/)
  if (message instanceof RegExp) assert.match(answer.body.message, message)
  else if (message !== undefined) assert.equal(answer.body.message, message)
  else assert.equal(typeof answer.body.message, 'string')
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const NOBODY = '00000000-0000-4000-8000-000000000000'
