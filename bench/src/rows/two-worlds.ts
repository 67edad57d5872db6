import { whileBusy } from '../busy-client.ts'
import { ContenderProcess, type Ready } from '../contender-process.ts'
import { load, percentile, requireAllOk } from '../load.ts'
import { anOrder, withFolder, withQuipu } from '../quipu-process.ts'
import { median } from '../rounds.ts'
import { type Row, rowsWith, type Size } from '../row.ts'
import { withWorld } from '../virtual-world.ts'

const row = rowsWith('i')
const PER_SECOND = 200
/** Enough calls for a 99th percentile in each round. */
const CALLS = 1000

/** The 99th percentiles of a round: by the clock, and by the CPU time of the main thread while orders waited. */
type Slowest = { readonly ms: number; readonly micros: number }
type Round = { readonly alone: Slowest; readonly beside: Slowest; readonly busyPerSecond: number }

/**
 * (i) The slowest acknowledgements of a quiet world, alone and while another world is under full load. The limit is a
 * bare echo in a separate process: its slowdown is caused by the machine alone.
 */
export async function twoWorlds(size: Size): Promise<readonly Row[]> {
  const echo = await ContenderProcess.start('echo.child.ts')
  try {
    return await withFolder((folder) => withQuipu(folder, (quipu) => measure(quipu, echo, size)))
  } finally {
    await echo.stop()
  }
}

async function measure(
  quipu: ContenderProcess,
  echo: ContenderProcess,
  { rounds }: Size,
): Promise<readonly Row[]> {
  const { ready } = quipu
  const durable = () => withWorld(ready, (busy) => round(quipu, ready, busy))
  const virtual = () => withWorld(ready, (quiet) => round(quipu, quiet, ready))
  const bare = () => round(echo, echo.ready, ready)
  const besideMain = await repeat(rounds, virtual)
  return [
    ...rowsOf('main beside a busy world', await repeat(rounds, durable)),
    ...rowsOf('a virtual world beside a busy main', besideMain),
    ...threadRowsOf('a virtual world beside a busy main', besideMain),
    ...rowsOf('a bare echo in a separate process beside a busy main', await repeat(rounds, bare), ''),
  ]
}

/** The first round is a warm-up and is not counted. */
async function repeat(rounds: number, round: () => Promise<Round>): Promise<readonly Round[]> {
  await round()
  const results: Round[] = []
  for (let turn = 1; turn <= rounds; turn++) {
    process.stderr.write(`\r  (i) round ${turn} of ${rounds}`.padEnd(60))
    results.push(await round())
  }
  return results
}

async function round(quipu: ContenderProcess, quiet: Ready, busy: Ready): Promise<Round> {
  const alone = await slowest(quipu, quiet)
  const { value: beside, perSecond } = await whileBusy(busy, () => slowest(quipu, quiet))
  return { alone, beside, busyPerSecond: perSecond }
}

async function slowest(quipu: ContenderProcess, quiet: Ready): Promise<Slowest> {
  const keyId = quiet.headers['APCA-API-KEY-ID'] ?? ''
  await quipu.waits(keyId)
  const answers = await load(quiet, anOrder, { connections: 4, calls: CALLS, perSecond: PER_SECOND })
  requireAllOk('the quiet world', CALLS, answers)
  return { ms: percentile(answers.latenciesMs, 0.99), micros: percentile(await quipu.waits(keyId), 0.99) }
}

function rowsOf(name: string, results: readonly Round[], goal = '≤ 2'): readonly Row[] {
  const medianOf = (of: (round: Round) => number) => median(results.map(of))
  return [
    row(
      `p99 of ${name} / alone, by the clock`,
      medianOf((r) => r.beside.ms / r.alone.ms),
      goal,
    ),
    row(
      'the same, ms',
      medianOf((r) => r.beside.ms),
    ),
    row(
      'orders a second of the busy world',
      medianOf((r) => r.busyPerSecond),
    ),
  ]
}

/** Only for a world without a disk: while an order waits for a disk, the thread works on other requests. */
function threadRowsOf(name: string, results: readonly Round[]): readonly Row[] {
  const medianOf = (of: (round: Round) => number) => median(results.map(of))
  const ratio = medianOf(({ beside, alone }) => beside.micros / alone.micros)
  return [
    row(`p99 of ${name} / alone, by the thread's CPU`, ratio, '≤ 2'),
    row(
      'the same, ms of the thread',
      medianOf(({ beside }) => beside.micros / 1000),
    ),
  ]
}
