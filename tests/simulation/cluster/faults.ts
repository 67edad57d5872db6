import assert from 'node:assert/strict'
import type { Random } from '../../support/random.ts'
import type { Note } from '../faults/store.ts'
import type { Clients } from './clients.ts'
import type { SimulatedCluster } from './cluster.ts'
import type { NodeHost } from './node.ts'
import type { ShortLivedWorld } from './short-lived.ts'

export type FaultsParts = {
  readonly cluster: SimulatedCluster
  readonly clients: Clients
  readonly shortLived: ShortLivedWorld
  readonly random: Random
  readonly note: Note
}

type Fault = (parts: FaultsParts, node: NodeHost) => Promise<void>

/** The difference of two clocks of databases. */
const CLOCK_MS = 300_000

/** The time that a move takes, at most, and that a reset or a deletion takes. */
const MOVE_MS = 120
const OPERATION_MS = 40
/** How long a node is watched that may have a deleted world. */
const GHOST_MS = 2_000
/** The time that a node needs to open a world, at most. */
const OPENING_MS = 60

/** Shorter or longer than a lease. */
const someTime = (random: Random): number => random.pick([800, 2_000, 2_900, 4_500, 5_500])

async function silently(
  { cluster, random }: FaultsParts,
  pairs: readonly (readonly [string, string])[],
): Promise<void> {
  for (const [from, to] of pairs) cluster.network.silence(from, to)
  await cluster.sleep(someTime(random))
  cluster.network.heal()
}

const othersOf = ({ cluster }: FaultsParts, node: NodeHost): readonly NodeHost[] =>
  cluster.nodes.filter((other) => other !== node)

/** Stops a process some time after an operation began, and waits for the end of both. */
async function stallDuring(
  { cluster, random }: FaultsParts,
  node: NodeHost | undefined,
  operation: Promise<unknown>,
  longestMs: number,
): Promise<void> {
  await cluster.sleep(random.integer(1, longestMs))
  const process = node?.process
  if (process) process.isPaused = true
  await cluster.sleep(random.pick([2_000, 2_900, 4_500, 5_500]))
  if (process) process.isPaused = false
  await operation
}

/** The journal of a world, as the database has it. */
function journalOf({ cluster }: FaultsParts, world: string): string {
  const { record } = cluster.tables.worlds.get(world) ?? {}
  return record ? JSON.parse(record).journal : world
}

