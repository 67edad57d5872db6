import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ContenderProcess } from '../contender-process.ts'
import { placeOrders, withFolder } from '../quipu-process.ts'
import { type Row, rowsWith, type Size } from '../row.ts'
import { type StoredState, storedOrders } from '../stored-orders.ts'

const row = rowsWith('f')
const POLL_MS = 200
const SNAPSHOT_MAX_MS = 600_000

/** (f) From the start of the process to the first order answered: on an empty folder, and with many orders in it. */
export async function starting({ orders, rounds }: Size): Promise<readonly Row[]> {
  const empty = (cache: string) =>
    withFolder((folder) => firstOrder(folder, (quipu) => quipu.stop(), { NODE_COMPILE_CACHE: cache }))
  const cold = () => withFolder(empty)
  const [withCold, withWarm] = await withFolder(async (cache) => {
    // The first start fills the cache.
    await empty(cache)
    return [await best(rounds, cold), await best(rounds, () => empty(cache))] as const
  })
  return [
    ...both('start to first order, empty folder, warm compile cache', withWarm, '≤ 1'),
    ...both('start to first order, empty folder, cold compile cache', withCold, ''),
    ...(await recovering(orders, 'closed', { snapshot: '≤ 5 at 1,000,000', journal: '≤ 20 at 1,000,000' })),
    ...(await recovering(orders, 'open', { snapshot: '', journal: '' })),
  ]
}

/** Recovers from the snapshot and from the journal. The last process stops cleanly and restores the snapshot. */
async function recovering(
  orders: number,
  state: StoredState,
  goal: { readonly snapshot: string; readonly journal: string },
): Promise<readonly Row[]> {
  const folder = await storedOrders(orders, state)
  const snapshot = await best(2, () => firstOrder(folder, (quipu) => quipu.kill()))
  dropSnapshots(folder)
  const journal = await firstOrder(folder, async (quipu) => {
    await waitForSnapshot(folder)
    await quipu.stop()
  })
  const of = `${orders} orders, ${state === 'open' ? 'all' : '1 %'} open`
  return [
    ...both(`start to first order, ${of}, by snapshot`, snapshot, goal.snapshot),
    ...both(`start to first order, ${of}, by journal`, journal, goal.journal),
  ]
}

type Seconds = { readonly clock: number; readonly cpu: number }

const both = (name: string, { clock, cpu }: Seconds, goal: string): readonly Row[] => [
  row(`${name}, s`, clock, goal),
  row(`${name}, s of CPU`, cpu),
]

/** The fastest of several turns, because other work of the machine only makes a start slower. */
async function best(turns: number, measure: () => Promise<Seconds>): Promise<Seconds> {
  let found = await measure()
  for (let turn = 1; turn < turns; turn++) {
    const again = await measure()
    if (again.clock < found.clock) found = again
  }
  return found
}

async function firstOrder(
  folder: string,
  then: (quipu: ContenderProcess) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<Seconds> {
  const start = performance.now()
  const quipu = await ContenderProcess.start('quipu.child.ts', [folder], env)
  await placeOrders(quipu, 1)
  const clock = (performance.now() - start) / 1000
  const { cpuMicros } = await quipu.spent()
  await then(quipu)
  return { clock, cpu: cpuMicros / 1e6 }
}

const snapshotsOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.snapshot'))

function dropSnapshots(folder: string): void {
  const found = snapshotsOf(folder)
  if (found.length === 0) throw new Error('expected a snapshot in the folder')
  for (const name of found) rmSync(join(folder, name))
}

/** Waits for the snapshot that the query tables thread writes when it has read the whole journal. */
async function waitForSnapshot(folder: string): Promise<void> {
  for (let waitedMs = 0; snapshotsOf(folder).length === 0; waitedMs += POLL_MS) {
    if (waitedMs > SNAPSHOT_MAX_MS) throw new Error('no snapshot was written; use more --orders')
    await sleep(POLL_MS)
  }
}
