import type { Operation } from '@quipu/contract'
import type { Exchange } from '../exchange.ts'
import type { Services } from '../services.ts'
import { bodyBytes, bodyMax, refuseIfTooLarge } from './body.ts'
import { admitBody } from './body-budget.ts'

/** The body of a request that has one. It is read once, by the first step that needs it. */
export async function readBody(
  services: Services,
  exchange: Exchange & { readonly declared: Operation },
): Promise<Buffer> {
  if (exchange.body !== undefined) return exchange.body
  const { request, declared } = exchange
  const maxBytes = bodyMax(services.limits, declared)
  refuseIfTooLarge(request, maxBytes)
  const count = await admitBody(services, exchange, declared, maxBytes)
  const bytes = bodyBytes(exchange, maxBytes, count)
  exchange.body = bytes instanceof Promise ? await bytes : bytes
  return exchange.body
}
