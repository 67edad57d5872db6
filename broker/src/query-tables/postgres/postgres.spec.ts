import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WorldId } from '@quipu/core'
import fc from 'fast-check'
import type { Journal } from '../../journal/journal.ts'
import { NotApplied } from '../../journal/not-applied.ts'
import { openPostgresJournal } from '../../journal/postgres/journal.ts'
import type { LeasedJournal } from '../../journal/postgres/leased-journal.ts'
import { connect, openPool } from '../../postgres/connection.ts'
import { Cluster } from '../../postgres/testing/server.ts'
import { SharedThreads } from '../../threads/shared-threads.ts'
import type { QueryTablesQuery } from '../queries.ts'
import type { QueryTables } from '../query-tables.ts'
import { anyHistoryQuery, anyOrdersQuery, anyRequestsQuery, queriesOfForks } from '../testing/any-query.ts'
import { forkRules } from '../testing/fork-rules.ts'
import { historyOf } from '../testing/history-rules.ts'
import { queryTablesSuite } from '../testing/query-tables-suite.ts'
import { ruleOf, type Store } from '../testing/rule.ts'
import { Story } from '../testing/story.ts'
import { openPostgresQueryTables } from './postgres.ts'
import { postgresQuery } from './queries.ts'
import { loadPostgresSnapshot } from './snapshot.ts'

const cluster = await Cluster.start()
after(() => cluster.stop())

const pool = openPool(cluster.url())
const { open: openThread } = new SharedThreads()
const story = new Story(5).run(300)
const everything = { accountId: story.accounts[0]!, status: 'all', limit: 500, direction: 'asc' } as const
const mine = [...story.state.orders.values()].filter(({ accountId }) => accountId === everything.accountId)
let worlds = 0

/** A world of the database, with functions that open its journal and its query tables. */
class TestWorldStore {
  readonly world = `world ${++worlds}` as WorldId
  readonly logged: string[] = []
  readonly failures: unknown[] = []
  readonly snapshotThreadMin: number

  /** By default no snapshot is large enough for a thread. */
  constructor(snapshotThreadMin = Number.POSITIVE_INFINITY) {
    this.snapshotThreadMin = snapshotThreadMin
  }

  openJournal(): Promise<LeasedJournal> {
    return openPostgresJournal({ url: cluster.url(), world: this.world, marketModel: 1 })
  }

  openQueryTables(journal: LeasedJournal): Promise<QueryTables> {
    return openPostgresQueryTables({
      url: cluster.url(),
      number: 1,
      pool,
      world: this.world,
      fence: journal.fence,
      journal,
      openThread,
      limits: { batchEventsMax: 64, snapshotThreadMin: this.snapshotThreadMin },
      log: (line) => this.logged.push(line),
      onFailure: (error) => this.failures.push(error),
    })
  }

  async with<Value>(run: (queryTables: QueryTables, journal: Journal) => Promise<Value>): Promise<Value> {
    const journal = await this.openJournal()
    const queryTables = await this.openQueryTables(journal)
    try {
      await queryTables.reached(journal.head().seq)
      return await run(queryTables, journal)
    } finally {
      await queryTables.close()
      await journal.close()
    }
  }

  rows(): Promise<readonly (readonly unknown[])[]> {
    return Promise.all(
      ['quipu_orders', 'quipu_requests', 'quipu_history'].map((table) =>
        cluster.run(`SELECT * FROM ${table} WHERE world = '${this.world}' ORDER BY account, id`),
      ),
    )
  }
}

/** A world whose query tables contain the story. */
async function withStory(snapshotThreadMin?: number): Promise<TestWorldStore> {
  const store = new TestWorldStore(snapshotThreadMin)
  await store.with(async (queryTables, journal) => {
    await journal.append(story.entries)
    queryTables.follow(journal.head().seq)
    await queryTables.reached(journal.head().seq)
  })
  return store
}

/** Shared by tests: the next opening repairs any damage. */
const shared = await withStory()

async function openStore(): Promise<Store> {
  const store = new TestWorldStore()
  const journal = await store.openJournal()
  return { journal, open: () => store.openQueryTables(journal) }
}
// Only one story, because each query is a round trip to the server.
queryTablesSuite('postgres', openStore, [2])

/** `npm run test:long` runs every case, `npm test` the first one. */
const CASES_MAX = process.env['CASES'] === 'all' ? undefined : 1
if (!CASES_MAX) forkRules(ruleOf('postgres', openStore), 1)

const problems = [
  ['were made from another journal', "UPDATE quipu_query_tables SET mark_hash = 'x'"],
  ['have another format', 'UPDATE quipu_query_tables SET format = 999'],
] as const

for (const [what, sql] of problems.slice(0, CASES_MAX))
  test(`tables that ${what} are rebuilt, and the log says so`, async () => {
    const store = shared
    store.logged.length = 0
    const rows = await store.rows()
    assert.ok(rows.every((table) => table.length > 5))
    await cluster.run(`${sql} WHERE world = '${store.world}'`)
    await store.with(async (queryTables) => assert.equal(queryTables.position(), story.entries.length))
    assert.deepEqual(await store.rows(), rows)
    assert.match(store.logged.join(), /^query tables are rebuilt from the journal: they /)
    assert.deepEqual(store.failures, [])
  })

