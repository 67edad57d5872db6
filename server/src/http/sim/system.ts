import { readsAllWorlds } from '@quipu/broker/access/caller.ts'
import { clockWarning } from '@quipu/broker/clock/watch.ts'
import { mendableCause } from '@quipu/broker/journal/not-applied.ts'
import { MAIN } from '@quipu/broker/registry/worlds.ts'
import { openApi, operations } from '@quipu/contract'
import { refuse } from '../../wire/refusal.ts'
import { unauthorized } from '../auth.ts'
import { publicUrlOf } from '../connection/host.ts'
import type { SomeHandlers } from '../context.ts'
import { hasClusterToken } from '../forwarding/peer.ts'
import { isKnownReader, noteReader } from '../metrics/metrics-readers.ts'
import type { Services } from '../services.ts'
import { tagged, tagOf } from '../web/entity-tag.ts'

export const systemHandlers = {
  getOpenApi: (_, { services, request }) => {
    const { body, tag } = openApiOf(services)
    return tagged(request, body, tag)
  },
  getSecurityText: (_, { services }) => securityText(services),
  getHealth: () => ({ status: 'ok' }),
  getReadiness: (_, { services }) => {
    const problem = whyNotReady(services)
    if (problem !== undefined) throw refuse({ code: 'notReady', problem }, ['Retry-After', '1'])
    const main = services.worlds.get(MAIN)
    const warning = main && clockWarning(main)
    return { status: 'ready', warning }
  },
  getMetrics: (_, { services, caller, request }) => {
    const isOperator = caller ? readsAllWorlds(caller) : hasClusterToken(services, request)
    if (caller && isOperator) noteReader(services, request, caller)
    if (services.settings.metrics === 'operator' && !isOperator && !isKnownReader(services, request))
      throw unauthorized(operations.getMetrics, request.headers)
    return tagged(request, services.monitoring.metrics.text({ worlds: isOperator }))
  },
} satisfies SomeHandlers

/** RFC 9116 recommends an expiry of less than a year. */
const CONTACT_MS = 180 * 86_400_000

/** Without a setting the contact is the security mailbox of RFC 2142. */
function securityText(services: Services): string {
  const { securityContact } = services.settings
  const url = publicUrlOf(services)
  const { hostname } = new URL(url)
  const host = /^[\d.]+$/.test(hostname) ? `[${hostname}]` : hostname.replace(/^\[/, '[IPv6:')
  const lines = {
    Contact: securityContact ?? `mailto:security@${host}`,
    Expires: new Date(Date.now() + CONTACT_MS).toISOString(),
    Canonical: `${url}/.well-known/security.txt`,
    'Preferred-Languages': 'en',
  }
  return Object.entries(lines)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')
}

/** Generated once: it takes milliseconds, needs no credentials, and does not change while the server runs. */
function openApiOf(services: Services): TaggedBody {
  const { serverState } = services
  const known = documents.get(serverState)
  if (known) return known
  const body = Buffer.from(
    JSON.stringify(openApi({ version: serverState.version, url: publicUrlOf(services) }), null, 2),
  )
  const made = { body, tag: tagOf(body) }
  documents.set(serverState, made)
  return made
}

type TaggedBody = { readonly body: Uint8Array; readonly tag: string }
const documents = new WeakMap<Services['serverState'], TaggedBody>()

/** Why the server accepts no commands; undefined if it does. */
export function whyNotReady({ serverState, worlds, monitoring, cluster }: Services): string | undefined {
  if (serverState.phase !== 'ready') return `the server is ${serverState.phase}`
  if (monitoring.disk?.isFull) return 'the disk is full'
  // A stopped world in memory does not affect the readiness of the server.
  const closed = worlds
    .entries()
    .find(({ world, durable }) => (durable || world.id === MAIN) && !world.status.isUp)
  if (!closed) {
    // A node without worlds reads the database only for the table of the cluster.
    if (cluster?.view.isLost) return 'the database does not answer'
    const [stuck] = cluster?.claims.stuck ?? []
    return stuck && `the world ${stuck.world} does not answer: this node ${stuck.problem}`
  }
  const { id, status } = closed.world
  const cause = status.isLeaseOver ? 'the database does not answer' : mendableCause(status.failure)
  return `${cause === undefined ? '' : `${cause}; `}the world ${id} is being rebuilt`
}
