import type { IncomingMessage } from 'node:http'
import type { Operation } from '@quipu/contract'
import type { Caller } from '../access/caller.ts'
import { networkOf } from '../access/failed-attempts.ts'
import { type Allowance, RateLimiter } from '../access/rate-limits.ts'
import { clientAddress } from './client-address.ts'
import type { Services } from './services.ts'

/** Takes a request from what its caller has left; undefined where there is no limit. */
export type RequestRates = (
  operation: Operation,
  caller: Caller | undefined,
  request: IncomingMessage,
) => Allowance | undefined

/** Trading, market data and operations that need no credential count apart. */
export function limitRequests({ limits, trustProxy }: Services): RequestRates {
  const { rateLimitPerMinute: rate } = limits
  if (rate === 0) return () => undefined
  const [trading, data, open] = [new RateLimiter(rate), new RateLimiter(rate), new RateLimiter(rate)]
  return (operation, caller, request) => {
    if (operation.probe) return undefined
    const counted = caller ? countedAs(caller) : networkOf(clientAddress(request, trustProxy))
    const isOpen = caller === undefined && operation.who.includes('anyone')
    const limiter = isOpen ? open : operation.family === 'data' ? data : trading
    return limiter.take(counted)
  }
}

/** An app and a page get as many tokens as they like: those of an app for one account count together, as do a page's. */
function countedAs(caller: Caller): string {
  if (caller.session) return caller.session.id
  return caller.kind === 'account' && caller.appId
    ? `${caller.appId} ${caller.accountId}`
    : caller.credentialId
}
