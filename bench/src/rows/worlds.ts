import { setTimeout as sleep } from 'node:timers/promises'
import { whileBusy } from '../busy-client.ts'
import type { ContenderProcess, Ready } from '../contender-process.ts'
import { type BenchRequest, load, percentile, requireAllOk } from '../load.ts'
import { anOrder, CONNECTIONS, withFolder, withQuipu } from '../quipu-process.ts'
import { median } from '../rounds.ts'
import { type Row, rowsWith, type Size } from '../row.ts'
import { createWorld, operate } from '../virtual-world.ts'

const row = rowsWith('j')
const WORLDS = 10_000
const MEASURED = 1000
const BUSY = 200
const ORDERS = 10_000
/** Requests of the operator at the same time. */
const PARALLEL = 8
const SETTLE_MS = 500

/** (j) The cost of a world, of 10,000 worlds and of a fork; and how long `main` waits while 200 worlds are busy. */
export async function manyWorlds({ rounds }: Size): Promise<readonly Row[]> {
  return withFolder((folder) =>
    withQuipu(folder, (quipu) => measure(quipu, rounds), 0, [`worldsMax=${WORLDS + 100}`]),
  )
}

async function measure(quipu: ContenderProcess, rounds: number): Promise<readonly Row[]> {
  const busy = await create(quipu, BUSY)
  const waits = await waitsOfMain(quipu, busy)
  const forks = await forkCost(quipu, rounds)
  const before = await settledCost(quipu)
  await create(quipu, MEASURED)
  const after = await settledCost(quipu)
  await create(quipu, WORLDS - MEASURED - BUSY)
  const all = await settledCost(quipu)
  const each = (cost: 'threadMicros' | 'heapBytes'): number => (after[cost] - before[cost]) / 1000 / MEASURED
  return [
    row('a new world over HTTP: ms of main-thread CPU', each('threadMicros'), '≤ 2'),
    row('a new world: kB of heap', each('heapBytes'), '≤ 100'),
    row(`${WORLDS} worlds: MB of resident memory`, all.residentBytes / 1e6, '≤ 1500'),
    row(`fork of a world with ${ORDERS} open orders over HTTP: ms of CPU`, forks, '≤ 20'),
    ...rowsOf(`main beside ${BUSY} busy worlds`, waits.orders),
    ...rowsOf(`main beside ${BUSY} worlds that are advanced`, waits.advances),
  ]
}

const rowsOf = (name: string, { median: half, p99 }: Wait): readonly Row[] => [
  row(`median of ${name}, ms of the thread's CPU`, half, '≤ 5'),
  row('the same, p99: with garbage collections', p99),
]

/** Creates worlds; returns the key of each. */
async function create({ ready }: ContenderProcess, count: number): Promise<readonly CreatedBenchWorld[]> {
  const created: CreatedBenchWorld[] = []
  let begun = 0
  const worker = async () => {
    while (begun++ < count) created.push(await createWorld(ready, { seed: 'bench' }))
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
  return created
}
type CreatedBenchWorld = Awaited<ReturnType<typeof createWorld>>

type Wait = { readonly median: number; readonly p99: number }

/** The waits while clients of all worlds place orders, and while the operator advances all worlds. */
async function waitsOfMain(
  quipu: ContenderProcess,
  busy: readonly CreatedBenchWorld[],
): Promise<{ readonly orders: Wait; readonly advances: Wait }> {
  const { value: orders } = await whileBusy(busy, () => waitMs(quipu))
  let isOver = false
  const advancing = busy.map(async ({ world }) => {
    while (!isOver) await operate(quipu.ready, 'POST', `/${world}/clock/advance`, { by: '1d' })
  })
  const advances = await waitMs(quipu)
  isOver = true
  await Promise.all(advancing)
  return { orders, advances }
}

/** A read: while an order of `main` waits for the disk, the thread works on other requests. */
const aRead = (): BenchRequest => ({ method: 'GET', path: '/v2/account' })

/** How long a read waits. The measure begins with the turn before its own, so it has up to two turns. */
async function waitMs(quipu: ContenderProcess): Promise<Wait> {
  const keyId = quipu.ready.headers['APCA-API-KEY-ID'] ?? ''
  await quipu.waits(keyId)
  const calls = 1000
  requireAllOk('main', calls, await load(quipu.ready, aRead, { connections: 4, calls, perSecond: 100 }))
  const waits = await quipu.waits(keyId)
  return { median: percentile(waits, 0.5) / 1000, p99: percentile(waits, 0.99) / 1000 }
}

async function forkCost(quipu: ContenderProcess, rounds: number): Promise<number> {
  const parent: CreatedBenchWorld = await createWorld(quipu.ready, { seed: 'bench', cash: '10000000' })
  const ready: Ready = parent
  const options = { connections: CONNECTIONS, calls: ORDERS }
  requireAllOk('orders', ORDERS, await load(ready, anOrder, options))
  const forks: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const before = await quipu.cpuMicros()
    await operate(quipu.ready, 'POST', `/${parent.world}/fork`, { world: 'copy' })
    forks.push(((await quipu.cpuMicros()) - before) / 1000)
    await operate(quipu.ready, 'DELETE', '/copy')
  }
  await operate(quipu.ready, 'DELETE', `/${parent.world}`)
  // The first fork compiles the code.
  return median(forks.slice(1))
}

/** Returns the second measurement, because the first includes the CPU time of a garbage collection. */
async function settledCost(quipu: ContenderProcess): Promise<Awaited<ReturnType<ContenderProcess['cost']>>> {
  await sleep(SETTLE_MS)
  await quipu.cost()
  return quipu.cost()
}
