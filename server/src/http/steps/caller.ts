import { callerOfRequest, hasCredentials, unauthorized } from '../auth.ts'
import { Context } from '../context.ts'
import { refusedWhileHeld } from '../forwarding/held-world.ts'
import type { Called, RequestStep, Routed } from './step.ts'

/** Finds the caller by its credentials. */
export const caller: RequestStep<Routed, Pick<Called, 'context'>> = ({ services }, exchange) => {
  const { request, requestId, declared, operation } = exchange
  const found = callerOfRequest(services, exchange)
  const context = new Context({ services, request, requestId, operation, caller: found })
  const isVisit = found === undefined && declared.who.includes('visitor') && !hasCredentials(request)
  if (found === undefined && !isVisit && !declared.who.includes('anyone'))
    throw refusedWhileHeld(services, request, unauthorized(declared, request.headers))
  if (isVisit) context.state.world = services.worlds.main
  exchange.context = context
}
