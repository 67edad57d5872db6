import assert from 'node:assert/strict'
import type { AccountId, ClientOrderId, Instant, Order, OrderId, Ticker } from '@quipu/core'
import { storedEntry } from '../../journal/stored-event.ts'
import type { OrdersQuery } from '../query-tables.ts'
import type { Rule, Store } from './rule.ts'
import { Story } from './story.ts'

export const all = (accountId: AccountId): OrdersQuery => ({
  accountId,
  status: 'all',
  limit: 500,
  direction: 'asc',
})

type HandwrittenOrder = Pick<Order, 'id'> & Partial<Order>

/** Query tables of handwritten orders; missing fields are taken from an order of a story. */
async function queryTablesOf(
  { journal, open }: Store,
  orders: (story: Story) => readonly HandwrittenOrder[],
) {
  const story = new Story(1).run(20)
  const [model] = story.state.orders.values()
  await journal.append(story.entries)
  const [first] = story.accounts
  const made = orders(story).map((fields) => ({
    ...model!,
    accountId: first!,
    clientOrderId: `client of ${fields.id}` as ClientOrderId,
    status: 'new' as const,
    ...fields,
  }))
  await journal.append(
    made.map((order) =>
      storedEntry({
        kind: 'orderAccepted',
        at: order.createdAt,
        accountId: order.accountId,
        order,
        decidedWith: {},
      }),
    ),
  )
  const queryTables = await open()
  await queryTables.reached(journal.head().seq)
  return { queryTables, story, made }
}

const at = (nanoseconds: number): Instant => BigInt(nanoseconds) as Instant

/** Orders out of sequence, two at the same instant, in the issuer's account, which has no others. */
const handwritten = ({ accounts: [, , , accountId] }: Story): readonly HandwrittenOrder[] =>
  (
    [
      ['d', 30, 'MSFT', 'buy'],
      ['c', 20, 'AAPL', 'buy'],
      ['b', 20, 'AAPL', 'sell'],
      ['a', 10, 'MSFT', 'buy'],
    ] as const
  ).map(([id, time, symbol, side]) => ({
    id: id as OrderId,
    accountId: accountId!,
    submittedAt: at(time),
    createdAt: at(time),
    symbol: symbol as Ticker,
    side,
  }))

const id = (text: string) => text as OrderId

export function listRules(rule: Rule) {
  const rows: readonly (readonly [string, Partial<OrdersQuery>, string])[] = [
    ['all, oldest first', {}, 'abcd'],
    ['all, newest first', { direction: 'desc' }, 'dcba'],
    ['the first two', { limit: 2 }, 'ab'],
    ['the newest two', { direction: 'desc', limit: 2 }, 'dc'],
    ['after an instant, which is not included', { after: at(20) }, 'd'],
    ['until an instant, which is not included', { until: at(20) }, 'a'],
    ['between two', { after: at(10), until: at(30) }, 'bc'],
    ['one symbol', { symbols: ['MSFT' as Ticker] }, 'ad'],
    ['no symbol at all', { symbols: [] }, ''],
    ['one side', { side: 'sell' }, 'b'],
    ['beyond a cursor', { afterOrderId: id('b') }, 'cd'],
    ['before a cursor', { beforeOrderId: id('c') }, 'ab'],
    ['before a cursor, newest first', { beforeOrderId: id('c'), direction: 'desc' }, 'ba'],
    ['a cursor that names nothing', { afterOrderId: id('x') }, ''],
    ['both cursors: before counts', { beforeOrderId: id('c'), afterOrderId: id('x') }, 'ab'],
    ['closed ones, of which there are none', { status: 'closed' }, ''],
    ['open ones', { status: 'open' }, 'abcd'],
  ]
  rule('lists of handwritten orders', async (store) => {
    const { queryTables, story } = await queryTablesOf(store, handwritten)
    const accountId = story.accounts[3]!
    const old = new Set(story.state.orders.keys())
    for (const [title, query, expected] of rows) {
      const found = await queryTables.orders({ ...all(accountId), ...query })
      const made = found.filter((order) => !old.has(order.id))
      assert.equal(made.map((order) => order.id).join(''), expected, title)
    }
    await queryTables.close()
  })
}

export function accountRules(rule: Rule) {
  rule('two accounts may use the same ids and see only their own orders', async (store) => {
    const { queryTables, made } = await queryTablesOf(store, ({ accounts: [mine, yours] }) => [
      { id: id('a'), accountId: mine!, clientOrderId: 'same' as ClientOrderId },
      { id: id('b'), accountId: yours!, clientOrderId: 'same' as ClientOrderId },
    ])
    const [a, b] = made
    for (const order of [a!, b!]) {
      const found = await queryTables.orderByClientId(order.accountId, 'same' as ClientOrderId)
      assert.deepEqual(found, order)
    }
    assert.equal(await queryTables.order(a!.accountId, b!.id), undefined)
    const foreign = { ...all(a!.accountId), afterOrderId: b!.id }
    assert.deepEqual(await queryTables.orders(foreign), [], 'a cursor of another account finds nothing')
    await queryTables.close()
  })
}
