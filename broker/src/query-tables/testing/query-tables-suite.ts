import assert from 'node:assert/strict'
import type { AccountId, ActivityKind, ClientOrderId, Order, OrderId, RequestId } from '@quipu/core'
import { findRequest } from '@quipu/core'
import fc from 'fast-check'
import { boundsOf, type HistoryQuery, type HistoryRow } from '../history.ts'
import type { QueryTables } from '../query-tables.ts'
import { selectLegs, selectOrders, selectRequests } from '../select.ts'
import { anyHistoryQuery, anyOrdersQuery, anyRequestsQuery } from './any-query.ts'
import { historyOf, historyRules } from './history-rules.ts'
import { checkKeys } from './keys.ts'
import { accountRules, all, listRules } from './list-rules.ts'
import { type OpenStore, type Rule, ruleOf } from './rule.ts'
import { LABELS, Story } from './story.ts'

const isLong = process.env['PROPERTY_FACTOR'] !== undefined
/** Random queries per story and kind. */
const QUERIES = Math.ceil(25 * Number(process.env['PROPERTY_FACTOR'] ?? 0.25))

/** The tests that every implementation of the query tables passes, with one story per seed. */
export function queryTablesSuite(name: string, openStore: OpenStore, seeds: readonly number[] = [1, 2]) {
  const rule = ruleOf(name, openStore)
  progressRules(rule)
  for (const seed of seeds) storyRules(rule, seed)
  listRules(rule)
  accountRules(rule)
  historyRules(rule)
}

function progressRules(rule: Rule) {
  rule('query tables of an empty journal are at 0 and find nothing', async ({ open }) => {
    const queryTables = await open()
    assert.equal(queryTables.position(), 0)
    await queryTables.reached(0)
    assert.deepEqual(await queryTables.orders(all('nobody' as AccountId)), [])
    assert.equal(await queryTables.order('nobody' as AccountId, 'none' as OrderId), undefined)
    assert.equal(await queryTables.request('nobody' as AccountId, 'none' as RequestId), undefined)
    await queryTables.close()
  })

  rule('waiting for a number ends when the tables contain it, not before', async ({ journal, open }) => {
    const { entries } = new Story(1).run(30)
    const queryTables = await open()
    let isReached = false
    const reached = queryTables.reached(entries.length).then(() => (isReached = true))
    await journal.append(entries.slice(0, 20))
    queryTables.follow(20)
    await queryTables.reached(20)
    assert.equal(isReached, false)
    assert.equal(queryTables.position(), 20)
    await journal.append(entries.slice(20))
    queryTables.follow(entries.length)
    await reached
    assert.equal(queryTables.position(), entries.length)
    await queryTables.close()
  })

  rule('query tables of a journal with events reach its head without a call', async (store) => {
    const { entries } = new Story(2).run(50)
    await store.journal.append(entries)
    const queryTables = await store.open()
    await queryTables.reached(entries.length)
    await queryTables.close()
  })
}

function storyRules(rule: Rule, seed: number) {
  rule(`story ${seed}: every query returns the same as a plain scan`, async ({ journal, open }) => {
    const story = new Story(seed).run(400)
    const queryTables = await open()
    for (let at = 0; at < story.entries.length; at += 97) {
      await journal.append(story.entries.slice(at, at + 97))
      queryTables.follow(journal.head().seq)
    }
    await queryTables.reached(story.entries.length)
    await checkStory(story, queryTables)
    await queryTables.close()
  })

  rule(`story ${seed}: reopened query tables continue at their position`, async ({ journal, open }) => {
    const story = new Story(seed).run(300)
    const cuts = [0, 40, 41, 200, story.entries.length]
    for (const [index, cut] of cuts.slice(1).entries()) {
      await journal.append(story.entries.slice(cuts[index], cut))
      const queryTables = await open()
      await queryTables.reached(cut)
      // The rule above has every kind of query.
      if (cut === story.entries.length) await (isLong ? checkStory : checkLists)(story, queryTables)
      await queryTables.close()
    }
  })
}

/** Checks that query tables of a story return the same as a plain scan for every query. */
export async function checkStory(story: Story, queryTables: QueryTables): Promise<void> {
  await checkLists(story, queryTables)
  await checkPoints(story, queryTables)
  await checkKeys(story, queryTables)
  await checkHistory(story, queryTables)
}

