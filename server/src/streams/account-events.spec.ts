import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Instant } from '@quipu/core'
import { call, openTestServer, type TestServer } from '../http/testing.ts'
import { accountEventHandlers } from './account-events.ts'

let server: TestServer
before(async () => {
  server = await openTestServer({ handlers: accountEventHandlers, limits: { readersMax: 20 } })
})
after(() => server.close())

// biome-ignore lint/suspicious/noExplicitAny: what is told has many shapes
type Told = any

/** A client of server-sent events that reads as a simple one does: line by line, `data: ` alone. */
class Reader {
  readonly told: Told[] = []
  readonly comments: string[] = []
  status = 0
  type: string | null = ''
  body: Told
  /** How it ended: by the server's word, or broken. */
  readonly over: Promise<'ended' | 'broken' | 'refused'>
  readonly #leaving = new AbortController()

  constructor(path: string, key: TestServer['key'], headers: Record<string, string> = {}) {
    this.over = this.#read(path, key, headers)
  }

  leave(): void {
    this.#leaving.abort()
  }

  async until(count: number): Promise<Told[]> {
    for (let tries = 0; this.told.length < count; tries++) {
      assert.ok(tries < 1_000, `expected ${count}, received ${this.told.length}`)
      await sleep(10)
    }
    return this.told
  }

  async #read(path: string, key: TestServer['key'], headers: Record<string, string>) {
    try {
      const response = await fetch(`${server.url}${path}`, {
        headers: { 'apca-api-key-id': key.keyId, 'apca-api-secret-key': key.secretKey, ...headers },
        signal: this.#leaving.signal,
      })
      this.status = response.status
      this.type = response.headers.get('content-type')
      if (this.type !== 'text/event-stream') {
        this.body = await response.json()
        return 'refused'
      }
      let rest = ''
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop()!
        for (const line of lines)
          if (line.startsWith('data: ')) this.told.push(JSON.parse(line.slice(6)))
          else if (line.startsWith(':')) this.comments.push(line)
      }
      return 'ended'
    } catch {
      return 'broken'
    }
  }
}

const TRADES = '/v2/events/trades'
const ACTIVITIES = '/v2beta1/events/activities'
const trade = async (count = 1, key = server.key) => {
  const body = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  for (let number = 0; number < count; number++)
    assert.equal((await call(server, 'POST /v2/orders', { key, body })).status, 200)
  await server.clock.advance((server.clock.now() + 1_000_000_000n) as Instant)
}
/** Texts of times that sort as the times do. */
const nanos = (at: string): string => {
  const [whole, part = ''] = at.slice(0, -1).split('.')
  return `${whole}.${part.padEnd(9, '0')}`
}
const ids = (told: readonly Told[]): readonly string[] => told.map(({ event_id: id }) => id)

