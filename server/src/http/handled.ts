import type { Arrived, Input, Operation, OperationName } from '@quipu/contract'
import { onBehalfOf } from '../journal/cause.ts'
import { asLongWork, ClientDisconnected } from '../process/long-work.ts'
import { NotApplied } from '../process/not-applied.ts'
import { OutcomeUnknown } from '../world/engine.ts'
import { MAIN } from '../worlds/worlds.ts'
import type { Context } from './context.ts'
import type { Exchange } from './exchange.ts'
import { namingHandlers } from './trading/orders.ts'

/** Any operation of the table. Its name is known only when a request arrives, so its input cannot be typed; the contract has checked it. */
export type AnyHandler = (input: unknown, context: Context) => unknown

/** A request whose input was read: what its handler gets, and the path's parameters. */
type Read = {
  readonly name: OperationName
  readonly operation: Operation
  readonly handler: AnyHandler
  readonly input: Input
  readonly params: Arrived['params']
}

/** Runs a handler. Before it: its client is there, and the disk has room. After it: this process still has the world. */
export async function handled(exchange: Exchange, context: Context, read: Read): Promise<unknown> {
  const { connection } = exchange
  const { operation, params } = read
  if (connection.isClosed) throw new ClientDisconnected()
  if (operation.method !== 'GET' && isDiskFull(context, params)) throw new NotApplied('diskFull')
  const output = await begun(exchange, context, read)
  if (context.world?.isLeaseOver) throw outOfDate(operation)
  return output
}

function begun(
  { connection, credentialId = '' }: Exchange,
  context: Context,
  { name, operation, handler, input }: Read,
): unknown {
  if (operation.method === 'GET') return asLongWork(credentialId, connection, handler, input, context)
  if (namingHandlers.has(name)) return handler(input, context)
  return onBehalfOf(context.cause, handler, input, context)
}

/** Only main is on a disk. A request that names no world is about main. */
const isDiskFull = ({ services: { disk }, world }: Context, params: Arrived['params']): boolean =>
  disk?.isFull === true && (params['world'] ?? world?.id ?? MAIN) === MAIN

/** Another process may have taken the world over while the handler worked: what the handler saw may be out of date. */
const outOfDate = ({ method }: Operation): Error =>
  method === 'GET' ? new NotApplied('worldRestarting') : new OutcomeUnknown('the lease of the world is over')
