import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AccountId,
  auditFaults,
  type Command,
  type Decision,
  type Digest,
  type Instant,
  type IssuerCode,
  type Order,
  type OrderId,
  type Quantity,
  type Ticker,
  type TokenizationRequest,
} from '@quipu/core'
import { Cluster } from '../../broker/src/postgres/testing/server.ts'
import { filesStore } from '../../broker/src/registry/store/main-store.ts'
import { memoryStore } from '../../broker/src/registry/store/memory-store.ts'
import { PostgresServer } from '../../broker/src/registry/store/postgres-server.ts'
import { postgresStore } from '../../broker/src/registry/store/postgres-store.ts'
import type { MainStore } from '../../broker/src/registry/worlds.ts'
import { runJob } from '../../broker/src/world/jobs.ts'
import { amount, buy, openTestWorld, type TestWorld } from '../../broker/src/world/testing/world.ts'
import { tradeUpdateOf } from '../../server/src/wire/trade-update.ts'
import { newFolder } from '../support/broker.ts'

const SECOND = 1_000_000_000n

const open = (store: MainStore): Promise<TestWorld> =>
  openTestWorld({
    settings: { fillSize: 'displayed', latencyNs: SECOND / 4n },
    parts: { ...store, runJob },
  })

const onDisk = (folder: string): MainStore =>
  filesStore(folder, { warn: (text) => assert.fail(text), recovered: () => undefined })

const requestMint = (accountId: AccountId, wallet: string): Command => ({
  kind: 'requestMint',
  accountId,
  issuer: 'xstocks' as IssuerCode,
  network: 'base',
  underlying: 'KO' as Ticker,
  quantity: amount<Quantity>('10.5'),
  quantityText: '10.50',
  wallet,
})

/** The commands and clock steps. Each waits until its effects are complete, so a slow disk cannot change the order. */
function callsOf({
  world,
  account,
}: TestWorld): readonly ((decided: readonly Decision[]) => Command | bigint)[] {
  const [partner] = world.view.partners.keys()
  const [app] = world.view.apps.values()
  const grant = {
    partnerId: partner!,
    clientId: app!.clientId,
    secret: app!.secrets[0]!.digest,
    redirectUri: app!.redirectUris[0]!,
    scope: 'trading',
    accountId: account.id,
  }
  const [code, token] = ['a code', 'a token'] as Digest[]
  return [
    () => buy(account, 'KO', '2500'),
    () => 3600n,
    () => buy(account, 'AAPL', '1.5', '20'),
    (decided) => ({ kind: 'cancelOrder', accountId: account.id, orderId: orderIn(decided.at(-1)!) }),
    () => buy(account, 'AAPL', '9999999', '20'),
    () => buy(account, 'AAPL', '2', '5'),
    () => requestMint(account.id, 'anyone'),
    () => requestMint(account.id, '0x000000000000000000000000000000000000dEaD'),
    () => ({ kind: 'authorizeApp', ...grant, code: code! }),
    () => ({ kind: 'exchangeCode', ...grant, code: code!, token: token! }),
    () => 4n * 86_400n,
    () => buy(account, 'SPY', '0.25'),
    () => 60n,
  ]
}

function orderIn(decision: Decision): OrderId {
  assert.ok(decision.ok)
  return (decision.value[0] as { order: Order }).order.id
}

type Run = {
  readonly decided: readonly Decision[]
  readonly updates: readonly unknown[]
  readonly orders: readonly Order[]
  readonly requests: readonly TokenizationRequest[]
  readonly head: { readonly seq: number; readonly hash: string }
}

async function run(opened: TestWorld): Promise<Run> {
  const { world, clock } = opened
  const updates: unknown[] = []
  const decided: Decision[] = []
  const stop = world.publisher.listen((events) => updates.push(...events.map(tradeUpdateOf).filter(Boolean)))
  for (const call of callsOf(opened)) {
    const next = call(decided)
    if (typeof next === 'bigint') await clock.advance((world.engine.latest + next * SECOND) as Instant)
    else decided.push((await world.commands.submit(next, (_, decision) => decision)).value)
    await world.commands.quiet()
  }
  stop()
  assert.deepEqual(opened.failures, [])
  assert.deepEqual(auditFaults(world.view), [])
  return { decided, updates, ...(await readQueryTables(opened)) }
}

/** The rows of the query tables and the head of the journal. */
async function readQueryTables({
  world,
  account,
}: TestWorld): Promise<Pick<Run, 'orders' | 'requests' | 'head'>> {
  const head = world.storage.journal.head()
  await world.storage.queryTables.reached(head.seq)
  const query = { accountId: account.id, limit: 100 }
  return {
    orders: await world.storage.queryTables.orders({ ...query, status: 'all', direction: 'asc' }),
    requests: await world.storage.queryTables.requests(query),
    head,
  }
}

test('memory, disk and PostgreSQL give the same decisions, updates, query tables and journal hash', async (t) => {
  const cluster = await Cluster.start()
  t.after(() => cluster.stop())
  const folder = newFolder()
  const inMemory = await open(memoryStore)
  const first = await run(inMemory)
  await inMemory.world.close()
  assert.deepEqual(
    first.orders.map(({ status }) => status),
    ['filled', 'canceled', 'expired', 'filled'],
  )
  assert.deepEqual(
    first.requests.map(({ status }) => status),
    ['rejected', 'completed'],
  )
  assert.ok(first.updates.length > 10)
  const { orders, requests, head } = first
  for (const [where, store] of [
    ['on disk', () => onDisk(folder)],
    [
      'in PostgreSQL',
      () => postgresStore(new PostgresServer(cluster.url()), { warn: (text) => assert.fail(text) }),
    ],
  ] as const) {
    const stored = await open(store())
    assert.deepEqual(await run(stored), first, where)
    await stored.world.close()
    const again = await open(store())
    assert.deepEqual(await readQueryTables(again), { orders, requests, head }, `${where}, after a restart`)
    await again.world.close()
  }
})