for (const [thread, store] of [
  ['the writer thread', shared],
  ['a thread', await withStory(1)],
] as const)
  test(`a clean stop leaves a snapshot with the state of the events, made by ${thread}`, async () => {
    const journal = await store.openJournal()
    const state = await loadPostgresSnapshot(pool, store.world, journal)
    assert.equal(state?.seq, story.entries.length)
    assert.deepEqual(state.ledger, story.state.ledger)
    await journal.close()
  })

const damages = [
  ['a changed line', "UPDATE quipu_snapshots SET body = replace(body, 'a', 'b') WHERE line > 0"],
  ['a missing line', 'DELETE FROM quipu_snapshots WHERE line = 3'],
  [
    'another hash',
    'UPDATE quipu_snapshots SET body = replace(body, \'"hash":"\', \'"hash":"0\') WHERE line = 0',
  ],
] as const

for (const [what, sql] of damages.slice(0, CASES_MAX))
  test(`a snapshot with ${what} is ignored`, async () => {
    const store = shared
    await cluster.run(`${sql} AND world = '${store.world}'`)
    const journal = await store.openJournal()
    assert.equal(await loadPostgresSnapshot(pool, store.world, journal), undefined)
    await journal.close()
    await store.with(async (queryTables) =>
      assert.deepEqual(await queryTables.orders(everything), sorted(mine)),
    )
  })

test('of two writers of one world the older fails, and the newer continues', async () => {
  const store = new TestWorldStore()
  const journal = await store.openJournal()
  const older = await store.openQueryTables(journal)
  const newer = await store.openQueryTables(journal)
  await journal.append(story.entries)
  older.follow(journal.head().seq)
  await assert.rejects(older.reached(journal.head().seq), NotApplied)
  assert.match(String(store.failures), /the query tables of world \d+ were taken over/)
  newer.follow(journal.head().seq)
  await newer.reached(journal.head().seq)
  assert.deepEqual(await newer.orders(everything), sorted(mine))
  await Promise.all([older.close(), newer.close()])
  await journal.close()
})

test('a write whose connection breaks ends the query tables of its world, and of no other', async () => {
  const stores = [await withStory(), await withStory()] as const
  const journals = await Promise.all(stores.map((store) => store.openJournal()))
  const [broken, other] = await Promise.all(stores.map((store, at) => store.openQueryTables(journals[at]!)))
  const lock = await connect(cluster.url())
  await lock.query('BEGIN')
  await lock.query('SELECT FROM quipu_query_tables WHERE world = $1 FOR UPDATE', [stores[0].world])
  for (const journal of journals) await journal.append(story.entries.slice(0, 1))
  const { seq } = journals[0]!.head()
  const failing = assert.rejects(broken!.reached(seq), NotApplied)
  broken!.follow(seq)
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
  while ((await cluster.run(end)).length === 0) await sleep(10)
  await failing
  assert.equal(stores[0].failures.length, 1)
  await lock.end()
  other!.follow(seq)
  await other!.reached(seq)
  assert.deepEqual(stores[1].failures, [])
  await Promise.all([broken!.close(), other!.close()])
  await Promise.all(journals.map((journal) => journal.close()))
})

test('every query uses an index: no table scan, no sort', async () => {
  const { world } = shared
  const questions: QueryTablesQuery[] = [
    ...fc.sample(anyOrdersQuery(story), 200).map((query) => ({ kind: 'orders', query }) as const),
    ...fc.sample(anyRequestsQuery(story), 200).map((query) => ({ kind: 'requests', query }) as const),
    ...fc
      .sample(anyHistoryQuery(story, historyOf(story)), 200)
      .map((query) => ({ kind: 'history', query }) as const),
    ...queriesOfForks(story),
    ...(['order', 'orderByClientId', 'request', 'callByKey'] as const).map((kind) => ({
      kind,
      accountId: story.accounts[0]!,
      key: 'x',
    })),
  ]
  const queries = new Map(questions.map((question) => postgresQuery(world, question)).map((q) => [q.text, q]))
  assert.ok(queries.size > 50)
  for (const { text, values } of queries.values()) {
    const { rows } = await pool.query(`EXPLAIN ${text}`, values)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    assert.doesNotMatch(plan, /Seq Scan|Sort/, `${text}\n${plan}`)
    if (text.includes('(submitted, created, id)'))
      assert.match(plan, /Index Cond: .*ROW\(submitted, created/, plan)
  }
})

test('an invalid query fails alone', async () => {
  const store = shared
  await store.with(async (queryTables) => {
    await assert.rejects(queryTables.orders({ ...everything, limit: {} as number }), /invalid input syntax/)
    assert.deepEqual(await queryTables.orders(everything), sorted(mine))
  })
  assert.deepEqual(store.failures, [])
})

function sorted(orders: typeof mine): typeof mine {
  const sortKey = ({ submittedAt, createdAt, id }: (typeof mine)[number]) =>
    `${submittedAt}`.padStart(20) + `${createdAt}`.padStart(20) + id
  return orders.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
}
