import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { Reader } from '../../server/src/http/testing/events.ts'
import { type Body, call, callAsOperator, type Started } from '../support/broker.ts'
import { type ClientRecords, MINTED, type Placed } from './load.ts'

/** The orders and mints of an account, as the API returns them. */
export type OrdersAndMints = { readonly orders: readonly Body[]; readonly mints: readonly Body[] }

const TIMEOUT_MS = 120_000

/** Repeats a call that was answered with 503 and Retry-After: such a request was not applied. */
export async function callWithRetry(...request: Parameters<typeof call>): ReturnType<typeof call> {
  for (const start = performance.now(); ; await sleep(50)) {
    const response = await call(...request)
    const mayRetry = response.status === 503 && response.headers.has('retry-after')
    if (!mayRetry || performance.now() - start > TIMEOUT_MS) return response
  }
}

export async function get(broker: Started, path: string): Promise<Body> {
  const { status, body } = await callWithRetry(broker, 'GET', path)
  assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
  return body
}

const PAGE = 500

/** The orders of an account, or those that were submitted after a time. */
export async function allOrders(broker: Started, since?: string): Promise<Body[]> {
  const orders: Body[] = []
  for (let after = since; ; after = orders.at(-1).submitted_at) {
    const query = `status=all&direction=asc&limit=${PAGE}${after === undefined ? '' : `&after=${after}`}`
    const page = await get(broker, `/v2/orders?${query}`)
    orders.push(...page)
    if (page.length < PAGE) return orders
  }
}

/** Returns orders and mints once every market order is closed. */
export async function settledOrders(broker: Started): Promise<OrdersAndMints> {
  for (const start = performance.now(); performance.now() - start < TIMEOUT_MS; await sleep(100)) {
    const orders = await allOrders(broker)
    const mints = await get(broker, '/v2/tokenization/requests')
    const isClosed = ({ status }: Body) => /^(filled|canceled|expired)$/.test(status)
    if (orders.every((order) => order.type !== 'market' || isClosed(order))) return { orders, mints }
  }
  throw new Error('a market order stays open')
}

/** Fields of an order that never change after it was accepted. */
const fixedFields = [
  'id',
  'client_order_id',
  'symbol',
  'asset_id',
  'side',
  'type',
  'time_in_force',
  'qty',
  'limit_price',
  'order_class',
  'extended_hours',
  'position_intent',
  'created_at',
  'submitted_at',
  'expires_at',
] as const

const fieldsOf = (record: Body, names: readonly string[]) => names.map((name) => [name, record[name]])

/** Compares the responses that clients received with the orders and mints of the account. */
export function assertAcknowledged(
  { orders: placed, cancels, mints }: ClientRecords,
  current: OrdersAndMints,
): void {
  const orders = byName(current.orders, 'client_order_id')
  assertPlaced(placed, orders, (is, was) =>
    assert.deepEqual(fieldsOf(is, fixedFields), fieldsOf(was, fixedFields)),
  )
  const requests = byName(current.mints, 'client_request_id')
  assertPlaced(mints, requests, (is, was) => {
    const names = ['tokenization_request_id', 'created_at', 'qty', 'wallet_address', 'token_symbol']
    assert.deepEqual(fieldsOf(is, names), fieldsOf(was, names))
    assert.notEqual(is.status, 'rejected')
  })
  const ids = byName(current.orders, 'id')
  for (const [id, outcome] of cancels)
    if (outcome === 'acknowledged')
      assert.equal(ids.get(id)?.status, 'canceled', `a cancel of ${id} was lost`)
    else if (outcome === 'refused') assert.notEqual(ids.get(id)?.status, 'canceled')
}

