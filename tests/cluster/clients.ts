import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { allOrders, assertAcknowledged, assertBalances, settledOrders } from '../bad-days/checks.ts'
import { type ClientRecords, newClientRecords, sendAny } from '../bad-days/load.ts'
import { type Body, call, callAsOperator, newWorld, type Started } from '../support/broker.ts'
import type { Random } from '../support/random.ts'
import { waitUntil } from '../support/wait-until.ts'

/** A world, its keys at any node, and what its clients know. */
export type WorldClient = {
  readonly world: string
  readonly at: Started
  /** The key of the partner, and an account that only journals use. */
  readonly partner: Pick<Started, 'url' | 'keyId' | 'secretKey'> & { readonly accountId: string }
  readonly records: ClientRecords
  reads: number
  /** The number of orders that were compared with the broker, and when. */
  checked: { readonly orders: number; readonly at: string }
}

type ClientsParts = {
  readonly random: Random
  /** The URLs to which requests are sent now. */
  readonly urls: () => readonly string[]
  /** Between the requests of a client. */
  readonly pauseMs: number
}

/** Clients of durable worlds. They send one request after the other, to any node, until the end. */
export class WorldClients {
  readonly #parts: ClientsParts
  isOver = false

  constructor(parts: ClientsParts) {
    this.#parts = parts
  }

  async create(first: Started, name: string): Promise<WorldClient> {
    const settings = { world: name, durable: true, clock: 'wall', fees: 'none', accounts: 2 }
    const { world, keyId, secretKey, accountId, partner, created } = await newWorld(first, settings)
    const { random, urls } = this.#parts
    const anywhere = <Key extends object>(key: Key) =>
      Object.defineProperty({ ...key, url: '' }, 'url', { get: () => random.pick(urls()) })
    return {
      world,
      at: anywhere({ ...first, keyId, secretKey, accountId }),
      partner: anywhere({ ...partner, accountId: created.accounts[1].account_id as string }),
      records: newClientRecords(),
      reads: 0,
      checked: { orders: 0, at: new Date(0).toISOString() },
    }
  }

