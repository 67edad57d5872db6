import { setTimeout as sleep } from 'node:timers/promises'
import type { TcpProxy } from '../../broker/src/postgres/testing/tcp-proxy.ts'
import type { Random } from '../support/random.ts'
import type { FaultyCluster, Node } from './faulty-cluster.ts'
import { move } from './nodes.ts'

/** Longer than a lease. `npm test` waits no longer than until another node has the worlds. */
const FAULT_MS = process.env['CLUSTER_FAULTS'] ? 4_500 : 3_600
/** How long the database is slow, or loses packets. */
const SLOW_MS = process.env['CLUSTER_FAULTS'] ? 9_000 : FAULT_MS
/** The opening of a world on a slow database takes longer. */
const OPENING_MS = 250
/** Shorter than the time that a node answers after its last renewal. */
const SHORT_PAUSES_MS = [900, 1_800, 600] as const

export type FaultParts = {
  readonly cluster: FaultyCluster
  readonly random: Random
  /** The worlds of the clients. */
  readonly worlds: readonly string[]
}

/** `repair` runs when every world accepts orders again. */
export type Fault = {
  readonly name: string
  readonly run: (parts: FaultParts, node: Node) => Promise<void>
  readonly repair?: (cluster: FaultyCluster) => Promise<void>
}

async function silently(...proxies: readonly TcpProxy[]): Promise<void> {
  for (const proxy of proxies) proxy.goSilent()
  await sleep(FAULT_MS)
  for (const proxy of proxies) proxy.open()
}

const databasesOf = ({ nodes }: FaultyCluster): readonly TcpProxy[] =>
  nodes.flatMap(({ databases }) => databases)

async function killForAWhile({ cluster }: FaultParts, node: Node): Promise<void> {
  await cluster.kill(node)
  await sleep(FAULT_MS)
  await cluster.restart(node)
}

const killAndRestart: Fault = { name: 'kill -9 of a node', run: killForAWhile }

const promotions: readonly Fault[] = (['dead', 'alive'] as const).map((old) => ({
  name: `the standby is promoted, the old primary is ${old}`,
  run: ({ cluster }) => cluster.promote(old),
  repair: (cluster) => cluster.replaceOldPrimary(),
}))

/** Every kind once, as far as ten faults can: `npm test` runs them in this order. Some have two causes at once. */
export const shortFaults: readonly Fault[] = [
  {
    name: 'a rolling restart',
    async run({ cluster }) {
      for (const node of cluster.nodes) await cluster.stopAndStart(node)
    },
  },
  {
    name: 'a node stops again and again for a short time',
    async run({ cluster }, node) {
      for (const ms of SHORT_PAUSES_MS) {
        await cluster.pause(node, ms)
        await sleep(100)
      }
    },
  },
  {
    name: 'a node stops while it opens a world that is moved to it',
    async run({ cluster, random, worlds }) {
      const moveAway = async (world: string) => {
        const holder = await cluster.holderOf(world)
        const to = cluster.nodes[(holder + 1) % cluster.nodes.length]!
        await move(cluster.nodes[holder]!.broker, world, to.peers.url)
      }
      const stall = () =>
        cluster.pauseWhileOpening(
          () => moveAway(random.pick(worlds)),
          random.integer(0, OPENING_MS),
          FAULT_MS,
        )
      // A move may be refused, such as while a request runs.
      for (let left = 10; left > 0 && !(await stall()); left -= 1);
    },
  },
  {
    name: 'packets between nodes are lost',
    async run({ cluster }) {
      for (const { peers } of cluster.nodes) peers.lose(0.3)
      await sleep(FAULT_MS)
      for (const { peers } of cluster.nodes) peers.lose(0)
    },
  },
  { name: 'all nodes lose the database silently', run: ({ cluster }) => silently(...databasesOf(cluster)) },
  {
    name: 'the database is slow',
    async run({ cluster, random }) {
      for (const proxy of databasesOf(cluster)) proxy.delay(random.pick([200, 700, 1_500]))
      await sleep(SLOW_MS)
      for (const proxy of databasesOf(cluster)) proxy.delay(0)
    },
  },
  {
    name: 'the clock of the database steps ahead, and a node loses the database',
    async run({ cluster }, { databases }) {
      await cluster.setClock('5 minutes')
      await silently(...databases)
    },
  },
  {
    name: 'the clock of the database steps behind, and kill -9 of a node',
    async run(parts, node) {
      await parts.cluster.setClock('-5 minutes')
      await killForAWhile(parts, node)
    },
  },
  ...promotions,
]

export const allFaults: readonly Fault[] = [
  ...shortFaults,
  killAndRestart,
  {
    name: 'a node stops for longer than its lease',
    run: ({ cluster }, node) => cluster.pause(node, FAULT_MS),
  },
  { name: 'a node loses its database silently', run: (_, { databases }) => silently(...databases) },
  { name: 'the other nodes lose a node silently', run: (_, { peers }) => silently(peers) },
  {
    name: 'a node stops while it opens a world of a lost node',
    async run(parts) {
      const { cluster, random, worlds } = parts
      const node = cluster.nodes[await cluster.holderOf(random.pick(worlds))]!
      const afterMs = random.integer(0, OPENING_MS)
      await cluster.pauseWhileOpening(() => killForAWhile(parts, node), afterMs, FAULT_MS)
    },
  },
  {
    name: 'packets between a node and the database are lost',
    async run(_, { databases }) {
      for (const proxy of databases) proxy.lose(0.3)
      await sleep(SLOW_MS)
      for (const proxy of databases) proxy.lose(0)
    },
  },
  {
    name: 'all connections to the database break',
    async run({ cluster }) {
      for (const proxy of databasesOf(cluster)) proxy.open()
    },
  },
  // Meanwhile the primary confirms nothing. Later it stores what it has accepted.
  {
    name: 'the standby is lost for longer than a lease',
    run: ({ cluster }) => cluster.withoutStandby(() => sleep(FAULT_MS)),
  },
]

/** So many random faults, with every kind among them if there are enough. `CLUSTER_FAULT=promoted` selects by name. */
export function randomFaults(random: Random, count: number): readonly Fault[] {
  const kinds = allFaults.filter(({ name }) => name.includes(process.env['CLUSTER_FAULT'] ?? ''))
  const faults: Fault[] = []
  for (let left: Fault[] = []; faults.length < count; ) {
    if (left.length === 0) left = [...kinds]
    faults.push(...left.splice(random.integer(0, left.length - 1), 1))
  }
  return faults
}
