import type { IncomingMessage } from 'node:http'
import type { Operation } from '@quipu/contract'
import type { WorldId } from '@quipu/core'
import { actorOf } from '../../access/actor.ts'
import type { Caller } from '../../access/caller.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { type Reason, Refused, refuse } from '../../wire/refusal.ts'
import { isWho } from '../auth.ts'
import { awaitsBody, bodyBytes, bodyMax } from '../body.ts'
import type { Exchange } from '../exchange.ts'
import type { Services } from '../services.ts'
import { forward } from './forward.ts'
import { forwardedOf, MOVING, NOT_HELD, readPeer } from './peer.ts'
import { codeOfRequest, isForAnyNode } from './target.ts'

/** Forwards the request if another node holds the world of its credential. Returns whether it was answered. */
export async function forwardByCredential(
  services: Services,
  cluster: Cluster,
  exchange: Exchange,
  operation: Operation,
): Promise<boolean> {
  const forwarded = readPeer(exchange.request, cluster.secret)
  if (forwarded !== undefined) {
    const world = forwarded.world as WorldId
    if (begin(cluster, exchange, operation, world)) return false
    const held = [NOT_HELD, cluster.isMoving(world) ? MOVING : '1']
    throw refuse({ code: 'worldStopped' }, ['Retry-After', '1', ...held])
  }
  if (isForAnyNode(operation, exchange.path)) return false
  // The form of OAuth names the world.
  if (operation.family === 'oauth') await readBody(services, exchange, operation)
  const world = cluster.worldOf(codeOfRequest(services, exchange, operation, exchange.body))
  const beginHere = () => begin(cluster, exchange, operation, world)
  if (beginHere()) return false
  await readBody(services, exchange, operation)
  return (await forward(services, exchange, { world, body: exchange.body, begin: beginHere })) === 'answered'
}

/** Begins the request on this node, if it holds the world. The world is then not moved until the request has ended. */
function begin(cluster: Cluster, exchange: Exchange, operation: Operation, world: WorldId): boolean {
  if (cluster.locate(world).kind !== 'here') return false
  // A request that moves a world must not wait for itself.
  if (!operation.path.startsWith('/sim/v1/cluster')) exchange.countIn(cluster.admission.of(world))
  return true
}

/** Why a stream of another node is declined: its secret is wrong, or the world is not here. */
export function peerRefusal(cluster: Cluster, request: IncomingMessage): Reason | undefined {
  try {
    const forwarded = readPeer(request, cluster.secret)
    const isHere = !forwarded || cluster.locate(forwarded.world as WorldId).kind === 'here'
    return isHere ? undefined : { code: 'worldStopped' }
  } catch (error) {
    if (error instanceof Refused) return error.reason
    throw error
  }
}

/** Forwards the request of an operator if it names a world of another node. Returns whether it was answered. */
export async function forwardByName(
  services: Services,
  cluster: Cluster,
  exchange: Exchange,
  operation: Operation,
  params: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const { 'x-quipu-world': named } = exchange.request.headers
  const name = params['world'] ?? (typeof named === 'string' ? named : undefined)
  const caller = exchange.context?.caller
  if (name === undefined || !caller || !isWho('operator', caller)) return false
  // The node that forwarded it by its name has authenticated the operator.
  if (forwardedOf(exchange.request)?.operator) return false
  const world = name as WorldId
  const beginHere = () => begin(cluster, exchange, operation, world)
  if (beginHere() || !(cluster.knows(name) || services.worlds.has(name))) return false
  await readBody(services, exchange, operation)
  // From now on it is no request to the world of the credential.
  exchange.uncount()
  const operator = operatorOf(caller)
  const { connections } = services.worlds
  const connection = { close: () => exchange.request.socket.destroy() }
  connections.add(connection, caller)
  exchange.response.once('close', () => connections.remove(connection, caller))
  const toForward = { world, body: exchange.body, operator, begin: beginHere }
  return (await forward(services, exchange, toForward)) === 'answered'
}

function operatorOf(caller: Caller) {
  if (caller.kind !== 'partner') throw new Error('bug: an operator is a partner')
  const { partnerId, credentialId, readOnly } = caller
  return { partnerId, credentialId, readOnly, actor: actorOf(caller) }
}

/** Reads the body before the handler, so that it can be sent to another node. */
async function readBody({ limits }: Services, exchange: Exchange, operation: Operation): Promise<void> {
  const maxBytes = bodyMax(limits, operation)
  if (exchange.body || !awaitsBody(exchange.request, maxBytes)) return
  exchange.body = await bodyBytes(exchange.request, maxBytes)
}
