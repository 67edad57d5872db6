import type { Operation } from '@quipu/contract'
import type { WorldId } from '@quipu/core'
import type { AdmittedRequest } from '../../cluster/admission.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { NotApplied } from '../../process/not-applied.ts'
import type { Exchange } from '../exchange.ts'
import type { Services } from '../services.ts'

/** The world of the credential, which this node held when the request began. */
const begunIn = new WeakMap<Exchange, WorldId>()
/** The requests that a move of their worlds waits for. */
const admittedOf = new WeakMap<Exchange, readonly AdmittedRequest[]>()

export const worldOfBegun = (exchange: Exchange): WorldId | undefined => begunIn.get(exchange)

/** Begins the request on this node, if it holds the world. The world is then not moved until the request has ended. */
export function begin(cluster: Cluster, exchange: Exchange, operation: Operation, world: WorldId): boolean {
  if (cluster.locate(world).kind !== 'here') return false
  begunIn.set(exchange, world)
  // A request that moves a world must not wait for itself.
  if (operation.path.startsWith('/sim/v1/cluster')) return true
  const admitted = cluster.admission.of(world)
  exchange.countIn(admitted)
  admittedOf.set(exchange, [...(admittedOf.get(exchange) ?? []), admitted])
  return true
}

/** A body that arrives later than this does not hold back a move. */
const LATE_MS = 250

/**
 * Waits for a body. A client can send it slowly, so the worlds of the request may move meanwhile: then it returns undefined,
 * and the request starts again with its body.
 */
export async function lateBody(
  { cluster, worlds }: Services,
  exchange: Exchange,
  body: Promise<Buffer>,
): Promise<Buffer | undefined> {
  const admitted = (admittedOf.get(exchange) ?? []).filter(({ isOver }) => !isOver)
  if (!cluster || admitted.length === 0) return body
  const held = admitted.map(({ world }) => worlds.get(world))
  const timer = setTimeout(() => {
    for (const request of admitted) request.pause()
  }, LATE_MS)
  exchange.body = await body.finally(() => clearTimeout(timer))
  const isHeld = ({ world }: AdmittedRequest, index: number): boolean =>
    cluster.locate(world).kind === 'here' && worlds.get(world) === held[index]
  if (!admitted.every((request, index) => !request.isPaused || isHeld(request, index))) {
    exchange.uncount()
    return undefined
  }
  for (const request of admitted) request.begin()
  return exchange.body
}

/**
 * Refuses a credential only while this node holds its world. A node that loses a world forgets its credentials, also
 * for requests that have begun: these were not applied.
 */
export function whileHeld<Value>(
  cluster: Cluster | undefined,
  exchange: Exchange,
  authorize: () => Value,
): Value {
  try {
    return authorize()
  } catch (error) {
    const world = begunIn.get(exchange)
    if (world === undefined || cluster?.locate(world).kind === 'here') throw error
    throw new NotApplied('worldRestarting')
  }
}
