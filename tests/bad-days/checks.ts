import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Body, call, callAsOperator, type Started } from '../broker.ts'
import { type Memory, MINTED, type Placed } from './load.ts'

/** Everything of an account as its owner may see it. */
export type Seen = { readonly orders: readonly Body[]; readonly mints: readonly Body[] }

const PATIENCE_MS = 20_000

/** Comes again where it is told to, as clients do; a 503 says that nothing was applied. */
export async function patientCall(...asked: Parameters<typeof call>): ReturnType<typeof call> {
  for (const start = performance.now(); ; await sleep(50)) {
    const answer = await call(...asked)
    const mayRetry = answer.status === 503 && answer.headers.has('retry-after')
    if (!mayRetry || performance.now() - start > PATIENCE_MS) return answer
  }
}

export async function get(broker: Started, path: string): Promise<Body> {
  const { status, body } = await patientCall(broker, 'GET', path)
  assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
  return body
}

const PAGE = 500

export async function allOrders(broker: Started): Promise<Body[]> {
  const orders: Body[] = []
  for (let after = ''; ; after = `&after=${orders.at(-1).submitted_at}`) {
    const page = await get(broker, `/v2/orders?status=all&direction=asc&limit=${PAGE}${after}`)
    orders.push(...page)
    if (page.length < PAGE) return orders
  }
}

/** What there is to see once every market order has come to its end. */
export async function settled(broker: Started): Promise<Seen> {
  for (const start = performance.now(); performance.now() - start < PATIENCE_MS; await sleep(100)) {
    const orders = await allOrders(broker)
    const mints = await get(broker, '/v2/tokenization/requests')
    const isEnded = ({ status }: Body) => /^(filled|canceled|expired)$/.test(status)
    if (orders.every((order) => order.type !== 'market' || isEnded(order))) return { orders, mints }
  }
  throw new Error('a market order does not come to its end')
}

/** What an order was accepted as, and stays. */
const lasting = [
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

const pickedFrom = (record: Body, names: readonly string[]) => names.map((name) => [name, record[name]])

/** What clients were told against what is there. */
export function assertRemembered({ orders: told, cancels, mints }: Memory, seen: Seen): void {
  const orders = byName(seen.orders, 'client_order_id')
  assertPlaced(told, orders, (is, was) => assert.deepEqual(pickedFrom(is, lasting), pickedFrom(was, lasting)))
  const requests = byName(seen.mints, 'client_request_id')
  assertPlaced(mints, requests, (is, was) => {
    const names = ['tokenization_request_id', 'created_at', 'qty', 'wallet_address', 'token_symbol']
    assert.deepEqual(pickedFrom(is, names), pickedFrom(was, names))
    assert.notEqual(is.status, 'rejected')
  })
  const ids = byName(seen.orders, 'id')
  for (const [id, outcome] of cancels)
    if (outcome === 'acknowledged')
      assert.equal(ids.get(id)?.status, 'canceled', `a cancel of ${id} was lost`)
    else if (outcome === 'refused') assert.notEqual(ids.get(id)?.status, 'canceled')
}

function assertPlaced(
  told: ReadonlyMap<string, Placed>,
  there: ReadonlyMap<string, Body>,
  assertSame: (is: Body, was: Body) => void,
): void {
  for (const [id, { asked, outcome, order, status }] of told) {
    const is = there.get(id)
    if (outcome === 'refused') assert.equal(is, undefined, `${id} was refused with ${status} and is there`)
    if (outcome === 'unknown' && is)
      for (const name of ['symbol', 'side', 'type', 'qty', 'underlying_symbol'])
        if (asked[name] !== undefined)
          assert.equal(nano(is[name]), nano(String(asked[name])), `${id} ${name}`)
    if (outcome !== 'acknowledged') continue
    assert(is, `${id} was acknowledged and is not there`)
    assertSame(is, order)
  }
  for (const id of there.keys()) assert(told.has(id), `${id} is there and nobody asked for it`)
}

function byName(records: readonly Body[], name: string): ReadonlyMap<string, Body> {
  const found = new Map<string, Body>()
  for (const record of records) {
    assert(!found.has(record[name]), `${name} ${record[name]} is there twice`)
    found.set(record[name], record)
  }
  return found
}

const NANO = 1_000_000_000n
const CENT = 10_000_000n

/** A decimal in billionths; any other text as it is. */
function nano(text: string): bigint | string {
  const parts = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(text)
  if (!parts) return text
  const [, minus, whole, fraction = ''] = parts
  const size = BigInt(whole!) * NANO + BigInt(fraction.padEnd(9, '0'))
  return minus ? -size : size
}

const inNano = (text: string): bigint => nano(text) as bigint

/** Whole cents that a fill moves: buys up, sells down. */
function cents(price: bigint, quantity: bigint, side: string): bigint {
  const exact = price * quantity
  const unit = NANO * CENT
  return (side === 'buy' ? (exact + unit - 1n) / unit : exact / unit) * CENT
}

/** Adds cash and shares up anew from every order and mint there is, and asks the account and its positions. */
export async function assertBooks(broker: Started, { orders, mints }: Seen): Promise<void> {
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
  // Until its call is made again after a crash, a pending mint may or may not have moved its shares.
  const pending = mints.filter(({ status }) => status === 'pending').map(({ qty }) => inNano(qty))
  const unmoved = sumsOfSome(pending)
  const account = await get(broker, '/v2/account')
  assert.equal(inNano(account.cash), cash, 'cash is what the fills have left')
  const positions: Body[] = await get(broker, '/v2/positions')
  for (const { symbol, qty } of positions) {
    const more = inNano(qty) - (shares.get(symbol) ?? 0n)
    assert(symbol === MINTED ? unmoved.has(more) : more === 0n, `${qty} ${symbol}, ${more} too many`)
    shares.delete(symbol)
  }
  assert.deepEqual(
    [...shares].filter(([, amount]) => amount !== 0n),
    [],
  )
}

/** Every sum that some of these amounts have, none and all included. */
function sumsOfSome(amounts: readonly bigint[]): ReadonlySet<bigint> {
  let sums = new Set([0n])
  for (const amount of amounts) sums = new Set([...sums, ...[...sums].map((sum) => sum + amount)])
  return sums
}

export type Head = { readonly seq: number; readonly hash: string }

/** The broker's own audit; it must find nothing. */
export async function assertSound(broker: Started): Promise<Head> {
  const { status, body } = await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/audit')
  assert.deepEqual([status, body.sound, body.problems], [200, true, []])
  return { seq: body.seq, hash: body.hash }
}
