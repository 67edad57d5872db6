import { mayTrade } from '@quipu/broker/access/caller.ts'
import { recordUse } from '@quipu/broker/access/key-uses.ts'
import { refusalFor } from '../auth.ts'
import { refusedWhileHeld } from '../forwarding/held-world.ts'
import type { Called, RequestStep } from './step.ts'

/** Refuses an operation that the caller may not call. From here on a replay of the clock waits for the request. */
export const permission: RequestStep<Called> = ({ services }, exchange) => {
  const { declared, operation, context, request } = exchange
  const { caller, state } = context
  const kind = caller !== undefined && mayTrade(caller) ? 'traders' : 'readers'
  const requests = state.world?.clients.requests[kind]
  if (caller !== undefined && !declared.who.includes('anyone')) {
    const refusal = refusalFor(operation, caller, request.headers)
    if (refusal !== undefined) throw refusedWhileHeld(services, request, refusal)
    recordUse(caller, services.worlds.access.keyUses, () => context.cause)
  }
  if (requests !== undefined && declared.family !== 'sim') exchange.progress.countIn(requests)
}
