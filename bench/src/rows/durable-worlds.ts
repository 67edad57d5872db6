import { setTimeout as sleep } from 'node:timers/promises'
import { Cluster } from '../../../broker/src/postgres/testing/server.ts'
import type { ContenderProcess } from '../contender-process.ts'
import { load, requireAllOk } from '../load.ts'
import { anOrder, placeOrders, withFolder, withQuipu } from '../quipu-process.ts'
import { type Row, rowsWith } from '../row.ts'
import { createWorld, operate } from '../virtual-world.ts'

const row = rowsWith('h')
/** Durable worlds besides `main`, at each measurement. */
const COUNTS = [1, 5, 10] as const
const ORDERS = 200
/** Longer than an idle connection stays open. */
const SETTLE_MS = 6_000
const CONNECTIONS = 8

type Usage = { readonly residentBytes: number; readonly connections: number }

/**
 * (h) Resident memory and database connections of each further durable world. Every world has orders and a running
 * clock, which stores its time once a second.
 */
export async function durableWorlds(): Promise<readonly Row[]> {
  const cluster = await Cluster.start()
  try {
    const inFiles = await usages([], async () => 0)
    const inPostgres = await usages([`store=${cluster.url()}`], () => connectionsOf(cluster))
    return [...rowsOf('files', inFiles).slice(0, 1), ...rowsOf('PostgreSQL', inPostgres)]
  } finally {
    await cluster.stop()
  }
}

/** The first durable world loads code, so it is not counted. */
function rowsOf(store: string, [first, ...later]: readonly Usage[]): readonly Row[] {
  const last = later.at(-1)!
  const each = (part: keyof Usage) => (last[part] - first![part]) / (COUNTS.at(-1)! - COUNTS[0])
  return [
    row(`each further durable world in ${store}: MB of resident memory`, each('residentBytes') / 1e6, '≤ 15'),
    row('the same: connections', each('connections'), '≤ 2'),
    row(`main and ${COUNTS.at(-1)} durable worlds: connections`, last.connections),
  ]
}

async function usages(
  settings: readonly string[],
  connections: () => Promise<number>,
): Promise<readonly Usage[]> {
  const measure = async (quipu: ContenderProcess) => {
    const found: Usage[] = []
    await placeOrders(quipu, ORDERS)
    for (const [index, count] of COUNTS.entries()) {
      for (let made = COUNTS[index - 1] ?? 0; made < count; made++) await addWorld(quipu)
      await sleep(SETTLE_MS)
      const { residentBytes } = await quipu.cost()
      found.push({ residentBytes, connections: await connections() })
    }
    return found
  }
  return withFolder((folder) => withQuipu(folder, measure, settings))
}

async function addWorld(quipu: ContenderProcess): Promise<void> {
  const world = await createWorld(quipu.ready, { seed: 'bench', durable: true })
  const responses = await load(world, anOrder, { connections: CONNECTIONS, calls: ORDERS })
  requireAllOk('orders', ORDERS, responses)
  await operate(quipu.ready, 'POST', `/${world.world}/clock/run`, { speed: 1 })
}

async function connectionsOf(cluster: Cluster): Promise<number> {
  const [found] = await cluster.run(
    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'quipu' AND pid <> pg_backend_pid()",
  )
  return Number(found!['count'])
}
