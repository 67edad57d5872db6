import { isOpen, isPair, type Order, type OrderId, publicStatus, type TokenizationRequest } from '@quipu/core'
import type { OrderPosition, OrdersQuery, RequestsQuery } from './query-tables.ts'

/**
 * The orders that a query selects, by a plain scan. Sorted by submission, creation and id, so that positions are
 * unique and a cursor skips no order.
 */
export function selectOrders(orders: Iterable<Order>, query: OrdersQuery): readonly Order[] {
  const all = [...orders].sort(comparePosition)
  const cursor = query.cursor ?? all.find(({ id }) => id === (query.beforeOrderId ?? query.afterOrderId))
  const under = query.nested ? parentsIn(all, query) : undefined
  const chosen = all.filter(
    (order) =>
      matchesOrders(order, query) &&
      isBeyond(order, cursor, query) &&
      !under?.has(order.group?.parentId as OrderId),
  )
  if (query.direction === 'desc') chosen.reverse()
  return chosen.slice(0, query.limit)
}

/** The legs of some parents, by a plain scan. */
export function selectLegs(orders: Iterable<Order>, parentIds: readonly OrderId[]): readonly Order[] {
  const parents = new Set<OrderId | undefined>(parentIds)
  return [...orders]
    .filter(({ group }) => group?.parentId !== undefined && parents.has(group.parentId))
    .sort(comparePosition)
}

/** The parents under which a nested list shows legs. */
const parentsIn = (orders: readonly Order[], { status, side }: OrdersQuery): ReadonlySet<OrderId> =>
  new Set(
    orders
      .filter(
        (order) => order.group?.legIds && hasStatus(order, status) && (side ?? order.side) === order.side,
      )
      .map(({ id }) => id),
  )

function comparePosition(a: OrderPosition, b: OrderPosition): number {
  if (a.submittedAt !== b.submittedAt) return a.submittedAt < b.submittedAt ? -1 : 1
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

const hasStatus = (order: Order, status: OrdersQuery['status']): boolean =>
  status === 'all' || isOpen(order) === (status === 'open')

function matchesOrders(order: Order, query: OrdersQuery): boolean {
  const { status, after, until, symbols, classes, side } = query
  if (!hasStatus(order, status)) return false
  if (after !== undefined && order.submittedAt <= after) return false
  if (until !== undefined && order.submittedAt >= until) return false
  if (symbols !== undefined && !symbols.includes(order.symbol)) return false
  if (classes !== undefined && !classes.includes(isPair(order.symbol) ? 'crypto' : 'usEquity')) return false
  return side === undefined || order.side === side
}

/** After a cursor that names no order of this account there are no orders. */
function isBeyond(order: Order, cursor: OrderPosition | undefined, query: OrdersQuery): boolean {
  if (query.beforeOrderId === undefined && query.afterOrderId === undefined) return true
  if (!cursor) return false
  const comparison = comparePosition(order, cursor)
  return query.beforeOrderId === undefined ? comparison > 0 : comparison < 0
}

/** The requests that a query selects, by a plain scan, newest first. */
export function selectRequests(
  requests: Iterable<TokenizationRequest>,
  query: RequestsQuery,
): readonly TokenizationRequest[] {
  return [...requests]
    .filter((request) => matchesRequests(request, query))
    .sort(newestFirst)
    .slice(0, query.limit)
}

function newestFirst(a: TokenizationRequest, b: TokenizationRequest): number {
  if (a.createdAt !== b.createdAt) return a.createdAt > b.createdAt ? -1 : 1
  return a.id > b.id ? -1 : a.id < b.id ? 1 : 0
}

function matchesRequests(request: TokenizationRequest, query: RequestsQuery): boolean {
  const { kind, status, underlying, issuer, network, after, before } = query
  if (after !== undefined && request.createdAt <= after) return false
  if (before !== undefined && request.createdAt >= before) return false
  if (kind !== undefined && request.kind !== kind) return false
  if (status !== undefined && publicStatus(request) !== status) return false
  if (underlying !== undefined && request.underlying !== underlying) return false
  if (issuer !== undefined && request.issuer !== issuer) return false
  return network === undefined || request.network === network
}
