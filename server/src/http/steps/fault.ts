import { faultOfRequest, isMagic } from '../faults.ts'
import { worldOfTokenRequest } from '../oauth/token-request.ts'
import type { Faulted, ParsedInput, RequestStep } from './step.ts'

/** Finds the fault that the request meets. Requests of apps for tokens have no caller, but belong to a world. */
export const fault: RequestStep<ParsedInput, Pick<Faulted, 'fault'>> = (_, exchange) => {
  const { context, declared, input } = exchange
  const world =
    context.state.world ?? (declared.family === 'oauth' ? worldOfTokenRequest(input, context) : undefined)
  if (world === undefined || (world.clients.faults === undefined && !isMagic(input))) return undefined
  const met = faultOfRequest(world, exchange, declared, input)
  if (met === undefined) return undefined
  // The request log of the world names the rule.
  context.state.world = world
  // A refused request also meets the rest of its fault.
  exchange.fault = met
  return met.before()
}
