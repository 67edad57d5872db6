import { MAIN_CODE } from '@quipu/broker/access/world-code.ts'
import type { Cluster } from '@quipu/broker/cluster/cluster.ts'
import { type NodeRow, type WorldRow, whyNotOpen } from '@quipu/broker/cluster/table.ts'
import type { OutputOf } from '@quipu/contract'
import { refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { refuseMove } from '../forwarding/peer-tasks.ts'

export const clusterHandlers = {
  async getCluster(_, context) {
    const { table } = (await clusterOf(context)).view
    return {
      nodes: table.nodes.map((node) => nodeRecord(table.worlds, node)),
      worlds: table.worlds.map((row) => worldRecord(table.nodes, row)),
    }
  },

  async moveWorld({ body }, context) {
    const cluster = await clusterOf(context)
    const { worlds, nodes } = cluster.view.table
    if (!cluster.view.row(body.world)) throw invalid(worldProblem(body.world, worlds, context))
    const to = nodeNamed(nodes, body.node)
    if (to.draining) throw invalid(`node: ${to.name} is draining; choose another node`)
    const { from, to: target, pausedMs } = await cluster.moves.move(body.world, to).catch(refuseMove)
    return { world: body.world, from, to: target, paused_ms: pausedMs }
  },

  drainNode: ({ params }, context) => setDraining(context, params.node, true),
  resumeNode: ({ params }, context) => setDraining(context, params.node, false),
} satisfies SomeHandlers

/** The cluster with its current table. */
async function clusterOf({ services: { cluster } }: Context): Promise<Cluster> {
  if (!cluster) throw refuse({ code: 'notInCluster' })
  await cluster.view.refresh()
  return cluster
}

async function setDraining(context: Context, text: string, draining: boolean) {
  const cluster = await clusterOf(context)
  const { name } = nodeNamed(cluster.view.table.nodes, text)
  await cluster.drain(name, draining)
  const { nodes, worlds } = cluster.view.table
  return nodeRecord(worlds, nodeNamed(nodes, name))
}

const invalid = (problem: string) => refuse({ code: 'invalidParameter', problem })

/** In-memory worlds belong to the node that holds `main`. */
function worldProblem(world: string, stored: readonly WorldRow[], { services }: Context): string {
  if (services.worlds.names.has(world))
    return `world: ${world} is in memory and stays at the node that holds main`
  return `world: expected a stored world (${stored.map((row) => row.world).join(', ')}), received ${JSON.stringify(world)}`
}

/** The running node with this address, or with a name that begins so. */
function nodeNamed(nodes: readonly NodeRow[], text: string): NodeRow {
  const wanted = text.replace(/\/+$/, '')
  const isAddress = ({ address }: NodeRow) =>
    [address, address.replace(/^https?:\/\//, '')].some((one) => one.replace(/\/+$/, '') === wanted)
  const exact = nodes.filter((node) => isAddress(node) || node.name === text)
  const found = exact.length > 0 ? exact : nodes.filter(({ name }) => name.startsWith(text))
  const [node, another] = found
  if (node && !another) return node
  const candidates = (another ? found : nodes).map(({ name, address }) => `${name} at ${address}`).join(', ')
  throw invalid(
    another
      ? `node: ${JSON.stringify(text)} is ambiguous: ${candidates}`
      : `node: no running node has the address or a name that begins with ${JSON.stringify(text)}: ${candidates}`,
  )
}

type StatusRecord = OutputOf<'getCluster'>

const nodeRecord = (
  worlds: readonly WorldRow[],
  { name, address, version, startedAt, draining }: NodeRow,
): StatusRecord['nodes'][number] => ({
  name,
  address,
  version,
  started_at: startedAt.toISOString(),
  draining,
  worlds: worlds.filter(({ holder }) => holder?.name === name).length,
})

function worldRecord(nodes: readonly NodeRow[], row: WorldRow): StatusRecord['worlds'][number] {
  const { world, record, holder, takenAt, seq } = row
  const notOpen = whyNotOpen(nodes, row)
  return {
    world,
    code: record?.code ?? MAIN_CODE,
    node: holder?.name ?? null,
    open: holder !== undefined && notOpen === undefined,
    held_since: (holder && takenAt?.toISOString()) ?? null,
    seq,
    problems: holder
      ? problemOf(holder.name, notOpen)
      : nodes.flatMap(({ name, failures }) => problemOf(name, failures[world])),
  }
}

const problemOf = (node: string, problem: string | undefined) =>
  problem === undefined ? [] : [{ node, problem }]