test('without a beginning only what happens from now on is told', async () => {
  await trade()
  const reader = new Reader(TRADES, server.key)
  while (reader.status === 0) await sleep(5)
  await trade()
  const told = await reader.until(3)
  assert.deepEqual(
    told.map(({ event }) => event),
    ['pending_new', 'new', 'fill'],
  )
  assert.equal(reader.type, 'text/event-stream')
  const [placed, , filled] = told
  assert.equal(placed.order.status, 'pending_new')
  assert.deepEqual([filled.order.status, filled.qty, filled.position_qty], ['filled', '1', '2'])
  assert.match(filled.event_id, /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
  reader.leave()
})

test('history comes first, as it was told live, each once', async () => {
  const live = new Reader(TRADES, server.key)
  while (live.status === 0) await sleep(5)
  await trade(5)
  const told = await live.until(15)
  live.leave()
  const again = new Reader(`${TRADES}?since=${told[0].at}`, server.key)
  assert.deepEqual(await again.until(15), told)
  await trade()
  assert.deepEqual((await again.until(18)).slice(0, 15), told)
  assert.deepEqual(ids(again.told), [...new Set(ids(again.told))].sort())
  again.leave()
})

test('an id names the event before the first, or the last', async () => {
  const all = new Reader(`${TRADES}?since=2026-01-01`, server.key)
  await trade()
  const told = await all.until(27)
  all.leave()
  const [from, to] = [told[4], told[11]]
  const part = new Reader(`${TRADES}?since_id=${from.event_id}&until_id=${to.event_id}`, server.key)
  assert.equal(await part.over, 'ended')
  assert.deepEqual(part.told, told.slice(5, 12))
  const resumed = new Reader(TRADES, server.key, { 'last-event-id': from.event_id })
  assert.deepEqual(await resumed.until(told.length - 5), told.slice(5))
  resumed.leave()
})

test('with an end the answer ends there, both instants included', async () => {
  const all = new Reader(`${TRADES}?since=2026-01-01`, server.key)
  const told = [...(await all.until(27))]
  all.leave()
  const [from, to] = [told[3], told[9]]
  const reader = new Reader(`${TRADES}?since=${from.at}&until=${to.at}`, server.key)
  assert.equal(await reader.over, 'ended')
  const within = told.filter(({ at }) => nanos(at) >= nanos(from.at) && nanos(at) <= nanos(to.at))
  assert.deepEqual(reader.told, within)
})

test('an end that is still to come is waited for', async () => {
  const now = new Date(Number(server.clock.now() / 1_000_000n))
  const until = new Date(now.getTime() + 5_000).toISOString()
  const reader = new Reader(`${TRADES}?since=${now.toISOString()}&until=${until}`, server.key)
  while (reader.status === 0) await sleep(5)
  await trade()
  await reader.until(3)
  await server.clock.advance((server.clock.now() + 10_000_000_000n) as Instant)
  assert.equal(await reader.over, 'ended')
  assert.equal(reader.told.length, 3)
})

test('activities are told in the same way, and nobody else hears of them', async () => {
  const reader = new Reader(`${ACTIVITIES}?since=2026-01-01`, server.otherKey)
  const [cash] = await reader.until(1)
  assert.deepEqual(
    [cash.activity_type, cash.net_amount, cash.status, cash.currency],
    ['JNLC', '100000', 'executed', 'USD'],
  )
  await trade(1, server.key)
  await trade(1, server.otherKey)
  const [, fill] = await reader.until(2)
  assert.equal(fill.activity_type, 'FILL')
  assert.equal(fill.settle_date, '2026-11-03')
  const { body } = await call(server, 'GET /v2/account/activities?page_size=1', { key: server.otherKey })
  const { order_id, order_status, side, symbol, cum_qty, leaves_qty } = body[0]
  assert.equal(fill.id, body[0].id)
  const { asset_id, ...details } = fill.details
  assert.match(asset_id, /^[0-9a-f-]{36}$/)
  assert.deepEqual(details, {
    symbol,
    side,
    order_id,
    order_status,
    execution_type: 'fill',
    cum_qty,
    leaves_qty,
  })
  const later = new Reader(`${ACTIVITIES}?since_id=${cash.event_id}`, server.otherKey)
  assert.deepEqual(await later.until(1), [fill])
  reader.leave()
  later.leave()
})

for (const [what, query] of [
  ['an end without a beginning', '?until=2026-11-02'],
  ['a last id without a first', '?until_id=01JBQ5V7WD000000000000001A'],
  ['two beginnings', '?since=2026-11-02&since_id=01JBQ5V7WD000000000000001A'],
  ['two ends', '?since=2026-11-02&until=2026-11-03&until_id=01JBQ5V7WD000000000000001A'],
  ['an id that is none', '?since_id=1'],
  ['an instant that is none', '?since=soon'],
] as const)
  for (const path of [TRADES, ACTIVITIES])
    test(`${path} refuses ${what}`, async () => {
      const { status, body } = await call(server, `GET ${path}${query}`, { key: server.key })
      assert.deepEqual([status, body.code], [422, 40010001], body.message)
    })

test('a reader who comes and goes while much happens loses nothing and hears nothing twice', async () => {
  const steady = new Reader(TRADES, server.key)
  while (steady.status === 0) await sleep(5)
  const heard: Told[] = []
  let isOver = false
  const restless = (async () => {
    let last = ids(steady.told).at(-1)
    const since = new Date(Number(server.clock.now() / 1_000_000n)).toISOString()
    while (!isOver) {
      const from = last === undefined ? `since=${since}` : `since_id=${last}`
      const reader = new Reader(`${TRADES}?${from}`, server.key)
      await sleep(30 + (heard.length % 7) * 5)
      reader.leave()
      await reader.over
      heard.push(...reader.told)
      last = ids(heard).at(-1) ?? last
    }
    return last
  })()
  for (let round = 0; round < 30; round++) await trade(7)
  const told = await steady.until(30 * 7 * 3)
  isOver = true
  const last = await restless
  const rest = new Reader(`${TRADES}?since_id=${last ?? told[0].event_id}`, server.key)
  await rest.until(told.length - heard.length - (last === undefined ? 1 : 0))
  rest.leave()
  steady.leave()
  assert.deepEqual(
    ids([...heard, ...rest.told]).filter((id) => id >= told[0].event_id),
    ids(told),
  )
})

test('a revoked key ends its readers, and no others', async () => {
  const { value } = await server.world.submit(
    {
      kind: 'issueKey',
      keyId: 'PKREVOKED' as never,
      owner: { kind: 'account', accountId: server.accountId },
      digest: (await import('../credentials.ts')).digestOf('secret'),
    },
    (_, decided) => decided.ok,
  )
  assert.ok(value)
  const key = { ...server.key, keyId: 'PKREVOKED', secretKey: 'secret' } as TestServer['key']
  const [mine, other] = [new Reader(TRADES, key), new Reader(TRADES, server.key)]
  while (mine.status === 0 || other.status === 0) await sleep(5)
  await server.world.submit({ kind: 'revokeKey', keyId: 'PKREVOKED' as never }, () => undefined)
  assert.equal(await mine.over, 'ended')
  await trade()
  await other.until(3)
  other.leave()
})

test('one reader too many is told so', async () => {
  const readers = Array.from({ length: 20 }, () => new Reader(TRADES, server.key))
  while (readers.some(({ status }) => status === 0)) await sleep(5)
  const full = new Reader(TRADES, server.key)
  assert.equal(await full.over, 'refused')
  assert.equal(full.body.reason, 'readersFull')
  for (const reader of readers) reader.leave()
  await Promise.all(readers.map(({ over }) => over))
})
