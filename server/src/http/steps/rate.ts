import { refuse } from '../../wire/refusal.ts'
import type { Called, RequestStep } from './step.ts'

/** Counts the request against the limit of its caller. */
export const rate: RequestStep<Called> = ({ rates }, exchange) => {
  const { declared, context, request } = exchange
  const allowance = rates(declared, context.caller, request)
  if (allowance === undefined) return
  // A refusal has them too.
  exchange.rateHeaders = allowance.headers
  if (!allowance.allowed) throw refuse({ code: 'tooManyRequests' })
}
