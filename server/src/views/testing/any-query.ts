import type { Instant, Order, OrderId, Ticker } from '@quipu/core'
import fc from 'fast-check'
import type { OrdersQuery, RequestsQuery } from '../views.ts'
import { ISSUER, type Story, TICKERS } from './story.ts'

// For tests: any question about a story, most of them near something that is there.

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
      side: fc.constantFrom('buy', 'sell'),
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
