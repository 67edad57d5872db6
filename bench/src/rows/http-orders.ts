import { ContenderProcess } from '../contender-process.ts'
import { load } from '../load.ts'
import { anOrder, CONNECTIONS, contender, placeOrders, withFolder, withQuipu } from '../quipu-process.ts'
import { alternate, type Figure } from '../rounds.ts'
import { type Row, rowsWith, type Size } from '../row.ts'

const row = rowsWith('a')
/**
 * Calls of each server before the first round, while V8 compiles. Beside a warm server, a new one took 27 % more CPU for
 * the first 4,000 orders, and 9 % more for the next.
 */
const WARM_UP_CALLS = 20_000

/** (a) Durable orders compared with a bare echo. */
export async function httpOrders(size: Size): Promise<readonly Row[]> {
  const echo = await ContenderProcess.start('echo.child.ts')
  try {
    return await withFolder((folder) => withQuipu(folder, (quipu) => compare(echo, quipu, size)))
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
    [
      contender('bare node:http echo', echo, echoed, { calls }),
      contender('durable orders', quipu, anOrder, { calls }),
    ],
    rounds,
  )
  const lag = await queryTablesLag(quipu)
  const [bare, durable] = figures as readonly [Figure, Figure]
  return [
    row('durable order / echo, CPU of the thread', durable.perThreadSecond / bare.perThreadSecond, '≥ 0.45'),
    row('durable order / echo, CPU of the process', durable.perCpuSecond / bare.perCpuSecond, '≥ 0.3'),
    row('lag of the query tables in events, one second later', lag, '0'),
  ]
}

async function queryTablesLag({ ready }: ContenderProcess): Promise<number> {
  await new Promise((resume) => setTimeout(resume, 1000))
  const response = await fetch(`http://127.0.0.1:${ready.port}/metrics`, { headers: { ...ready.operator } })
  const found = /quipu_query_tables_lag_events\{world="main"\} (\d+)/.exec(await response.text())
  if (!found) throw new Error('expected quipu_query_tables_lag_events in /metrics')
  return Number(found[1])
}
