import { ContenderProcess } from '../contender-process.ts'
import { type BenchRequest, load, requireAllOk } from '../load.ts'
import { anOrder, CONNECTIONS, withFolder, withQuipu } from '../quipu-process.ts'
import { alternate, type Contender, type Figure } from '../rounds.ts'
import type { Row, Size } from '../row.ts'

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
  const figures = await alternate(
    [
      contender('bare node:http echo', echo, () => ({ ...anOrder(), path: '/' }), CONNECTIONS, calls),
      ...grouping(quipu, calls),
    ],
    rounds,
  )
  const lag = await viewsLag(quipu)
  const [bare, durable, single] = figures as readonly [Figure, Figure, Figure]
  const ratio = (name: string, value: number, goal: string, row = 'a'): Row => ({ row, name, value, goal })
  return [
    ratio('durable order / echo, CPU of the thread', durable.perThreadSecond / bare.perThreadSecond, '≥ 0.5'),
    ratio('durable order / echo, CPU of the process', durable.perCpuSecond / bare.perCpuSecond, '≥ 0.3'),
    ratio('lag of the views in events, one second later', lag, '0'),
    ratio(
      '64 connections / one commit each, by the clock',
      durable.perSecond / single.perSecond,
      '≥ 10',
      'b',
    ),
    ratio('the same by CPU', durable.perCpuSecond / single.perCpuSecond, '', 'b'),
  ]
}

/** (b) on a slower disk, where orders wait for the sync and not for the CPU. */
async function onSlowerDisk(quipu: ContenderProcess, { rounds, calls }: Size): Promise<readonly Row[]> {
  const figures = await alternate(grouping(quipu, calls), rounds)
  const [durable, single] = figures as readonly [Figure, Figure]
  const name = `the same by the clock, each sync ${SLOWER_SYNC_MS} ms longer`
  return [{ row: 'b', name, value: durable.perSecond / single.perSecond, goal: '≥ 10' }]
}

const grouping = (quipu: ContenderProcess, calls: number): readonly Contender[] => [
  contender('durable orders', quipu, anOrder, CONNECTIONS, calls),
  contender('one commit per order', quipu, anOrder, 1, Math.ceil(calls / 8)),
]

async function viewsLag({ ready }: ContenderProcess): Promise<number> {
  await new Promise((resume) => setTimeout(resume, 1000))
  const answer = await fetch(`http://127.0.0.1:${ready.port}/metrics`, { headers: { ...ready.operator } })
  const found = /quipu_views_lag_events\{world="main"\} (\d+)/.exec(await answer.text())
  if (!found) throw new Error('expected quipu_views_lag_events in /metrics')
  return Number(found[1])
}

function contender(
  name: string,
  server: ContenderProcess,
  requestOf: () => BenchRequest,
  connections: number,
  calls: number,
): Contender {
  return {
    name,
    async round() {
      const before = await server.cost()
      const start = performance.now()
      const answers = await load(server.ready, requestOf, { connections, calls })
      const wallSeconds = (performance.now() - start) / 1000
      requireAllOk(name, calls, answers)
      const { cpuMicros, threadMicros } = await server.cost()
      return {
        calls,
        cpuSeconds: (cpuMicros - before.cpuMicros) / 1e6,
        threadSeconds: (threadMicros - before.threadMicros) / 1e6,
        wallSeconds,
      }
    },
  }
}
