import { whileBusy } from './busy-client.ts'
import type { Headers, Ready } from './contender-process.ts'
import { allGood, load, percentile } from './load.ts'
import { anOrder, withFolder, withQuipu } from './quipu-process.ts'
import { median } from './rounds.ts'
import type { Row, Size } from './row.ts'

const PER_SECOND = 200
/** Enough for a 99th percentile of each round. */
const CALLS = 1000

type Round = {
  readonly aloneMs: number
  readonly besideMs: number
  /** Beside the same load in another process: what this machine allows at best. */
  readonly apartMs: number
  readonly busyPerSecond: number
}

/** (i) The slowest acknowledgements of a quiet world, alone and while another world is under full load. */
export async function twoWorlds({ rounds }: Size): Promise<readonly Row[]> {
  return withTwo(async (here, elsewhere) => {
    const seen = {
      durable: await alternate(rounds, () => durableQuiet(here, elsewhere)),
      virtual: await alternate(rounds, () => virtualQuiet(here, elsewhere)),
    }
    return [
      ...rowsOf('p99 of main beside a busy world', seen.durable),
      ...rowsOf('p99 of a virtual world beside a busy main', seen.virtual),
    ]
  })
}

/** Two processes of the product, each on its own folder. */
function withTwo<Value>(use: (here: Ready, elsewhere: Ready) => Promise<Value>): Promise<Value> {
  return withFolder((one) =>
    withFolder((other) =>
      withQuipu(one, (here) => withQuipu(other, (elsewhere) => use(here.ready, elsewhere.ready))),
    ),
  )
}

async function alternate(rounds: number, round: () => Promise<Round>): Promise<readonly Round[]> {
  await round()
  const seen: Round[] = []
  for (let turn = 1; turn <= rounds; turn++) {
    process.stderr.write(`\r  (i) round ${turn} of ${rounds}`.padEnd(60))
    seen.push(await round())
  }
  return seen
}

const durableQuiet = (here: Ready, elsewhere: Ready): Promise<Round> =>
  withWorld(here, (busy) => withWorld(elsewhere, (busyElsewhere) => round(here, busy, busyElsewhere)))

const virtualQuiet = (here: Ready, elsewhere: Ready): Promise<Round> =>
  withWorld(here, (quiet) => round(quiet, here, elsewhere))

async function round(quiet: Ready, busy: Ready, busyElsewhere: Ready): Promise<Round> {
  const aloneMs = await slowest(quiet)
  const beside = await whileBusy(busy, () => slowest(quiet))
  const apart = await whileBusy(busyElsewhere, () => slowest(quiet))
  return { aloneMs, besideMs: beside.value, apartMs: apart.value, busyPerSecond: beside.perSecond }
}

async function slowest(quiet: Ready): Promise<number> {
  const answers = await load(quiet, anOrder, { connections: 4, calls: CALLS, perSecond: PER_SECOND })
  allGood('the quiet world', CALLS, answers)
  return percentile(answers.latenciesMs, 0.99)
}

function rowsOf(name: string, seen: readonly Round[]): readonly Row[] {
  const middle = (of: (round: Round) => number) => median(seen.map(of))
  return [
    { row: 'i', name: `${name} / alone`, value: middle((r) => r.besideMs / r.aloneMs), goal: '≤ 2' },
    {
      row: 'i',
      name: `${name} / with that load in another process`,
      value: middle((r) => r.besideMs / r.apartMs),
      goal: '',
    },
    { row: 'i', name: `${name}, ms`, value: middle((r) => r.besideMs), goal: '' },
    { row: 'i', name: 'the same alone, ms', value: middle((r) => r.aloneMs), goal: '' },
    { row: 'i', name: 'orders a second of the busy one', value: middle((r) => r.busyPerSecond), goal: '' },
  ]
}

/** A virtual world of this process for as long as it is used, so that each round begins with an empty one. */
async function withWorld<Value>(of: Ready, use: (world: Ready) => Promise<Value>): Promise<Value> {
  const answer = await ask(of, 'POST', '', { seed: 'bench', start: '2026-01-05T15:00:00Z' })
  const { world, accounts } = (await answer.json()) as Made
  const [{ key_id, secret_key }] = accounts
  const headers: Headers = { 'APCA-API-KEY-ID': key_id, 'APCA-API-SECRET-KEY': secret_key }
  try {
    return await use({ port: of.port, headers })
  } finally {
    await ask(of, 'DELETE', `/${world}`)
  }
}

type Made = {
  readonly world: string
  readonly accounts: readonly [{ readonly key_id: string; readonly secret_key: string }]
}

async function ask(
  { port, operator }: Ready,
  method: string,
  path: string,
  body?: object,
): Promise<Response> {
  const answer = await fetch(`http://127.0.0.1:${port}/sim/v1/worlds${path}`, {
    method,
    headers: { ...operator, 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: received ${answer.status}`)
  return answer
}
