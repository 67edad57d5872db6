import type { OutputOf } from '@quipu/contract'
import { actorOf } from '../../access/actor.ts'
import type { Context } from '../context.ts'
import { peerHeaders } from './peer.ts'

const TIMEOUT_MS = 2_000

type WorldRecord = OutputOf<'getWorld'>

/** The worlds of other nodes, as their nodes describe them. A world whose node does not answer in time is left out. */
export async function worldsElsewhere(context: Context): Promise<readonly WorldRecord[]> {
  const { cluster } = context.services
  if (!cluster) return []
  const asked = cluster.table.worlds.map(async ({ world }): Promise<WorldRecord | undefined> => {
    const at = cluster.locate(world)
    if (at.kind !== 'elsewhere') return undefined
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const url = new URL(`/sim/v1/worlds/${world}`, at.address)
    const response = await fetch(url, { headers: headersFor(context, world), signal })
    return response.ok ? ((await response.json()) as WorldRecord) : undefined
  })
  const settled = await Promise.allSettled(asked)
  return settled.flatMap((one) => (one.status === 'fulfilled' && one.value ? [one.value] : []))
}

function headersFor({ partner, services: { cluster } }: Context, world: string): Record<string, string> {
  const { partnerId, credentialId } = partner
  const operator = { partnerId, credentialId, actor: actorOf(partner) }
  const flat = peerHeaders(cluster!.secret, { world, address: '', scheme: 'http', operator })
  return { [flat[0]!]: flat[1]!, [flat[2]!]: flat[3]! }
}
