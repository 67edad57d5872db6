import { asLongWork, ClientDisconnected } from '@quipu/broker/clock/long-work.ts'
import { onBehalfOf } from '@quipu/broker/journal/cause.ts'
import { Fenced } from '@quipu/broker/journal/journal.ts'
import { NotApplied } from '@quipu/broker/journal/not-applied.ts'
import { isConnectionFailure } from '@quipu/broker/postgres/connection-failure.ts'
import { MAIN } from '@quipu/broker/registry/worlds.ts'
import { OutcomeUnknown } from '@quipu/broker/world/submitted.ts'
import type { Input, Operation, OperationName, RawRequest } from '@quipu/contract'
import { hasKey, runOnce } from './broker/run-once.ts'
import type { Context } from './context.ts'
import type { Exchange } from './exchange.ts'
import { handlersWithCause } from './trading/orders.ts'

/** A handler of any operation. Its input has no type because the operation is known only at run time; the contract has checked it. */
export type AnyHandler = (input: unknown, context: Context) => unknown

/** A request with its parsed input. */
type ParsedRequest = {
  readonly name: OperationName
  readonly operation: Operation
  readonly handler: AnyHandler
  readonly input: Input
  readonly params: RawRequest['params']
}

/** Runs a handler. Checks before it that the client is connected and the disk has space, and after it the lease. */
export async function runHandler(
  exchange: Exchange,
  context: Context,
  parsed: ParsedRequest,
): Promise<unknown> {
  const { connection } = exchange
  const { operation, params } = parsed
  if (connection.isClosed && exchange.fault?.isLate !== true) throw new ClientDisconnected()
  if (operation.method !== 'GET' && isDiskFull(context, params)) throw new NotApplied('diskFull')
  try {
    const output = await (hasKey(parsed.input) && operation.state === 'works'
      ? runOnce(context, { ...parsed, query: exchange.query }, () => callHandler(exchange, context, parsed))
      : callHandler(exchange, context, parsed))
    if (!context.world?.status.isLeaseOver) return output
  } catch (error) {
    // The database has refused the change, because another process has the world.
    if (error instanceof Fenced) throw new NotApplied('worldRestarting', error)
    if (!isConnectionFailure(error)) throw error
    context.services.log.hint('database', 'a request has lost the database', { error: String(error) })
    throw lost(operation, error)
  }
  // Another process may have taken over the world while the handler ran, so its result may be out of date.
  throw lost(operation, 'the lease of the world is over')
}

function callHandler(
  { connection, credentialId = '' }: Exchange,
  context: Context,
  { name, operation, handler, input }: ParsedRequest,
): unknown {
  if (operation.method === 'GET') return asLongWork(credentialId, connection, handler, input, context)
  if (handlersWithCause.has(name)) return handler(input, context)
  return onBehalfOf(context.cause, handler, input, context)
}

/** Only durable worlds use the disk. A request without a world is for main. */
const isDiskFull = ({ services, world }: Context, params: RawRequest['params']): boolean =>
  services.monitoring.disk?.isFull === true &&
  services.worlds.entry(params['world'] ?? world?.id ?? MAIN)?.durable === true

/** A read applies nothing. The outcome of any other operation is unknown. */
const lost = ({ method }: Operation, cause: unknown): Error =>
  method === 'GET' ? new NotApplied('worldRestarting') : new OutcomeUnknown(cause)
