import { ContenderProcess } from '../contender-process.ts'
import { load } from '../load.ts'
import { anOrder, CONNECTIONS, contender, placeOrders, withFolder, withQuipu } from '../quipu-process.ts'
import { alternate, type Contender, type Figure } from '../rounds.ts'
import { type Row, rowsWith, type Size } from '../row.ts'

const [rowA, rowB] = [rowsWith('a'), rowsWith('b')]
/**
 * Calls of each server before the first round, while V8 compiles. Beside a warm server, a new one took 27 % more CPU for
 * the first 4,000 orders, and 9 % more for the next.
 */
const WARM_UP_CALLS = 20_000
/** Added to each sync, for about the latency of a cloud volume or a consumer SSD. */
const SLOWER_SYNC_MS = 2

/** (a) Durable orders compared with a bare echo, and (b) compared with one commit per order. */
export async function httpOrders(size: Size): Promise<readonly Row[]> {
  const echo = await ContenderProcess.start('echo.child.ts')
  try {
    return [
      ...(await withFolder((folder) => withQuipu(folder, (quipu) => compare(echo, quipu, size)))),
      ...(await withFolder((folder) =>
        withQuipu(folder, (quipu) => onSlowerDisk(quipu, size), SLOWER_SYNC_MS),
      )),
    ]
  } finally {
    await echo.stop()
  }
}

async function compare(
  echo: ContenderProcess,
  quipu: ContenderProcess,
  { rounds, calls }: Size,
): Promise<readonly Row[]> {
  const echoed = () => ({ ...anOrder(), path: '/' })
  await load(echo.ready, echoed, { connections: CONNECTIONS, calls: WARM_UP_CALLS })
  await placeOrders(quipu, WARM_UP_CALLS)
  const figures = await alternate(
    [contender('bare node:http echo', echo, echoed, { calls }), ...grouping(quipu, calls)],
    rounds,
  )
  const lag = await viewsLag(quipu)
  const [bare, durable, single] = figures as readonly [Figure, Figure, Figure]
  return [
    rowA('durable order / echo, CPU of the thread', durable.perThreadSecond / bare.perThreadSecond, '≥ 0.45'),
    rowA('durable order / echo, CPU of the process', durable.perCpuSecond / bare.perCpuSecond, '≥ 0.3'),
    rowA('lag of the views in events, one second later', lag, '0'),
    rowB('64 connections / one commit each, by the clock', durable.perSecond / single.perSecond, '≥ 10'),
    rowB('the same by CPU', durable.perCpuSecond / single.perCpuSecond),
  ]
}

/** (b) on a slower disk, where orders wait for the sync and not for the CPU. */
async function onSlowerDisk(quipu: ContenderProcess, { rounds, calls }: Size): Promise<readonly Row[]> {
  const figures = await alternate(grouping(quipu, calls), rounds)
  const [durable, single] = figures as readonly [Figure, Figure]
  const name = `the same by the clock, each sync ${SLOWER_SYNC_MS} ms longer`
  return [rowB(name, durable.perSecond / single.perSecond, '≥ 10')]
}

const grouping = (quipu: ContenderProcess, calls: number): readonly Contender[] => [
  contender('durable orders', quipu, anOrder, { calls }),
  contender('one commit per order', quipu, anOrder, { connections: 1, calls: Math.ceil(calls / 8) }),
]

async function viewsLag({ ready }: ContenderProcess): Promise<number> {
  await new Promise((resume) => setTimeout(resume, 1000))
  const answer = await fetch(`http://127.0.0.1:${ready.port}/metrics`, { headers: { ...ready.operator } })
  const found = /quipu_views_lag_events\{world="main"\} (\d+)/.exec(await answer.text())
  if (!found) throw new Error('expected quipu_views_lag_events in /metrics')
  return Number(found[1])
}
