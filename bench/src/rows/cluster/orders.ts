import { Cluster } from '../../../../broker/src/postgres/testing/server.ts'
import type { ContenderProcess, Ready } from '../../contender-process.ts'
import { load, requireAllOk } from '../../load.ts'
import { anOrder, CONNECTIONS, withFolder, withQuipu } from '../../quipu-process.ts'
import { median } from '../../rounds.ts'
import { type Row, rowsWith, type Size } from '../../row.ts'
import { at, moveWorld, newDurableWorld, withNodes } from './nodes.ts'

const row = rowsWith('cluster')
/** Turns that are not counted, until the code of all servers is compiled. */
const WARM_UP = 2

/** CPU seconds of a round: of all processes, and of the busiest main thread. */
type Spent = { readonly process: number; readonly thread: number }
type Contender = { readonly servers: readonly ContenderProcess[]; readonly targets: readonly Ready[] }

/**
 * The CPU time of orders in a cluster, compared with a server without a cluster on the same PostgreSQL, in alternating
 * rounds. The CPU time of PostgreSQL is not counted.
 */
export async function clusterOrders(size: Size): Promise<readonly Row[]> {
  const postgres = await Cluster.start()
  try {
    const [store, alone] = [await postgres.database('nodes'), await postgres.database('single')]
    const withBoth = (single: ContenderProcess) =>
      withNodes([store, store], (nodes) => measure(single, nodes, size))
    return await withFolder((folder) => withQuipu(folder, withBoth, [`store=${alone}`]))
  } finally {
    await postgres.stop()
  }
}

async function measure(
  single: ContenderProcess,
  [first, second]: readonly ContenderProcess[],
  { rounds, calls }: Size,
): Promise<readonly Row[]> {
  const other = await newDurableWorld(first!)
  await moveWorld(first!, other.world, second!)
  const contenders = {
    single: { servers: [single], targets: [single.ready] },
    local: { servers: [first!], targets: [first!.ready] },
    forwarded: { servers: [first!, second!], targets: [at(second!, first!.ready)] },
    two: { servers: [first!, second!], targets: [first!.ready, at(second!, other)] },
  } satisfies Record<string, Contender>
  const names = Object.keys(contenders) as (keyof typeof contenders)[]
  const turns: Record<keyof typeof contenders, Spent>[] = []
  for (let turn = 1 - WARM_UP; turn <= rounds; turn++) {
    const spent = {} as Record<keyof typeof contenders, Spent>
    for (const name of names) {
      process.stderr.write(`\r  (cluster) round ${turn} of ${rounds}: ${name}`.padEnd(60))
      spent[name] = await roundOf(contenders[name], calls)
    }
    if (turn > 0) turns.push(spent)
  }
  const ratio = (a: keyof typeof contenders, b: keyof typeof contenders, of: keyof Spent) =>
    median(turns.map((spent) => spent[a][of] / spent[b][of]))
  const micros = (name: keyof typeof contenders) =>
    median(turns.map((spent) => (spent[name].process / calls) * 1e6))
  return [
    row(
      'order at the node of its world / at a server without a cluster, CPU',
      ratio('local', 'single', 'process'),
      '≤ 1.05',
    ),
    row('the same, main thread', ratio('local', 'single', 'thread')),
    row(
      'order at another node / at the node of its world, CPU of both nodes',
      ratio('forwarded', 'local', 'process'),
    ),
    row(
      'order at another node / at a server without a cluster, CPU of both nodes',
      ratio('forwarded', 'single', 'process'),
      '≤ 2.5',
    ),
    row('µs of CPU of an order: server without a cluster', micros('single')),
    row('the same: node of its world', micros('local')),
    row('the same: another node', micros('forwarded')),
    row(
      'two worlds on two nodes / one world: orders per CPU second of the busiest main thread',
      2 * ratio('local', 'two', 'thread'),
      '≥ 1.8',
    ),
  ]
}

async function roundOf({ servers, targets }: Contender, calls: number): Promise<Spent> {
  const before = await Promise.all(servers.map((server) => server.spent()))
  await Promise.all(
    targets.map(async (target) => {
      requireAllOk('orders', calls, await load(target, anOrder, { connections: CONNECTIONS, calls }))
    }),
  )
  const after = await Promise.all(servers.map((server) => server.spent()))
  const spent = (of: 'cpuMicros' | 'threadMicros') =>
    after.map((cost, n) => (cost[of] - before[n]![of]) / 1e6)
  return {
    process: spent('cpuMicros').reduce((sum, one) => sum + one, 0),
    thread: Math.max(...spent('threadMicros')),
  }
}
