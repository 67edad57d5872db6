import type { IncomingMessage } from 'node:http'
import { type Caller, readsAllWorlds } from '@quipu/broker/access/caller.ts'
import { cookieIn, cookieKind } from '@quipu/broker/access/cookies.ts'
import { MAIN_CODE } from '@quipu/broker/access/world-code.ts'
import { ClientDisconnected } from '@quipu/broker/clock/long-work.ts'
import type { Cluster } from '@quipu/broker/cluster/cluster.ts'
import { MAIN } from '@quipu/broker/registry/worlds.ts'
import type { Operation } from '@quipu/contract'
import type { WorldId } from '@quipu/core'
import { type Reason, Refused, refuse } from '../../wire/refusal.ts'
import { bearerIn, callerOfRequest } from '../auth.ts'
import { bodyMax, hasBody, isComplete, readBody } from '../body/body.ts'
import { requestUrl } from '../connection/host.ts'
import type { Exchange } from '../exchange.ts'
import type { Services } from '../services.ts'
import type { Routed } from '../steps/step.ts'
import type { ToForward } from './ask-holder.ts'
import { continueEvents } from './event-relay.ts'
import { forward, type WithBegin } from './forward.ts'
import { noteWorldOf, worldBegunIn } from './held-world.ts'
import { forwardedOf, MOVING, NOT_HELD, readPeer } from './peer.ts'
import { openingOf, operatorOf } from './peer-caller.ts'
import { codeOfForeignClient, codeOfRequest, isForAnyNode, isOfEndedSession } from './target.ts'

/** Forwards the request if another node holds the world that it belongs to. Returns whether it was answered. */
export async function isAnsweredElsewhere(
  services: Services,
  cluster: Cluster,
  exchange: Routed,
): Promise<boolean> {
  if (await forwardByCredential(services, cluster, exchange, exchange.declared)) return true
  return forwardByName(services, cluster, exchange)
}

/** By the world of its credential, or if the credential is a session token that opens another stored world. */
async function forwardByCredential(
  services: Services,
  cluster: Cluster,
  exchange: Routed,
  operation: Operation,
): Promise<boolean> {
  if (await forwardToHolder(services, cluster, exchange, operation)) return true
  if (await forwardToClient(services, cluster, exchange, operation)) return true
  await preparePerson(services, exchange)
  if (await forwardEnded(services, cluster, exchange, operation)) return true
  return forwardOpening(services, exchange)
}

/** Asks about the person of a session or token of this node, if another node holds `main`. */
async function preparePerson(services: Services, { request, url: { path } }: Exchange): Promise<void> {
  if (services.worlds.get(MAIN)) return
  const kind = cookieKind('session', requestUrl(request, services))
  const secret = path.startsWith('/oauth/')
    ? cookieIn(request.headers.cookie, kind)
    : bearerIn(request.headers)
  if (secret !== undefined) await services.worlds.access.credentials.preparePerson(secret)
}

/** Without a session a page belongs to `main`, also if the cookie of an ended session has led to another world. */
async function forwardEnded(
  services: Services,
  cluster: Cluster,
  exchange: Routed,
  operation: Operation,
): Promise<boolean> {
  if (services.worlds.get(MAIN) || !isOfEndedSession(services, exchange)) return false
  return forwardTo(services, cluster, exchange, operation, MAIN)
}

/** Forwards the request to the node of another world than the one that it has begun in, unless it is this one. */
async function forwardTo(
  services: Services,
  cluster: Cluster,
  exchange: Routed,
  operation: Operation,
  world: WorldId,
): Promise<boolean> {
  exchange.progress.uncount()
  const beginHere = () => begin(cluster, exchange, operation, world)
  if (beginHere()) return false
  const readBody = await bodyLater(services, exchange, operation)
  return (await forward(services, exchange, { world, readBody, begin: beginHere })) === 'answered'
}

/** Forwards the request if another node holds the world of its credential. */
async function forwardToHolder(
  services: Services,
  cluster: Cluster,
  exchange: Routed,
  operation: Operation,
): Promise<boolean> {
  const forwarded = readPeer(exchange.request, cluster.secret)
  if (forwarded !== undefined) {
    const world = forwarded.world as WorldId
    if (begin(cluster, exchange, operation, world)) return false
    const held = [NOT_HELD, cluster.moves.isMoving(world) ? MOVING : '1']
    throw refuse({ code: 'worldStopped' }, ['Retry-After', '1', ...held])
  }
  if (isForAnyNode(operation, exchange.url.path)) return false
  // The form of OAuth names the world.
  if (operation.family === 'oauth') await readAnyBody(services, exchange)
  const code = codeOfRequest(services, exchange, operation)
  const lookUp = code === MAIN_CODE ? undefined : cluster.view.byCode.lookUp(code)
  if (lookUp) await lookUp
  // The code of a deleted world counts as one of `main`, which refuses the credential.
  for (;;) {
    const world = cluster.view.byCode.worldOf(code)
    const beginHere = () => begin(cluster, exchange, operation, world)
    continueElsewhere(services, exchange, { world })
    if (beginHere()) return false
    const body = await bodyLater(services, exchange, operation)
    const outcome = await forward(services, exchange, { world, readBody: body, begin: beginHere })
    if (outcome !== 'deleted') return outcome === 'answered'
  }
}

