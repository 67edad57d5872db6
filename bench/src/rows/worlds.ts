import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ContenderProcess, Ready } from '../contender-process.ts'
import { type BenchRequest, load, percentile, requireAllOk } from '../load.ts'
import { anOrder, CONNECTIONS, withFolder, withQuipu } from '../quipu-process.ts'
import { median } from '../rounds.ts'
import { type Row, rowsWith, type Size } from '../row.ts'
import type { TurnsReport } from '../turn-lengths.ts'
import { createWorld, operate } from '../virtual-world.ts'

const row = rowsWith('j')
const WORLDS = 10_000
const MEASURED = 1000
const BUSY = 200
const ORDERS = 10_000
/** Forks per round. */
const FORKS = 4
/** Requests of the operator at the same time. */
const PARALLEL = 8
const SETTLE_MS = 500
/** Reads of `main` beside the load. */
const CALLS = 1000
const WARM_CALLS = 500

/** (j) The cost of a world, of 10,000 worlds and of a fork; and how long `main` waits while 200 worlds are busy. */
export async function manyWorlds({ rounds }: Size): Promise<readonly Row[]> {
  return withFolder((folder) =>
    withQuipu(folder, (quipu) => measure(quipu, rounds), [`worldsMax=${WORLDS + 100}`]),
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
    ...rowsOf(`beside ${BUSY} busy worlds`, waits.orders),
    ...rowsOf(`beside ${BUSY} worlds that are advanced`, waits.advances),
  ]
}

const rowsOf = (beside: string, { wait, turns }: Measured): readonly Row[] => [
  row(`turns ${beside}, ms of the thread's CPU: the longest`, turns.longest, '≤ 5'),
  row('the same: median', turns.median),
  row('the same: p99', turns.p99),
  row('the same: the longest with a scavenge', turns.longestScavenging),
  row('the same: the longest with another garbage collection', turns.longestCollecting),
  row(`wait of main ${beside}, ms of the thread's CPU: median`, wait.median, '≤ 5'),
  row('the same: p99', wait.p99),
  row('the same: the longest', wait.longest),
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

type Wait = { readonly median: number; readonly p99: number; readonly longest: number }
type Measured = { readonly wait: Wait; readonly turns: TurnsReport }

/** The waits while clients of all worlds place orders, and while the operator advances all worlds. */
async function waitsOfMain(
  quipu: ContenderProcess,
  busy: readonly CreatedBenchWorld[],
): Promise<{ readonly orders: Measured; readonly advances: Measured }> {
  const { value: orders } = await whileBusy(busy, () => besideLoad(quipu))
  let isOver = false
  const advancing = busy.map(async ({ world }) => {
    while (!isOver) await operate(quipu.ready, 'POST', `/${world}/clock/advance`, { by: '1d' })
  })
  const advances = await besideLoad(quipu)
  isOver = true
  await Promise.all(advancing)
  return { orders, advances }
}

/** A read: while an order of `main` waits for the disk, the thread works on other requests. */
const aRead = (): BenchRequest => ({ method: 'GET', path: '/v2/account' })

/**
 * The length of the turns while the load runs, and how long a read of `main` waits. The wait begins with the turn in
 * which the read may have arrived, so it has up to two turns. The first reads compile code and are not counted.
 */
async function besideLoad(quipu: ContenderProcess): Promise<Measured> {
  const keyId = quipu.ready.headers['APCA-API-KEY-ID'] ?? ''
  const read = async (calls: number) =>
    requireAllOk('main', calls, await load(quipu.ready, aRead, { connections: 4, calls, perSecond: 100 }))
  await read(WARM_CALLS)
  await quipu.waits(keyId)
  await quipu.startTurns()
  await read(CALLS)
  const turns = await quipu.turns()
  const waits = (await quipu.waits(keyId)).map((micros) => micros / 1000)
  return {
    turns,
    wait: { median: percentile(waits, 0.5), p99: percentile(waits, 0.99), longest: waits.at(-1)! },
  }
}

async function forkCost(quipu: ContenderProcess, rounds: number): Promise<number> {
  const parent: CreatedBenchWorld = await createWorld(quipu.ready, { seed: 'bench', cash: '10000000' })
  const ready: Ready = parent
  const options = { connections: CONNECTIONS, calls: ORDERS }
  requireAllOk('orders', ORDERS, await load(ready, anOrder, options))
  // The garbage of the orders is not a cost of the forks.
  await settledCost(quipu)
  const forks: number[] = []
  for (let made = 0; made < (rounds + 1) * FORKS; made++) {
    const before = await quipu.spent()
    await operate(quipu.ready, 'POST', `/${parent.world}/fork`, { world: 'copy' })
    const { cpuMicros } = await quipu.spent()
    forks.push((cpuMicros - before.cpuMicros) / 1000)
    await operate(quipu.ready, 'DELETE', '/copy')
  }
  await operate(quipu.ready, 'DELETE', `/${parent.world}`)
  // The first forks compile code.
  return median(forks.slice(FORKS))
}

/** Returns the second measurement, because the first includes the CPU time of a garbage collection. */
async function settledCost(quipu: ContenderProcess): Promise<Awaited<ReturnType<ContenderProcess['cost']>>> {
  await sleep(SETTLE_MS)
  await quipu.cost()
  return quipu.cost()
}

/** Time to open the connections and warm up the code. */
const WARM_MS = 500

/**
 * Calls `run` while another process puts a world under full load, or several worlds by one connection each; also returns
 * the calls per second of that load.
 */
async function whileBusy<Value>(
  ready: Ready | readonly Ready[],
  run: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly perSecond: number }> {
  const child = fork(join(import.meta.dirname, '..', 'busy-client.child.ts'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  child.send(ready)
  const startMs = performance.now()
  await sleep(WARM_MS)
  const value = await run()
  const seconds = (performance.now() - startMs) / 1000
  const report = once(child, 'message')
  child.send('stop')
  const [statuses] = (await report) as [readonly (readonly [number, number])[]]
  const [[status, calls] = [0, 0]] = statuses
  if (statuses.length !== 1 || status !== 200)
    throw new Error(`the busy world: expected responses of 200, received ${JSON.stringify(statuses)}`)
  return { value, perSecond: calls / seconds }
}
