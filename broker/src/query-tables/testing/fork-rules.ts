import assert from 'node:assert/strict'
import { apply, emptyState, findRequest, forget, type Order, type PartnerId, type State } from '@quipu/core'
import type { Entry, Journal } from '../../journal/journal.ts'
import { eventOf } from '../../journal/stored-event.ts'
import { openForkQueryTables } from '../fork/fork-query-tables.ts'
import type { QueryTables } from '../query-tables.ts'
import { selectOrders, selectRequests } from '../select.ts'
import { checkUpdates } from './history-rules.ts'
import { checkStory } from './query-tables-suite.ts'
import type { Rule } from './rule.ts'
import { Story } from './story.ts'

const isLong = process.env['PROPERTY_FACTOR'] !== undefined
/** Steps per chapter. Forks are between chapters. */
const STEPS = isLong ? 150 : 90
/** Every so many orders one is the cursor of lists. */
const CURSOR_ORDERS = isLong ? 9 : 25
/** Events per group. Groups and rows of updates extend past forks. */
const GROUP = 29

/** A story in chapters. Two stories of one seed are equal up to the first chapter with a different number. */
function storyOf(seed: number, chapters: readonly number[]): Story {
  const story = new Story(seed)
  for (const chapter of chapters) {
    // Each name uses a random number, so that all later numbers differ.
    for (let draw = 0; draw < chapter; draw++) story.clientOrderId()
    story.run(STEPS)
  }
  return story
}

/** The tests of forks whose parent has these query tables. */
export function forkRules(rule: Rule, seed: number): void {
  rule(`story ${seed}: a fork shares its parent's history, and later changes are isolated`, async (store) => {
    // The parent has many more events after the fork than open orders at the fork.
    const parent = storyOf(seed, [0, 0, 0, 0, 0])
    const fork = storyOf(seed, [0, 1, 0])
    const forkOfFork = storyOf(seed, [0, 1, 2])
    await addAll(store.journal, parent.entries)
    const queryTables = await store.open()
    await queryTables.reached(parent.entries.length)
    const first = await openFork(store.journal, queryTables, storyOf(seed, [0]), fork)
    const fresh = storyOf(seed, [0])
    const untouched = await openFork(store.journal, queryTables, fresh, fresh)
    const second = await openFork(first.journal, first.queryTables, storyOf(seed, [0, 1]), forkOfFork)
    // The fork is closed, as on deletion; the fork of the fork continues.
    await first.queryTables.close()
    await first.journal.close()
    for (const [story, of] of [
      [fork, first.queryTables],
      [forkOfFork, second.queryTables],
      [fresh, untouched.queryTables],
    ] as const) {
      await checkShortLists(story, of)
      await checkUpdates(story, of)
      await checkUnknown(parent, story, of)
    }
    await checkStory(forkOfFork, second.queryTables)
    await queryTables.close()
  })
}

/** Short lists from the ends and the middle: unusable rows must not count against the limit. */
async function checkShortLists({ state, accounts }: Story, queryTables: QueryTables): Promise<void> {
  for (const accountId of accounts) {
    const orders = [...state.orders.values()].filter((order) => order.accountId === accountId)
    const cursors = [
      undefined,
      ...orders.filter((_, number) => number % CURSOR_ORDERS === 0).map(({ id }) => id),
    ]
    for (const beforeOrderId of cursors)
      for (const direction of ['asc', 'desc'] as const)
        for (const status of ['closed', 'all'] as const)
          for (const nested of [false, true]) {
            const common = { accountId, status, direction, nested, limit: 1 + (orders.length % 3) }
            const query = beforeOrderId ? { ...common, beforeOrderId } : common
            assert.deepEqual(await queryTables.orders(query), selectOrders(orders, query))
          }
    const requests = [...state.requests.values()].filter(({ id }) => findRequest(state, accountId, id))
    for (const status of ['pending', 'completed', 'rejected'] as const)
      for (const limit of [1, 2]) {
        const query = { accountId, status, limit }
        assert.deepEqual(await queryTables.requests(query), selectRequests(requests, query))
      }
  }
}

/** Orders that exist only in the parent are not found. */
async function checkUnknown(parent: Story, { state }: Story, queryTables: QueryTables): Promise<void> {
  const names = new Set([...state.orders.values()].map((order) => nameOf(order)))
  for (const order of parent.state.orders.values()) {
    const { accountId, id, clientOrderId } = order
    if (!state.orders.has(id)) assert.equal(await queryTables.order(accountId, id), undefined)
    if (!names.has(nameOf(order)))
      assert.equal(await queryTables.orderByClientId(accountId, clientOrderId), undefined)
  }
  for (const { accountId, id } of parent.state.requests.values())
    if (!state.requests.has(id)) assert.equal(await queryTables.request(accountId, id), undefined)
  for (const name of parent.state.keyedCalls.keys()) {
    const [partnerId, key] = name.split('/', 2) as [PartnerId, string]
    if (!state.keyedCalls.has(name)) assert.equal(await queryTables.callByKey(partnerId, key), undefined)
  }
}

const nameOf = ({ accountId, clientOrderId }: Order): string => `${accountId}/${clientOrderId}`

type Opened = { readonly journal: Journal; readonly queryTables: QueryTables }

/** A fork after the story `before`, in which `story` then happens. */
async function openFork(
  parent: Journal,
  queryTables: QueryTables,
  before: Story,
  story: Story,
): Promise<Opened> {
  const seq = before.entries.length
  const journal = await parent.fork(seq)
  const fork = openForkQueryTables({ journal, state: stateOf(before), parent: () => queryTables })
  await addAll(journal, story.entries.slice(seq))
  fork.follow(story.entries.length)
  await fork.reached(story.entries.length)
  return { journal, queryTables: fork }
}

function stateOf({ entries }: Story): State {
  const state = emptyState()
  for (const entry of entries) apply(state, eventOf(entry))
  forget(state, state.seq)
  return state
}

async function addAll(journal: Journal, entries: readonly Entry[]): Promise<void> {
  for (let at = 0; at < entries.length; at += GROUP) await journal.append(entries.slice(at, at + GROUP))
}