function assertPlaced(
  placed: ReadonlyMap<string, Placed>,
  current: ReadonlyMap<string, Body>,
  assertSame: (is: Body, was: Body) => void,
): void {
  for (const [id, { request, outcome, order, status }] of placed) {
    const is = current.get(id)
    if (outcome === 'refused') assert.equal(is, undefined, `${id} was refused with ${status} but exists`)
    if (outcome === 'unknown' && is)
      for (const name of ['symbol', 'side', 'type', 'qty', 'underlying_symbol'])
        if (request[name] !== undefined)
          assert.equal(nano(is[name]), nano(String(request[name])), `${id} ${name}`)
    if (outcome !== 'acknowledged') continue
    assert(is, `${id} was acknowledged but does not exist`)
    assertSame(is, order)
  }
  for (const id of current.keys()) assert(placed.has(id), `${id} exists but no client requested it`)
}

function byName(items: readonly Body[], name: string): ReadonlyMap<string, Body> {
  const found = new Map<string, Body>()
  for (const record of items) {
    assert(!found.has(record[name]), `${name} ${record[name]} exists twice`)
    found.set(record[name], record)
  }
  return found
}

const NANO = 1_000_000_000n
const CENT = 10_000_000n

/** Converts a decimal to billionths; returns any other text unchanged. */
function nano(text: string): bigint | string {
  const parts = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(text)
  if (!parts) return text
  const [, minus, integer, fraction = ''] = parts
  const size = BigInt(integer!) * NANO + BigInt(fraction.padEnd(9, '0'))
  return minus ? -size : size
}

const inNano = (text: string): bigint => nano(text) as bigint

/** The amount of a fill in whole cents: buys are rounded up, sells down. */
function cents(price: bigint, quantity: bigint, side: string): bigint {
  const exact = price * quantity
  const unit = NANO * CENT
  return (side === 'buy' ? (exact + unit - 1n) / unit : exact / unit) * CENT
}

/** Recalculates cash and shares from every order and mint and compares them with the account and its positions. */
export async function assertBalances(broker: Started, { orders, mints }: OrdersAndMints): Promise<void> {
  let cash = 100_000n * NANO
  const shares = new Map<string, bigint>()
  const add = (symbol: string, amount: bigint) => shares.set(symbol, (shares.get(symbol) ?? 0n) + amount)
  for (const { filled_qty: filled, filled_avg_price: price, side, symbol, qty, status } of orders) {
    if (status === 'filled') assert.equal(filled, qty)
    if (inNano(filled) === 0n) continue
    const moved = cents(inNano(price), inNano(filled), side)
    cash += side === 'buy' ? -moved : moved
    add(symbol, side === 'buy' ? inNano(filled) : -inNano(filled))
  }
  for (const { underlying_symbol: symbol, qty, status } of mints)
    if (status !== 'rejected') add(symbol, -inNano(qty))
  // After a crash a pending mint may or may not have moved its shares until its call is repeated.
  const pending = mints.filter(({ status }) => status === 'pending').map(({ qty }) => inNano(qty))
  const possibleExtras = subsetSums(pending)
  const account = await get(broker, '/v2/account')
  assert.equal(inNano(account.cash), cash, 'cash equals the starting cash after all fills')
  const positions: Body[] = await get(broker, '/v2/positions')
  for (const { symbol, qty } of positions) {
    const extra = inNano(qty) - (shares.get(symbol) ?? 0n)
    assert(
      symbol === MINTED ? possibleExtras.has(extra) : extra === 0n,
      `${qty} ${symbol}, ${extra} too many`,
    )
    shares.delete(symbol)
  }
  assert.deepEqual(
    [...shares].filter(([, amount]) => amount !== 0n),
    [],
  )
}

/** The sums of all subsets of these amounts, including none and all. */
function subsetSums(amounts: readonly bigint[]): ReadonlySet<bigint> {
  let sums = new Set([0n])
  for (const amount of amounts) sums = new Set([...sums, ...[...sums].map((sum) => sum + amount)])
  return sums
}

export type Head = { readonly seq: number; readonly hash: string }

/** Runs the audit of the broker, which must find no problem. */
export async function assertSound(broker: Started): Promise<Head> {
  const { status, body } = await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/audit')
  assert.deepEqual([status, body.sound, body.problems], [200, true, []])
  return { seq: body.seq, hash: body.hash }
}

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
