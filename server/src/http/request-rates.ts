import type { IncomingMessage } from 'node:http'
import { type Caller, holderOf } from '@quipu/broker/access/caller.ts'
import { networkOf } from '@quipu/broker/access/failed-attempts.ts'
import { type Allowance, RateLimiter } from '@quipu/broker/access/rate-limits.ts'
import type { Operation } from '@quipu/contract'
import { clientAddress } from './connection/client-address.ts'
import type { Services } from './services.ts'

/** Counts a request against the rate limit of its caller; undefined if there is no limit. */
export type RequestRates = (
  operation: Operation,
  caller: Caller | undefined,
  request: IncomingMessage,
) => Allowance | undefined

/** Trading, market data and operations without credentials have separate limits. */
export function limitRequests({ limits, settings }: Services): RequestRates {
  const { rateLimit: rate } = limits
  if (rate === 0) return () => undefined
  const [trading, data, open] = [new RateLimiter(rate), new RateLimiter(rate), new RateLimiter(rate)]
  return (operation, caller, request) => {
    if (operation.probe) return undefined
    const counted = caller ? holderOf(caller) : networkOf(clientAddress(request, settings.trustProxy))
    const isOpen = caller === undefined && operation.who.includes('anyone')
    const limiter = isOpen ? open : operation.family === 'data' ? data : trading
    return limiter.take(counted)
  }
}