  pause(times = 1): Promise<void> {
    return sleep(times * this.#parts.pauseMs)
  }

  /** Sends orders, cancels and mints. */
  async trade({ world, at, records }: WorldClient): Promise<void> {
    const { random } = this.#parts
    for (let number = 0; !this.isOver; number += 1) {
      await sendAny({ broker: at, random, records, name: world }, `${world}-${number}`)
      await this.pause()
    }
  }

  /** No read shows less than a response that was given before it began. */
  async read(client: WorldClient): Promise<void> {
    while (!this.isOver) {
      const least = client.records.seq
      const response = await call(client.at, 'GET', '/v2/account').catch(() => undefined)
      const seq = Number(response?.headers.get('x-quipu-seq') ?? Number.NaN)
      if (response?.status === 200) {
        assert.ok(seq >= least, `${client.world}: event ${seq} was read after a response had event ${least}`)
        client.records.seq = Math.max(client.records.seq, seq)
        client.reads += 1
      } else if (response) assertUnavailable(response)
      await this.pause()
    }
  }
}

/** A node reports that nothing was applied. HAProxy has no node, or received no response. */
export function assertUnavailable({ status, headers, body }: Awaited<ReturnType<typeof call>>): void {
  if (headers.has('x-request-id')) assert.deepEqual([status, headers.has('retry-after')], [503, true])
  else assert.ok([502, 503, 504].includes(status), JSON.stringify(body))
}

const acknowledged = ({ records }: WorldClient): number =>
  [...records.orders.values()].filter(({ outcome }) => outcome === 'acknowledged').length

/** Waits until every node answers for every world, and the clients of every world trade again. */
export async function untilHealthy(
  nodes: readonly Started[],
  clients: readonly WorldClient[],
): Promise<void> {
  const before = clients.map(acknowledged)
  for (const node of nodes)
    for (const world of ['main', ...clients.map((client) => client.world)])
      await waitUntil(`${node.url} answers for ${world}`, async () => {
        const path = `/sim/v1/worlds/${world}/journal`
        const response = callAsOperator(node, 'GET', path).catch(() => ({ status: 0 }))
        const { status } = await Promise.race([response, sleep(2_000, { status: 0 })])
        return status === 200
      })
  // One order of each world may have been sent before.
  await waitUntil('every world accepts orders again', () =>
    clients.every((client, at) => acknowledged(client) > before[at]! + 1),
  )
}

/** A request may be stored this much later than it was sent. */
const LATE_MS = 60_000

/**
 * While requests are sent: every acknowledged order since the last check is there once, and no refused one. Reads at a
 * node, because HAProxy needs some time after a fault until it uses the nodes again.
 */
export async function assertSoFar(client: WorldClient, { url }: Pick<Started, 'url'>): Promise<void> {
  const { records, checked, at, world } = client
  const placed = [...records.orders].slice(checked.orders)
  client.checked = {
    orders: checked.orders + placed.length,
    at: new Date(Date.now() - LATE_MS).toISOString(),
  }
  const orders = await allOrders({ ...at, url }, checked.at)
  const counts = Map.groupBy(orders, (order) => order.client_order_id)
  for (const [id, { outcome }] of placed) {
    const times = counts.get(id)?.length ?? 0
    const isRight = outcome === 'unknown' ? times <= 1 : times === (outcome === 'acknowledged' ? 1 : 0)
    assert.ok(isRight, `${world}: order ${id} is ${outcome}, and there ${times} times`)
  }
}

/** Every acknowledged command is there once, nothing refused was applied, and the books are right. */
export async function assertRecords(client: WorldClient): Promise<void> {
  const current = await settledOrders(client.at)
  assertAcknowledged(client.records, current)
  await assertBalances(client.at, current)
  const { body }: Body = await callAsOperator(client.at, 'GET', `/sim/v1/worlds/${client.world}/audit`)
  assert.deepEqual([body.sound, body.problems], [true, []])
  assert.ok(body.seq >= client.records.seq)
  assert.ok(client.reads > 20)
}

type Key = Pick<Started, 'keyId' | 'secretKey'>

/** What a client saw: requests by status, failed connections, and the longest wait. */
export type Observed = {
  readonly placed: string[]
  readonly problems: string[]
  requests: number
  slowestMs: number
}

const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'limit', limit_price: '1', time_in_force: 'gtc' }

/**
 * Places and reads orders with the fetch of Node, one request after the other at each URL, until it is stopped. It
 * does not repeat a request.
 */
export function startLoad(urls: readonly string[], key: Key, pauseMs = 30) {
  const observed: Observed = { placed: [], problems: [], requests: 0, slowestMs: 0 }
  let isStopped = false
  const request = async (url: string, body?: object) => {
    const startedMs = performance.now()
    try {
      const response = await fetch(url, {
        method: body ? 'POST' : 'GET',
        headers: {
          'APCA-API-KEY-ID': key.keyId,
          'APCA-API-SECRET-KEY': key.secretKey,
          'Content-Type': 'application/json',
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (response.status !== 200)
        observed.problems.push(`${url} ${response.status} ${text} after ${performance.now() - startedMs} ms`)
      return text
    } catch (error) {
      observed.problems.push(`${String(error)}: ${String((error as Error).cause)}`)
      return undefined
    } finally {
      observed.requests += 1
      observed.slowestMs = Math.max(observed.slowestMs, performance.now() - startedMs)
    }
  }
  const run = async (url: string) => {
    while (!isStopped) {
      const placed = await request(`${url}/v2/orders`, order)
      const { id } = JSON.parse(placed ?? '{}')
      if (id) observed.placed.push(id)
      if (id) await request(`${url}/v2/orders/${id}`)
      await sleep(pauseMs)
    }
  }
  const running = urls.map(run)
  return {
    observed,
    async stop(): Promise<Observed> {
      isStopped = true
      await Promise.all(running)
      return observed
    },
  }
}
