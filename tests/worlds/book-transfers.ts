import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type Body, type Broker, call, newWorld } from '../support/broker.ts'
import { auditsOf, startUntilEnd } from './durable.ts'
import { sim } from './files.ts'

type World = Awaited<ReturnType<typeof newWorld>>

/** Two durable worlds of a server that is killed between the steps of journals. */
class Stage {
  readonly #start: () => Promise<Broker>
  #broker: Broker
  readonly a: World
  readonly b: World

  constructor(start: () => Promise<Broker>, broker: Broker, [a, b]: readonly [World, World]) {
    this.#start = start
    this.#broker = broker
    this.a = a
    this.b = b
  }

  static async open(t: TestContext, flags: readonly string[]): Promise<Stage> {
    const start = () => startUntilEnd(t, flags)
    const broker = await start()
    const world = (name: string) => newWorld(broker, { world: name, durable: true, cash: '1000' })
    return new Stage(start, broker, [await world('a'), await world('b')])
  }

  get broker(): Broker {
    return this.#broker
  }

  async crash(): Promise<void> {
    await this.#broker.kill()
    this.#broker = await this.#start()
  }

  /** Sends a request with the key of a world's partner. */
  as({ partner }: World, method: string, path: string, body?: object) {
    return call({ ...partner, url: this.#broker.url }, method, path, body)
  }

  async journal(from: World, terms: object): Promise<Body> {
    const named = { from_account: from.accountId, to_account: this.b.accountId, to_world: 'b' }
    const { status, body } = await this.as(from, 'POST', '/v1/journals', { ...named, ...terms })
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(body.status, 'pending')
    return body
  }

  /** Responses of world b that world a does not get: the next request fails, or its response is lost. */
  async breakNext(kind: 'call_failed' | 'call_answer_lost'): Promise<void> {
    const rule = { effect: { kind }, match: { call: ['journal'], times: 1 } }
    const { status, body } = await sim(this.#broker, 'POST', 'a/faults', rule)
    assert.equal(status, 201, JSON.stringify(body))
  }

  /** Advances the clock of world a: the pause after the first failed request is over. */
  async retry(by = '10s'): Promise<void> {
    const { status, body } = await sim(this.#broker, 'POST', 'a/clock/advance', { by })
    assert.equal(status, 200, JSON.stringify(body))
  }

  async statusOf({ id }: Body): Promise<string> {
    await sim(this.#broker, 'GET', 'a/audit')
    return (await this.as(this.a, 'GET', `/v1/journals/${id}`)).body.status
  }

  async cashOf(world: World): Promise<string> {
    return (await call({ ...world, url: this.#broker.url }, 'GET', '/v2/account')).body.cash
  }

  async positionOf(world: World): Promise<readonly string[]> {
    const { body } = await call({ ...world, url: this.#broker.url }, 'GET', '/v2/positions')
    return body.map(({ symbol, qty, cost_basis }: Body) => `${qty} ${symbol} ${cost_basis}`)
  }
}

/** The rules of journals between durable worlds, for a server with these flags. */
export async function assertJournals(
  t: TestContext,
  folder: string,
  flags: readonly string[] = [],
): Promise<Stage> {
  const stage = await Stage.open(t, ['--data', folder, ...flags])
  const { a, b } = stage
  // Nothing happened in b: the request failed.
  await stage.breakNext('call_failed')
  const first = await stage.journal(a, { entry_type: 'JNLC', amount: '100.25' })
  assert.equal(await stage.statusOf(first), 'pending')
  assert.deepEqual([await stage.cashOf(a), await stage.cashOf(b)], ['899.75', '1000'])
  await stage.crash()
  assert.equal(await stage.statusOf(first), 'pending')
  // Received in b, and the response is lost.
  await stage.breakNext('call_answer_lost')
  await stage.retry('2s')
  assert.equal(await stage.statusOf(first), 'pending')
  assert.deepEqual([await stage.cashOf(a), await stage.cashOf(b)], ['899.75', '1100.25'])
  await stage.crash()
  await stage.retry()
  assert.equal(await stage.statusOf(first), 'executed')
  assert.deepEqual([await stage.cashOf(a), await stage.cashOf(b)], ['899.75', '1100.25'])
  await assertShares(stage)
  await assertRejected(stage)
  await assertLists(stage)
  const audits = () => auditsOf(folder, flags, '--all')
  assert.deepEqual(await transitsIn(audits), [2, [['1', 'USD', 'b']]])
  await stage.retry()
  assert.deepEqual(await transitsIn(audits), [3, []])
  assert.deepEqual((await stage.as(a, 'GET', '/v1/journals?status=pending')).body, [])
  return stage
}

/** The settled journals of world a, and those that are under way in any world. */
export async function transitsIn(audits: () => Promise<readonly Body[]>): Promise<readonly unknown[]> {
  const all = await audits()
  const underWay = all.flatMap(({ transits }) => transits)
  return [
    all.find(({ world }) => world === 'a').settled_transits,
    underWay.map(({ amount, asset, world }: Body) => [amount, asset, world]),
  ]
}

/** Shares move with their cost. */
async function assertShares(stage: Stage): Promise<void> {
  const { a, b } = stage
  const order = { symbol: 'KO', qty: '2', side: 'buy', type: 'market', time_in_force: 'day' }
  assert.equal((await call({ ...a, url: stage.broker.url }, 'POST', '/v2/orders', order)).status, 200)
  await sim(stage.broker, 'POST', 'a/clock/advance', { by: '26h' })
  const [held] = await stage.positionOf(a)
  const cost = Number(held!.split(' ')[2]) / 2
  const shares = await stage.journal(a, { entry_type: 'JNLS', symbol: 'KO', qty: '1' })
  assert.equal(await stage.statusOf(shares), 'executed')
  for (const world of [a, b]) {
    const [position] = await stage.positionOf(world)
    assert.deepEqual(position!.split(' ').slice(0, 2), ['1', 'KO'])
    assert.ok(Math.abs(Number(position!.split(' ')[2]) - cost) < 0.01, position)
  }
}

/** The other world refuses, and the money returns, also if the response is lost. */
async function assertRejected(stage: Stage): Promise<void> {
  const { a, b } = stage
  const before = await stage.cashOf(a)
  await stage.breakNext('call_answer_lost')
  const rejected = await stage.journal(a, {
    entry_type: 'JNLC',
    amount: '5',
    to_account: a.created.partner.partner_id,
  })
  assert.equal(await stage.statusOf(rejected), 'pending')
  await stage.crash()
  await stage.retry()
  assert.equal(await stage.statusOf(rejected), 'rejected')
  const { body } = await stage.as(a, 'GET', `/v1/journals/${rejected.id}`)
  assert.deepEqual([body.reason, body.to_world], ['account not found', 'b'])
  assert.equal(await stage.cashOf(a), before)
  const { body: list } = await stage.as(b, 'GET', '/v1/journals')
  assert.equal(list.length, 2)
}

async function assertLists(stage: Stage): Promise<void> {
  const { a, b } = stage
  await stage.breakNext('call_failed')
  await stage.journal(a, { entry_type: 'JNLC', amount: '1' })
  const list = async (world: World, query = ''): Promise<readonly Body[]> =>
    (await stage.as(world, 'GET', `/v1/journals${query}`)).body
  const statuses = (all: readonly Body[]) => all.map(({ status }) => status)
  assert.deepEqual(statuses(await list(a)), ['pending', 'rejected', 'executed', 'executed'])
  for (const [status, count] of [
    ['pending', 1],
    ['rejected', 1],
    ['executed', 2],
  ] as const)
    assert.deepEqual(statuses(await list(a, `?status=${status}`)), Array(count).fill(status))
  const [shares, cash] = await list(b)
  assert.deepEqual(
    [shares.symbol, shares.from_world, shares.to_world, cash.net_amount, cash.transit_id],
    ['KO', 'a', undefined, '100.25', (await list(a)).at(-1).transit_id],
  )
  const activities = async (world: World) =>
    (await call({ ...world, url: stage.broker.url }, 'GET', '/v2/account/activities/JNLC')).body.map(
      ({ net_amount }: Body) => net_amount,
    )
  // Newest first; the first deposit of each account is a journal too.
  assert.deepEqual((await activities(a)).slice(0, 4), ['-1', '5', '-5', '-100.25'])
  assert.equal((await activities(b))[0], '100.25')
}
