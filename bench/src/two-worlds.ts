import { whileBusy } from './busy-client.ts'
import type { ContenderProcess, Ready } from './contender-process.ts'
import { allGood, load, percentile } from './load.ts'
import { anOrder, withFolder, withQuipu } from './quipu-process.ts'
import { median } from './rounds.ts'
import type { Row, Size } from './row.ts'
import { withWorld } from './virtual-world.ts'

const PER_SECOND = 200
/** Enough for a 99th percentile of each round. */
const CALLS = 1000

/** The 99th percentiles of a round: by the clock, and by what the answering thread worked meanwhile. */
type Slowest = { readonly ms: number; readonly micros: number }
type Round = { readonly alone: Slowest; readonly beside: Slowest; readonly busyPerSecond: number }

/** (i) The slowest acknowledgements of a quiet world, alone and while another world is under full load. */
export async function twoWorlds({ rounds }: Size): Promise<readonly Row[]> {
  return withFolder((folder) =>
    withQuipu(folder, async (quipu) => {
      const { ready } = quipu
      const durable = () => withWorld(ready, (busy) => round(quipu, ready, busy))
      const virtual = () => withWorld(ready, (quiet) => round(quipu, quiet, ready))
      const besideMain = await repeat(rounds, virtual)
      return [
        ...rowsOf('main beside a busy world', await repeat(rounds, durable)),
        ...rowsOf('a virtual world beside a busy main', besideMain),
        ...threadRowsOf('a virtual world beside a busy main', besideMain),
      ]
    }),
  )
}

/** The first warms up and does not count. */
async function repeat(rounds: number, round: () => Promise<Round>): Promise<readonly Round[]> {
  await round()
  const seen: Round[] = []
  for (let turn = 1; turn <= rounds; turn++) {
    process.stderr.write(`\r  (i) round ${turn} of ${rounds}`.padEnd(60))
    seen.push(await round())
  }
  return seen
}

async function round(quipu: ContenderProcess, quiet: Ready, busy: Ready): Promise<Round> {
  const alone = await slowest(quipu, quiet)
  const { value: beside, perSecond } = await whileBusy(busy, () => slowest(quipu, quiet))
  return { alone, beside, busyPerSecond: perSecond }
}

async function slowest(quipu: ContenderProcess, quiet: Ready): Promise<Slowest> {
  const keyId = quiet.headers['APCA-API-KEY-ID']!
  await quipu.waits(keyId)
  const answers = await load(quiet, anOrder, { connections: 4, calls: CALLS, perSecond: PER_SECOND })
  allGood('the quiet world', CALLS, answers)
  return { ms: percentile(answers.latenciesMs, 0.99), micros: percentile(await quipu.waits(keyId), 0.99) }
}

function rowsOf(name: string, seen: readonly Round[]): readonly Row[] {
  const middle = (of: (round: Round) => number) => median(seen.map(of))
  const row = (what: string, value: number, goal = ''): Row => ({ row: 'i', name: what, value, goal })
  return [
    row(
      `p99 of ${name} / alone, by the clock`,
      middle((r) => r.beside.ms / r.alone.ms),
      '≤ 2',
    ),
    row(
      'the same, ms',
      middle((r) => r.beside.ms),
    ),
    row(
      'orders a second of the busy one',
      middle((r) => r.busyPerSecond),
    ),
  ]
}

/** Only of a world that waits for no disk: there the thread works for others, and nobody waits for that. */
function threadRowsOf(name: string, seen: readonly Round[]): readonly Row[] {
  const value = median(seen.map(({ beside, alone }) => beside.micros / alone.micros))
  return [{ row: 'i', name: `p99 of ${name} / alone, by the thread's CPU`, value, goal: '≤ 2' }]
}