/** Each fault ends by itself: the cluster can recover afterwards. */
export const faults = {
  async kill({ cluster, random }, node) {
    cluster.kill(node)
    await cluster.sleep(someTime(random))
    await node.start()
  },

  async pause({ cluster, random }, { process }) {
    process!.isPaused = true
    await cluster.sleep(someTime(random))
    process!.isPaused = false
  },

  /** The process stops with SIGTERM: it moves its worlds to other nodes. */
  async stop({ cluster }, node) {
    await node.stop()
    cluster.kill(node)
    await node.start()
  },

  async databaseSilent({ cluster, random }, { process }) {
    process!.database.isSilent = true
    await cluster.sleep(someTime(random))
    process!.database.isSilent = false
  },

  /** Nothing is written for longer than a lease: only renewals extend it. */
  async idle({ cluster, clients, random }) {
    for (let count = 4; count > 0; count--) {
      clients.isReadOnly = true
      await cluster.sleep(random.integer(3_100, 3_900))
      clients.isReadOnly = false
      await cluster.sleep(random.integer(100, 400))
    }
  },

  /** Nothing is written until another node has the worlds, so that no pending write delays reads. */
  async databaseSilentForReads({ cluster, clients, random }, { process }) {
    clients.isReadOnly = true
    await cluster.sleep(300)
    process!.database.isSilent = true
    await cluster.sleep(random.integer(3_300, 3_900))
    clients.isReadOnly = false
    await cluster.sleep(random.integer(200, 1_500))
    process!.database.isSilent = false
  },

  /** The last statements of the process arrive when another node has the worlds and has written nothing. */
  async databaseLate({ cluster, clients, random }, { process }) {
    process!.database.isSilent = true
    await cluster.sleep(random.integer(1, 200))
    clients.isReadOnly = true
    process!.isPaused = random.chance(0.5)
    await cluster.sleep(random.integer(3_300, 4_500))
    process!.database.isSilent = false
    await cluster.sleep(random.integer(0, 40))
    process!.isPaused = false
    clients.isReadOnly = false
  },

  /** All leases look as if they were over, but a node that does not reach the database still answers. */
  async databaseClockAhead({ cluster, clients, random }, { process }) {
    // No pending write delays the reads of that node.
    clients.isReadOnly = true
    await cluster.sleep(300)
    process!.database.isSilent = random.chance(0.7)
    cluster.databaseAheadMs += CLOCK_MS
    await cluster.sleep(random.integer(200, 1_200))
    clients.isReadOnly = false
    await cluster.sleep(someTime(random))
    process!.database.isSilent = false
  },

  /** The lease of a lost node looks as if it would last for minutes. */
  async databaseClockBehind({ cluster, random }, node) {
    cluster.kill(node)
    cluster.databaseAheadMs -= CLOCK_MS
    await cluster.sleep(someTime(random))
    await node.start()
  },

  async databaseCut(_, { process }) {
    process!.database.cut()
  },

  async peersSilent(parts, node) {
    await silently(
      parts,
      othersOf(parts, node).flatMap(({ name }) => [
        [name, node.name],
        [node.name, name],
      ]),
    )
  },

  /** Requests arrive at the node, its responses do not. */
  async answersLost(parts, node) {
    await silently(
      parts,
      othersOf(parts, node).map(({ name }) => [node.name, name] as const),
    )
  },

  async peersCut(parts, node) {
    for (let count = parts.random.integer(1, 12); count > 0; count--) {
      for (const { name } of othersOf(parts, node)) parts.cluster.network.cut(name, node.name)
      await parts.cluster.sleep(parts.random.integer(1, 60))
    }
  },

  async slowNetwork({ cluster: { network, sleep }, random }) {
    network.slowestMs = random.pick([50, 400])
    await sleep(someTime(random))
    network.slowestMs = 3
  },

  async move({ clients, random }, { url }) {
    const { world } = random.pick(clients.worlds)
    await clients.asOperator('POST', '/sim/v1/cluster/moves', { world, node: url })
  },

  /** The source or the target of a move stalls. */
  async stallWhileMoving(parts, node) {
    const { clients, cluster, random } = parts
    const { world } = random.pick(clients.worlds)
    const holder = cluster.holderOf(journalOf(parts, world))
    const moved = clients.asOperator('POST', '/sim/v1/cluster/moves', { world, node: node.url })
    await stallDuring(parts, random.pick([holder, node]), moved, MOVE_MS)
  },

  /** The holder of a world is lost, and the node that claims the world stalls while it opens it. */
  async stallWhileOpening(parts) {
    const { clients, cluster, random } = parts
    const journal = journalOf(parts, random.pick(clients.worlds).world)
    const lost = cluster.holderOf(journal)!
    const fence = cluster.tables.journals.get(journal)!.fence
    cluster.kill(lost)
    while (cluster.tables.journals.get(journal)?.fence === fence) await cluster.sleep(1)
    await cluster.sleep(random.integer(0, OPENING_MS))
    const { process } = cluster.holderOf(journal)!
    process!.isPaused = true
    await cluster.sleep(random.pick([2_900, 4_500, 5_500]))
    process!.isPaused = false
    await lost.start()
  },

  async stallWhileResetting(parts) {
    const { cluster, shortLived } = parts
    await shortLived.fill()
    await stallDuring(parts, cluster.holderOf(shortLived.journal!), shortLived.reset(), OPERATION_MS)
    await shortLived.settle()
    await shortLived.fill()
    await shortLived.settle()
  },

  /** The holder stalls while it deletes a world. Meanwhile the name is deleted elsewhere and used again. */
  async stallWhileDeleting(parts) {
    const { cluster, shortLived, random } = parts
    await shortLived.fill()
    const stalled = cluster.holderOf(shortLived.journal!)?.process
    const first = shortLived.tryDelete()
    await cluster.sleep(random.integer(1, OPERATION_MS))
    if (stalled) stalled.isPaused = true
    await shortLived.delete()
    await shortLived.fill()
    if (stalled) stalled.isPaused = false
    await first
    await cluster.sleep(3_000)
    await shortLived.settle()
  },

  /** The holder stalls while it deletes a world, and another node claims the world before the deletion ends. */
  async claimWhileDeleting(parts) {
    const { cluster, shortLived } = parts
    await shortLived.fill()
    const holder = cluster.holderOf(shortLived.journal!)
    await stallDuring(parts, holder, shortLived.tryDelete(), OPERATION_MS)
    await shortLived.watchDeleted(GHOST_MS)
    await shortLived.settle()
  },

  /** A node stalls while it claims a world, and another one claims and deletes the world meanwhile. */
  async stallWhileClaiming(parts) {
    const { cluster, shortLived } = parts
    await shortLived.fill()
    const journal = shortLived.journal!
    const lost = cluster.holderOf(journal)!
    cluster.kill(lost)
    const stalled = await cluster.pauseClaimOf(journal)
    await shortLived.delete()
    stalled.isPaused = false
    await cluster.sleep(GHOST_MS)
    assert(!cluster.tables.journals.has(journal), 'a deleted journal was created again')
    await lost.start()
  },

  /** The holder is lost while it deletes a world: afterwards the world is whole or gone. */
  async killWhileDeleting(parts) {
    const { cluster, shortLived, random } = parts
    await shortLived.fill()
    const lost = cluster.holderOf(shortLived.journal!)
    const deleted = shortLived.tryDelete()
    await cluster.sleep(random.integer(1, OPERATION_MS))
    if (lost) cluster.kill(lost)
    await deleted
    await cluster.sleep(4_000)
    await lost?.start()
    if (shortLived.journal === undefined) shortLived.world = undefined
    await shortLived.settle()
  },
} satisfies Readonly<Record<string, Fault>>

export type FaultName = keyof typeof faults