/** Forwards the request of an app that the world of the token in its form does not have. Its own world answers it. */
async function forwardToClient(
  services: Services,
  cluster: Cluster,
  exchange: Routed,
  operation: Operation,
): Promise<boolean> {
  if (operation.family !== 'oauth') return false
  await readAnyBody(services, exchange)
  const code = codeOfForeignClient(services, exchange)
  const world = code === undefined ? undefined : cluster.view.byCode.worldOf(code)
  if (world === undefined || world === worldBegunIn(exchange.request)) return false
  return forwardTo(services, cluster, exchange, operation, world)
}

/** Lets an event stream that this node sends continue at the node that takes its world over. */
function continueElsewhere(services: Services, exchange: Routed, toForward: ToForward): void {
  const held = services.worlds.get(toForward.world)
  exchange.continueEvents = async (lastId, sink) => {
    const isReleased = held?.status.ending === 'released'
    if (isReleased) await continueEvents(services, exchange, { toForward, lastId, sink })
    return isReleased
  }
}

/** Forwards the request if its session token opens another stored world, also to this node itself. */
async function forwardOpening(services: Services, exchange: Routed): Promise<boolean> {
  const token = bearerIn(exchange.request.headers)
  const forwarded = forwardedOf(exchange.request)
  // The node that forwarded it as a caller has opened the world.
  const opening = token && !forwarded?.operator && !forwarded?.account && openingOf(services, token)
  if (!opening) return false
  const { world, caller, as } = opening
  await readAnyBody(services, exchange)
  return forwardAs(services, exchange, caller, { world, as, begin: () => false })
}

/** Begins the request on this node, if it holds the world. The world is then not moved until the request has ended. */
function begin(cluster: Cluster, exchange: Exchange, operation: Operation, world: WorldId): boolean {
  if (!cluster.locations.isHere(world)) return false
  noteWorldOf(exchange.request, world)
  // A request that moves a world must not wait for itself.
  if (!operation.path.startsWith('/sim/v1/cluster')) exchange.progress.countIn(cluster.admission.of(world))
  return true
}

/** Why a stream of another node is declined: its secret is wrong, or the world is not here. */
export function peerRefusal(cluster: Cluster, request: IncomingMessage): Reason | undefined {
  try {
    const forwarded = readPeer(request, cluster.secret)
    const isHere = !forwarded || cluster.locations.isHere(forwarded.world as WorldId)
    return isHere ? undefined : { code: 'worldStopped' }
  } catch (error) {
    if (error instanceof Refused) return error.reason
    throw error
  }
}

/** Forwards the request of an operator if it names a world of another node. Returns whether it was answered. */
async function forwardByName(services: Services, cluster: Cluster, exchange: Routed): Promise<boolean> {
  const { declared: operation, params, request } = exchange
  const name = params['world'] ?? worldInHeaders(operation, request)
  // The node that forwarded it by its name has authenticated the operator.
  if (name === undefined || forwardedOf(request)?.operator) return false
  const caller = callerOfRequest(services, exchange)
  if (!caller || !readsAllWorlds(caller)) return false
  const world = name as WorldId
  const beginHere = () => begin(cluster, exchange, operation, world)
  const as = { operator: operatorOf(caller) }
  if (!forwardedOf(exchange.request)) continueElsewhere(services, exchange, { world, as })
  if (beginHere() || !(services.worlds.names.has(name) || (await cluster.view.isStored(name)))) return false
  await readAnyBody(services, exchange)
  return forwardAs(services, exchange, caller, { world, as, begin: beginHere })
}

const WORLD_HEADER = 'x-quipu-world'

/** The world that a header names. Operations that do not declare the header ignore it. */
function worldInHeaders({ headers }: Operation, request: IncomingMessage): string | undefined {
  const named = request.headers[WORLD_HEADER]
  return headers && WORLD_HEADER in headers.fields && typeof named === 'string' ? named : undefined
}

/** Forwards the request of a caller that this node has authenticated. Its connection ends with its credential. */
async function forwardAs(
  services: Services,
  exchange: Exchange,
  caller: Caller,
  toForward: ToForward & WithBegin,
): Promise<boolean> {
  // From now on it is no request to the world of the credential.
  exchange.progress.uncount()
  const { connections } = services.worlds.access
  const connection = { close: () => exchange.request.socket.destroy() }
  connections.add(connection, caller)
  exchange.response.once('close', () => connections.remove(connection, caller))
  return (await forward(services, exchange, toForward)) === 'answered'
}

/** Reads the body, so that it can be sent to another node. An operation without a body ignores it. */
async function readAnyBody(services: Services, exchange: Routed): Promise<void> {
  if (exchange.declared.body && hasBody(exchange.request)) await readBody(services, exchange)
}

/**
 * The same for a client that the holder has not authenticated. A body that came with the headers is read at once, unless
 * it is too large. Returns a function that reads any other body, and undefined if there is none.
 */
async function bodyLater(
  services: Services,
  exchange: Routed,
  operation: Operation,
): Promise<(() => Promise<void>) | undefined> {
  const { request } = exchange
  if (exchange.body || !operation.body || !hasBody(request)) return undefined
  await undefined
  if (isComplete(request) && request.readableLength <= bodyMax(services.limits, operation)) {
    await readAnyBody(services, exchange)
    return undefined
  }
  const read = async () => {
    await readAnyBody(services, exchange)
    // A request that arrives after its 408 is not applied.
    if (exchange.connection.isClosed) throw new ClientDisconnected()
  }
  let reading: Promise<void> | undefined
  return () => (reading ??= read())
}
