import { publicStatus, type TokenizationRequest } from '@quipu/core'
import type { RequestsQuery } from './views.ts'

/** The requests that a query selects, by a plain scan, newest first. */
export function selectRequests(
  requests: Iterable<TokenizationRequest>,
  query: RequestsQuery,
): readonly TokenizationRequest[] {
  return [...requests]
    .filter((request) => matches(request, query))
    .sort(newestFirst)
    .slice(0, query.limit)
}

function newestFirst(a: TokenizationRequest, b: TokenizationRequest): number {
  if (a.createdAt !== b.createdAt) return a.createdAt > b.createdAt ? -1 : 1
  return a.id > b.id ? -1 : a.id < b.id ? 1 : 0
}

function matches(request: TokenizationRequest, query: RequestsQuery): boolean {
  const { kind, status, underlying, issuer, network, after, before } = query
  if (after !== undefined && request.createdAt <= after) return false
  if (before !== undefined && request.createdAt >= before) return false
  if (kind !== undefined && request.kind !== kind) return false
  if (status !== undefined && publicStatus(request) !== status) return false
  if (underlying !== undefined && request.underlying !== underlying) return false
  if (issuer !== undefined && request.issuer !== issuer) return false
  return network === undefined || request.network === network
}
