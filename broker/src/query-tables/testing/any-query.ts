import type { AccountId, ActivityPosition, Instant, Order, OrderId, Ticker } from '@quipu/core'
import fc from 'fast-check'
import type { HistoryKind, HistoryQuery, HistoryRow } from '../history.ts'
import type { QueryTablesQuery } from '../queries.ts'
import type { OrdersQuery, RequestsQuery } from '../query-tables.ts'
import { ISSUER, type Story, TICKERS } from './story.ts'

// Random queries of a story, most of them near existing rows.

const FAR = 10n ** 30n

function instants(story: Story, of: (order: Order) => Instant): fc.Arbitrary<Instant> {
  const known = [...story.state.orders.values()].map(of)
  const near = fc.constantFrom(...known).chain((at) => fc.constantFrom(at, at - 1n, at + 1n))
  return fc.oneof({ weight: 9, arbitrary: near }, fc.constantFrom(-FAR, 0n, FAR)) as fc.Arbitrary<Instant>
}

export function anyOrdersQuery(story: Story): fc.Arbitrary<OrdersQuery> {
  const at = instants(story, (order) => order.submittedAt)
  const id = fc.constantFrom(...story.state.orders.keys(), 'none' as OrderId)
  return fc.record(
    {
      accountId: fc.constantFrom(...story.accounts),
      status: fc.constantFrom('open', 'closed', 'all'),
      limit: fc.integer({ min: 1, max: 40 }),
      direction: fc.constantFrom('asc', 'desc'),
      after: at,
      until: at,
      symbols: fc.subarray([...TICKERS, '"none' as Ticker]),
      classes: fc.subarray(['usEquity', 'crypto'], { minLength: 1 }),
      side: fc.constantFrom('buy', 'sell'),
      nested: fc.boolean(),
      beforeOrderId: id,
      afterOrderId: id,
    },
    { requiredKeys: ['accountId', 'status', 'limit', 'direction'] },
  ) as fc.Arbitrary<OrdersQuery>
}

export function anyRequestsQuery(story: Story): fc.Arbitrary<RequestsQuery> {
  const at = instants(story, (order) => order.createdAt)
  return fc.record(
    {
      accountId: fc.constantFrom(...story.accounts),
      limit: fc.integer({ min: 1, max: 40 }),
      kind: fc.constant('mint'),
      status: fc.constantFrom('pending', 'completed', 'rejected'),
      underlying: fc.constantFrom(...TICKERS),
      issuer: fc.constantFrom(ISSUER, 'other'),
      network: fc.constantFrom('solana', 'ethereum', 'none'),
      after: at,
      before: at,
    },
    { requiredKeys: ['accountId', 'limit'] },
  ) as fc.Arbitrary<RequestsQuery>
}

/** Some of the queries that a fork sends to its parent: lists after an order, and requests by label. */
export function queriesOfForks(story: Story): readonly QueryTablesQuery[] {
  const [cursor] = story.state.orders.values()
  return [
    ...fc
      .sample(anyOrdersQuery(story), 100)
      .map((query) => ({ kind: 'orders', query: { ...query, cursor: cursor! } }) as const),
    ...fc
      .sample(anyRequestsQuery(story), 100)
      .map((query) => ({ kind: 'requests', query: { ...query, label: 'x' } }) as const),
  ]
}

const KINDS: readonly HistoryKind[] = [
  'fill',
  'cashBookTransfer',
  'shareBookTransfer',
  'fee',
  'transferIn',
  'transferOut',
  'cashBookTransfer',
  'shareBookTransfer',
  'requestChanged',
]

export function anyHistoryQuery(story: Story, rows: readonly HistoryRow[]): fc.Arbitrary<HistoryQuery> {
  const at = instants(story, (order) => order.updatedAt)
  const placed = rows.filter(({ part }) => part !== 'keys')
  const beyond = fc.constantFrom(...placed).map(({ id }) => positionOf(id))
  return fc.record(
    {
      // Journals also have rows for the partner.
      accountId: fc.constantFrom(
        ...story.accounts,
        ...([...story.state.partners.keys()] as string[] as AccountId[]),
      ),
      part: fc.constantFrom('activity', 'activity', 'close', 'movement', 'requests'),
      kinds: fc.subarray([...KINDS]),
      after: at,
      until: at,
      beyond,
      direction: fc.constantFrom('asc', 'desc'),
      limit: fc.integer({ min: 1, max: 40 }),
    },
    { requiredKeys: ['accountId', 'part', 'direction'] },
  ) as fc.Arbitrary<HistoryQuery>
}

const positionOf = (id: string): ActivityPosition => ({
  at: BigInt(`0x${id.slice(1, 17)}`) as Instant,
  seq: Number.parseInt(id.slice(17, 29), 16),
  n: Number.parseInt(id.slice(29), 16),
})