async function checkLists(story: Story, queryTables: QueryTables): Promise<void> {
  const [orders, requests] = [[...story.state.orders.values()], [...story.state.requests.values()]]
  assert.ok(orders.length > 50 && requests.length > 5, 'the story has too few rows')
  await fc.assert(
    fc.asyncProperty(anyOrdersQuery(story), async (query) => {
      const mine = orders.filter(({ accountId }) => accountId === query.accountId)
      assert.deepEqual(await queryTables.orders(query), selectOrders(mine, query))
    }),
    { numRuns: QUERIES },
  )
  await checkLegs(orders, story, queryTables)
  await fc.assert(
    fc.asyncProperty(anyRequestsQuery(story), async (query) => {
      const mine = requests.filter((request) => findRequest(story.state, query.accountId, request.id))
      assert.deepEqual(await queryTables.requests(query), selectRequests(mine, query))
    }),
    { numRuns: QUERIES },
  )
}

async function checkHistory(story: Story, queryTables: QueryTables): Promise<void> {
  const rows = historyOf(story)
  assert.ok(rows.length > 50, 'the story has too few rows')
  await fc.assert(
    fc.asyncProperty(anyHistoryQuery(story, rows), async (query) => {
      const mine = rows.filter(({ accountId, part }) => accountId === query.accountId && part === query.part)
      assert.deepEqual(
        await queryTables.history(query),
        selectHistory(mine, query).map(({ record }) => record),
      )
    }),
    { numRuns: QUERIES },
  )
}

async function checkLegs(orders: readonly Order[], story: Story, queryTables: QueryTables): Promise<void> {
  const parents = orders.filter(({ group }) => group?.legIds).map(({ id }) => id)
  assert.ok(parents.length > 2, 'the story has no groups')
  for (const accountId of story.accounts) {
    const mine = orders.filter((order) => order.accountId === accountId)
    for (const some of [parents, parents.slice(1, 2), ['none' as OrderId], []])
      assert.deepEqual(await queryTables.legs(accountId, some), selectLegs(mine, some))
  }
}

/** Each account finds its own orders and requests, and no others. */
async function checkPoints(story: Story, queryTables: QueryTables): Promise<void> {
  for (const accountId of story.accounts) {
    for (const order of story.state.orders.values()) {
      const mine = order.accountId === accountId ? order : undefined
      assert.deepEqual(await queryTables.order(accountId, order.id), mine)
      assert.deepEqual(await queryTables.orderByClientId(accountId, order.clientOrderId), mine)
    }
    for (const request of story.state.requests.values()) {
      const mine = findRequest(story.state, accountId, request.id)
      assert.deepEqual(await queryTables.request(accountId, request.id), mine)
    }
    for (const label of [...LABELS, 'none']) {
      const labelled = [...story.state.requests.values()].filter(
        (request) => request.label === label && request.accountId === accountId,
      )
      assert.deepEqual(await queryTables.requestByLabel(accountId, label), newestOf(labelled, accountId))
    }
    assert.equal(await queryTables.orderByClientId(accountId, 'odd\u0000' as ClientOrderId), undefined)
    assert.equal(
      await queryTables.orderByClientId(accountId, 'odd\u0000\ufffd 3' as ClientOrderId),
      undefined,
    )
  }
}

const newestOf = (requests: Parameters<typeof selectRequests>[0], accountId: AccountId) =>
  selectRequests(requests, { accountId, limit: 1 })[0]

/** The rows that a query selects, by a plain scan. */
function selectHistory(rows: Iterable<HistoryRow>, query: HistoryQuery): readonly HistoryRow[] {
  const { above, below } = boundsOf(query)
  const chosen = [...rows]
    .filter(({ id, kind }) => id > above && id < below && matchesKind(kind, query))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  if (query.direction === 'desc') chosen.reverse()
  return query.limit === undefined ? chosen : chosen.slice(0, query.limit)
}

const matchesKind = (kind: HistoryRow['kind'], { kinds }: HistoryQuery): boolean =>
  kinds === undefined || kinds.includes(kind as ActivityKind)
