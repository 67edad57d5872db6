import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Cluster } from '../../../../broker/src/postgres/testing/server.ts'
import type { ContenderProcess, Ready } from '../../contender-process.ts'
import { load, requireAllOk } from '../../load.ts'
import { anOrder } from '../../quipu-process.ts'
import { median } from '../../rounds.ts'
import { type Row, rowsWith, type Size } from '../../row.ts'
import { newDurableWorld, withNodes } from './nodes.ts'

const row = rowsWith('small')
const WORLDS = 16
/** Orders a second of all worlds together. */
const RATES = [80, 400] as const
const SECONDS = 5

/**
 * The CPU time of a node and of PostgreSQL for the same orders a second: in 16 durable worlds, which store each order
 * separately, and in one, which stores orders in groups. All worlds are open in both cases.
 */
export async function smallWorlds({ rounds }: Size): Promise<readonly Row[]> {
  const postgres = await Cluster.start()
  try {
    const store = await postgres.database('small')
    const [{ data_directory: folder }] = (await postgres.run('SHOW data_directory')) as [Folder]
    return await withNodes([store], ([node]) => measure(node!, folder, rounds))
  } finally {
    await postgres.stop()
  }
}

type Folder = { readonly data_directory: string }

async function measure(node: ContenderProcess, folder: string, rounds: number): Promise<readonly Row[]> {
  const worlds: Ready[] = []
  for (let made = 0; made < WORLDS; made++) worlds.push(await newDurableWorld(node))
  const micros = async () => (await node.spent()).cpuMicros + postgresMicros(folder)
  const rows: Row[] = []
  for (const rate of RATES) {
    const ratios: number[] = []
    // The first round is a warm-up and is not counted.
    for (let turn = 0; turn <= rounds; turn++) {
      process.stderr.write(`\r  (small) ${rate} orders a second, round ${turn} of ${rounds}`.padEnd(60))
      const start = await micros()
      await place(
        worlds.map(() => worlds[0]!),
        rate,
      )
      const between = await micros()
      await place(worlds, rate)
      const ratio = ((await micros()) - between) / (between - start)
      if (turn > 0) ratios.push(ratio)
    }
    rows.push(
      row(`${rate} orders a second in ${WORLDS} worlds / in one, CPU with PostgreSQL`, median(ratios), '≤ 2'),
    )
  }
  return rows
}

/** Each target gets the same part of the rate. The orders of all targets arrive one after the other. */
async function place(targets: readonly Ready[], rate: number): Promise<void> {
  const perSecond = rate / targets.length
  const calls = perSecond * SECONDS
  await Promise.all(
    targets.map(async (target, number) => {
      await sleep((number / rate) * 1000)
      requireAllOk('orders', calls, await load(target, anOrder, { connections: 1, calls, perSecond }))
    }),
  )
}

/** The unit of times in /proc, on every kernel. */
const MICROS_PER_TICK = 10_000

/** The CPU time of a PostgreSQL server, with its ended processes. */
function postgresMicros(folder: string): number {
  const [pid] = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(name) ?? [])
  const of = stats.filter(({ id, parent }) => id === pid || parent === pid)
  const ticks = of.map(({ id, times: [user, system, endedUser, endedSystem] }) =>
    id === pid ? user + system + endedUser + endedSystem : user + system,
  )
  return ticks.reduce((sum, one) => sum + one, 0) * MICROS_PER_TICK
}

type Stat = {
  readonly id: string
  readonly parent: string
  readonly times: readonly [number, number, number, number]
}

function statOf(id: string): Stat | undefined {
  try {
    const fields = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    const times = fields.slice(11, 15).map(Number) as unknown as Stat['times']
    return { id, parent: fields[1]!, times }
  } catch {
    // The process has ended meanwhile.
    return undefined
  }
}
