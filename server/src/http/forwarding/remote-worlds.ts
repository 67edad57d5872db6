import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '@quipu/broker/access/caller.ts'
import { codeOfSecret } from '@quipu/broker/access/world-code.ts'
import type { Cluster } from '@quipu/broker/cluster/cluster.ts'
import { NotApplied } from '@quipu/broker/journal/not-applied.ts'
import type { OutputOf } from '@quipu/contract'
import type { WorldId } from '@quipu/core'
import { missing } from '@quipu/core/values'
import type { Context } from '../context.ts'
import { type Sink, sseMessage } from '../event-stream.ts'
import { clusterOf, type Services } from '../services.ts'
import { fieldOf, messagesIn } from './event-messages.ts'
import { type ForwardedOperator, forwardedOf, headerRecord, NOT_HELD, peerHeaders } from './peer.ts'
import { operatorOf } from './peer-caller.ts'

const TIMEOUT_MS = 2_000
/** Interval of looks for nodes with worlds and for deleted worlds. */
const LOOK_MS = 250

type WorldRecord = OutputOf<'getWorld'>

/** The worlds of other nodes, as their nodes describe them. A world whose node does not answer in time is left out. */
export async function worldsElsewhere(context: Context): Promise<readonly WorldRecord[]> {
  const { services, partner } = context
  const { cluster } = services
  if (!cluster || isForNode(context)) return []
  const operator = operatorOf(partner)
  const asked = cluster.view.table.worlds.map(async ({ world }): Promise<WorldRecord | undefined> => {
    if (cluster.locations.of(world).kind !== 'elsewhere') return undefined
    const response = await askAsOperator(services, { world, operator, path: `/sim/v1/worlds/${world}` })
    return response.ok ? ((await response.json()) as WorldRecord) : undefined
  })
  const settled = await Promise.allSettled(asked)
  return settled.flatMap((one) => (one.status === 'fulfilled' && one.value ? [one.value] : []))
}

/** Another node asks for the worlds of this node alone. */
const isForNode = ({ request }: Context): boolean => forwardedOf(request)?.localWorlds === true

/** Sends changes to worlds on other nodes: as those nodes send them, and which were deleted. */
export async function followElsewhere(context: Context, sink: Sink): Promise<void> {
  const { cluster, worlds } = context.services
  if (!cluster || isForNode(context)) return
  const followed = new Set<string>()
  const known = new Set<string>()
  while (!sink.signal.aborted) {
    for (const { world, holder } of cluster.view.table.worlds) {
      if (!holder || cluster.locations.of(world).kind !== 'elsewhere') continue
      known.add(world)
      const { address } = holder
      if (followed.has(address)) continue
      followed.add(address)
      const ended = followNode(context, world, known, sink).catch(() => undefined)
      void ended.then(() => followed.delete(address))
    }
    for (const world of await deletedOf(cluster, known)) {
      known.delete(world)
      if (!worlds.names.has(world)) await sink.write(sseMessage('deleted', JSON.stringify({ world })))
    }
    await sleep(LOOK_MS, undefined, { signal: sink.signal, ref: false }).catch(() => undefined)
  }
}

/** The worlds that are no longer stored. The table may be older than a world that another node has just created. */
async function deletedOf(cluster: Cluster, known: ReadonlySet<string>): Promise<readonly string[]> {
  const missing = () => [...known].filter((world) => !cluster.view.row(world))
  const before = missing()
  if (before.length === 0) return []
  try {
    // A read that is under way may have begun before the world was known.
    for (const _ of [1, 2]) await cluster.view.refresh()
  } catch {
    return []
  }
  return missing().filter((world) => before.includes(world))
}

/** Sends changes to worlds on the node that holds this one, until the connection ends. */
async function followNode(
  { services, partner }: Context,
  world: WorldId,
  known: Set<string>,
  sink: Sink,
): Promise<void> {
  const operator = operatorOf(partner)
  const asking = { world, operator, path: '/sim/v1/worlds', localWorlds: true, signal: sink.signal } as const
  const response = await askAsOperator(services, asking)
  if (!response.ok || !response.body) throw new NotApplied('worldRestarting')
  for await (const message of messagesIn(response.body)) {
    const event = fieldOf(message, 'event')
    // A world that is no longer there may be at another node.
    if (event === undefined || event === 'deleted') continue
    const data = JSON.parse(fieldOf(message, 'data') ?? missing('data'))
    if (event !== 'worlds') await sink.write(message)
    else for (const record of data) await sink.write(sseMessage('world', JSON.stringify(record)))
    for (const record of event === 'worlds' ? data : [data]) known.add(record.world)
  }
}

/** Whether a stored world has this open account, as its holder says. */
export async function isOpenElsewhere(
  services: Services,
  { world, operator, accountId }: Omit<Asking, 'path'> & { readonly accountId: string },
): Promise<boolean> {
  const response = await askAsOperator(services, {
    world,
    operator,
    path: `/v1/accounts/${encodeURIComponent(accountId)}`,
  })
  if (response.status === 404) return false
  // The rest of a response may be late too.
  const account = response.ok ? await response.json().catch(() => undefined) : undefined
  if (!account) throw new NotApplied('worldRestarting')
  return (account as OutputOf<'getAccountById'>).status !== 'ACCOUNT_CLOSED'
}

/** The state of a token, for an operator, as the node says that holds its world. Undefined if this node holds it. */
export async function tokenElsewhere(
  context: Context,
  caller: Caller,
  token: string,
): Promise<OutputOf<'introspectOAuthToken'> | undefined> {
  const { services } = context
  const { cluster } = services
  const world = cluster?.view.byCode.worldOf(codeOfSecret(token))
  if (!cluster || world === undefined || cluster.locations.isHere(world)) return undefined
  const form = new URLSearchParams({ token })
  const operator = operatorOf(caller)
  const response = await askAsOperator(services, { world, operator, path: '/oauth/introspect', form })
  if (!response.ok) throw new NotApplied('worldRestarting')
  for (const name of ['X-Quipu-World', 'X-Quipu-Version', 'X-Quipu-Seq']) {
    const value = response.headers.get(name)
    if (value !== null) context.header(name, value)
  }
  return (await response.json()) as OutputOf<'introspectOAuthToken'>
}

type Asking = {
  readonly world: WorldId
  readonly operator: ForwardedOperator
  readonly path: string
  /** Asks for the stream of this node's worlds alone. */
  readonly localWorlds?: true
  /** The form of a POST. */
  readonly form?: URLSearchParams
  readonly signal?: AbortSignal
}

/** Sends a request of an operator that changes nothing to the node that holds a world. */
async function askAsOperator(
  { cluster }: Services,
  { world, operator, path, localWorlds, form, signal = AbortSignal.timeout(TIMEOUT_MS) }: Asking,
): Promise<Response> {
  const address = clusterOf({ cluster }).locations.holderOf(world)?.address
  if (address === undefined) throw new NotApplied('worldRestarting')
  const forwarded = { world, address: '', scheme: 'http', operator, localWorlds } as const
  const flat = peerHeaders(clusterOf({ cluster }).secret, forwarded)
  const accept = localWorlds ? 'text/event-stream' : 'application/json'
  const headers = { accept, ...headerRecord(flat) }
  // The secret must not follow a redirect to another server.
  const sent = form && { method: 'POST', body: form }
  const options = { headers, signal, redirect: 'error', ...sent } as const
  const response = await fetch(new URL(path, address), options).catch(() => undefined)
  if (!response || response.headers.has(NOT_HELD)) throw new NotApplied('worldRestarting')
  return response
}
