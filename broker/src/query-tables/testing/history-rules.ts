import assert from 'node:assert/strict'
import {
  type AccountId,
  apply,
  type BrokerEvent,
  cashOf,
  decodeActivity,
  decodeClose,
  emptyState,
  type Order,
  type Ticker,
} from '@quipu/core'
import { eventOf } from '../../journal/stored-event.ts'
import type { HistoryRow, UpdatesQuery } from '../history.ts'
import { Projection } from '../projection.ts'
import type { QueryTables } from '../query-tables.ts'
import { unpackUpdates } from '../updates.ts'
import type { Rule } from './rule.ts'
import { Story } from './story.ts'

/** The history rows of a story. */
export function historyOf(story: Story): readonly HistoryRow[] {
  return new Projection().take(story.entries).history
}

type SeenUpdate = { readonly seq: number; readonly kind: string; readonly at: bigint; readonly order: Order }

/** The order updates of each account, from applying the events one by one. */
function updatesIn(story: Story): ReadonlyMap<AccountId, readonly SeenUpdate[]> {
  const state = emptyState()
  const updatesByAccount = new Map<AccountId, SeenUpdate[]>(story.accounts.map((id) => [id, []]))
  for (const event of story.entries.map(eventOf)) {
    apply(state, event)
    const order = orderOf(event, (id) => state.orders.get(id))
    const { kind, at } = event
    if (order) updatesByAccount.get(order.accountId)!.push({ seq: state.seq, kind, at, order })
  }
  return updatesByAccount
}

function orderOf(event: BrokerEvent, find: (id: Order['id']) => Order | undefined): Order | undefined {
  if (event.kind === 'orderAccepted') return event.order
  return 'orderId' in event ? find(event.orderId) : undefined
}

async function updates(queryTables: QueryTables, query: UpdatesQuery): Promise<readonly SeenUpdate[]> {
  const records = await queryTables.updates(query)
  return records
    .flatMap((record) => unpackUpdates(query.accountId, record))
    .map(({ seq, event, order }) => ({ seq, kind: event.kind, at: event.at, order: order! }))
}

/** Checks that the query tables return each order as it was after each event, from the start and from any event on. */
export async function checkUpdates(story: Story, queryTables: QueryTables): Promise<void> {
  for (const [accountId, expected] of updatesIn(story)) {
    assert.deepEqual(await updates(queryTables, { accountId, direction: 'asc' }), expected)
    const middle = expected[Math.floor(expected.length / 2)]
    if (!middle) continue
    const later = await updates(queryTables, {
      accountId,
      direction: 'asc',
      after: (middle.at - 1n) as never,
    })
    assert.deepEqual(
      later.filter(({ seq }) => seq >= middle.seq),
      expected.filter(({ seq }) => seq >= middle.seq),
    )
  }
}

/** The tests of account history for every store. */
export function historyRules(rule: Rule): void {
  rule('updates contain each order as it was after the event', async ({ journal, open }) => {
    const story = new Story(4).run(300)
    const queryTables = await open()
    for (let at = 0; at < story.entries.length; at += 29) {
      await journal.append(story.entries.slice(at, at + 29))
      queryTables.follow(journal.head().seq)
      if (at % 3 === 0) await queryTables.reached(journal.head().seq)
    }
    await queryTables.reached(story.entries.length)
    await checkUpdates(story, queryTables)
    await queryTables.close()
  })

  rule(
    'activities sum to the holdings at each close and to the current holdings',
    async ({ journal, open }) => {
      const story = new Story(3).run(400)
      await journal.append(story.entries)
      const queryTables = await open()
      await queryTables.reached(story.entries.length)
      for (const accountId of story.accounts) {
        const all = (part: 'activity' | 'close') => queryTables.history({ accountId, part, direction: 'asc' })
        const activities = (await all('activity')).map((record) => decodeActivity(accountId, record))
        const cashAt = (at: bigint) =>
          activities.filter((one) => one.at <= at).reduce((sum, { cash }) => sum + cash, 0n)
        for (const close of (await all('close')).map(decodeClose)) {
          assert.equal(close.cash, cashAt(close.at))
          const sums = new Map<Ticker, bigint>()
          for (const { at, symbol, quantity } of activities)
            if (symbol && at <= close.at) sums.set(symbol, (sums.get(symbol) ?? 0n) + quantity!)
          for (const [symbol, sum] of sums) assert.equal(close.shares.get(symbol) ?? 0n, sum)
        }
        assert.equal(cashAt(story.state.lastAt), cashOf(story.state, accountId))
      }
      await queryTables.close()
    },
  )
}
