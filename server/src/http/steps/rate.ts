import { holderOf } from '@quipu/broker/access/caller.ts'
import { networkOf } from '@quipu/broker/access/failed-attempts.ts'
import { RateLimiter } from '@quipu/broker/access/rate-limits.ts'
import { refuse } from '../../wire/refusal.ts'
import { clientAddress } from '../connection/client-address.ts'
import type { Services } from '../services.ts'
import type { Called, RequestRates, RequestStep } from './step.ts'

/** Counts the request against the limit of its caller. */
export const rate: RequestStep<Called> = ({ rates }, exchange) => {
  const { declared, context, request } = exchange
  const allowance = rates(declared, context.caller, request)
  if (allowance === undefined) return
  // A refusal has them too.
  exchange.draft.rateHeaders = allowance.headers
  if (!allowance.allowed) throw refuse({ code: 'tooManyRequests' })
}

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
