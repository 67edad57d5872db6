import assert from 'node:assert/strict'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { Reader } from '../../server/src/http/testing/events.ts'
import type { Body, Started } from '../support/broker.ts'
import { allOrders, get } from './checks.ts'

/** The state of an account that depends neither on repairs at a start nor on current prices. */
export type AccountState = {
  readonly orders: Body
  readonly positions: Body
  readonly cash: string
  readonly mints: Body
}

export async function accountStateOf(broker: Started): Promise<AccountState> {
  const positions = await get(broker, '/v2/positions')
  return {
    orders: await allOrders(broker),
    positions: positions.map(({ symbol, qty, cost_basis: cost }: Body) => ({ symbol, qty, cost })),
    cash: (await get(broker, '/v2/account')).cash,
    mints: await get(broker, '/v2/tokenization/requests'),
  }
}

export type Updates = { readonly received: readonly Body[]; readonly socket: WebSocket; close(): void }

/** Subscribes to the trade updates of the account and keeps all of them. */
export async function openUpdates({
  url,
  keyId,
  secretKey,
}: Pick<Started, 'url' | 'keyId' | 'secretKey'>): Promise<Updates> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/stream`)
  const received: Body[] = []
  const isListening = Promise.withResolvers<void>()
  isListening.promise.catch(() => undefined)
  socket.on('error', () => undefined)
  socket.on('close', () => isListening.reject(new Error('the stream was closed')))
  socket.on('message', (data) => {
    const { stream, data: update } = JSON.parse(String(data))
    if (stream === 'trade_updates') received.push(update)
    if (stream === 'listening') isListening.resolve()
  })
  await once(socket, 'open')
  socket.send(JSON.stringify({ action: 'auth', key: keyId, secret: secretKey }))
  socket.send(JSON.stringify({ action: 'listen', data: { streams: ['trade_updates'] } }))
  await isListening.promise
  return { received, socket, close: () => socket.close() }
}

/** Collects the trade updates of the account until the broker ends. */
export const tradeUpdates = async (broker: Started): Promise<readonly Body[]> =>
  (await openUpdates(broker)).received

/** All past events of an event stream, as a new reader receives them. */
export async function pastEvents(broker: Started, path: string): Promise<readonly Body[]> {
  const until = new Date().toISOString()
  const reader = new Reader(`${path}?since=2020-01-01T00:00:00Z&until=${until}`, broker)
  assert.equal(await reader.outcome, 'ended')
  return reader.events
}
