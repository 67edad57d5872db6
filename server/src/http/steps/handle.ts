import { asLongWork, ClientDisconnected } from '@quipu/broker/clock/long-work.ts'
import { onBehalfOf } from '@quipu/broker/journal/cause.ts'
import { Fenced } from '@quipu/broker/journal/journal.ts'
import { NotApplied } from '@quipu/broker/journal/not-applied.ts'
import { isConnectionFailure } from '@quipu/broker/postgres/connection-failure.ts'
import { MAIN } from '@quipu/broker/registry/worlds.ts'
import { OutcomeUnknown } from '@quipu/broker/world/submitted.ts'
import type { Operation, RawRequest } from '@quipu/contract'
import { hasKey, runOnce } from '../broker/run-once.ts'
import type { AnyHandler, Context } from '../context.ts'
import { handlersWithCause } from '../trading/orders.ts'
import type { Faulted, Handled, RequestStep } from './step.ts'

/** Runs the handler. Checks before it that the client is connected and the disk has space, and after it the lease. */
export const handle: RequestStep<Faulted, Pick<Handled, 'output'>> = async ({ handlers }, exchange) => {
  const { operation: name, declared, params, url, input, context, connection, fault } = exchange
  if (connection.isClosed && fault?.isLate !== true) throw new ClientDisconnected()
  if (declared.method !== 'GET' && lacksSpace(context, params)) throw new NotApplied('diskFull')
  const handler = handlers[name] as AnyHandler
  let output: unknown
  try {
    output = await (hasKey(input) && declared.state === 'works'
      ? runOnce(context, { name, input, params, query: url.query }, () => callHandler(handler, exchange))
      : callHandler(handler, exchange))
  } catch (error) {
    // The database has refused the change, because another process has the world.
    if (error instanceof Fenced) throw new NotApplied('worldRestarting', error)
    if (!isConnectionFailure(error)) throw error
    context.services.log.hint('database', 'a request has lost the database', { error: String(error) })
    throw lost(declared, error)
  }
  // Another process may have taken over the world while the handler ran, so its result may be out of date.
  if (context.state.world?.status.isLeaseOver) throw lost(declared, 'the lease of the world is over')
  if (fault !== undefined) await fault.after()
  exchange.output = output
}

function callHandler(handler: AnyHandler, exchange: Faulted): unknown {
  const { operation, declared, input, context, connection } = exchange
  if (declared.method === 'GET')
    return asLongWork(context.caller?.credentialId ?? '', connection, handler, input, context)
  if (handlersWithCause.has(operation)) return handler(input, context)
  return onBehalfOf(context.cause, handler, input, context)
}

/** Only durable worlds use the disk. A request without a world is for main. */
export const lacksSpace = ({ services, state: { world } }: Context, params: RawRequest['params']): boolean =>
  services.monitoring.disk?.isFull === true &&
  services.worlds.entry(params['world'] ?? world?.id ?? MAIN)?.durable === true

/** A read applies nothing. The outcome of any other operation is unknown. */
const lost = ({ method }: Operation, cause: unknown): Error =>
  method === 'GET' ? new NotApplied('worldRestarting') : new OutcomeUnknown(cause)
