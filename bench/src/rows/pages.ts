import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { importFiles } from '../../../broker/src/import/index.ts'
import { openStore } from '../../../broker/src/market/store/index.ts'
import { ContenderProcess } from '../contender-process.ts'
import { load, requireAllOk } from '../load.ts'
import { cpuRound, withFolder, withQuipu } from '../quipu-process.ts'
import { alternate, type Contender, type Figure } from '../rounds.ts'
import { type Row, rowsWith, type Size } from '../row.ts'
import { operate } from '../virtual-world.ts'
import { equityMinutes } from './import.ts'

const row = rowsWith('l')
const PAGE = 10_000
/** Pages of a round: more blocks than the cache of the store holds, so that each is read from the disk. */
const PAGES = 39
const [STORED, SYNTHETIC] = ['AAPL', 'MSFT']
const MINUTE = 60_000
const DAY = 1440 * MINUTE

/** (l) A page of 10,000 minute bars, compared with bare node:http. */
export function pages({ rounds }: Size): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    await importMinutes(folder)
    return withQuipu(folder, async (quipu) => {
      await useImportedData(quipu)
      return compareWithBare(folder, quipu, rounds)
    })
  })
}

async function importMinutes(folder: string): Promise<void> {
  const file = join(folder, `${STORED}_1Min.csv`)
  writeFileSync(file, equityMinutes())
  const store = openStore(join(folder, 'market'))
  try {
    await importFiles(store, [file])
  } finally {
    store.close()
  }
}

/** Imported data has no effect until the world uses it. */
async function useImportedData({ ready }: ContenderProcess): Promise<void> {
  await operate(ready, 'POST', '/main/data', { symbols: [STORED] })
}

async function compareWithBare(
  folder: string,
  quipu: ContenderProcess,
  rounds: number,
): Promise<readonly Row[]> {
  const file = join(folder, 'page.json')
  writeFileSync(file, await onePage(quipu, pathOf(STORED, storedStart(0, 0))))
  const bare = await ContenderProcess.start('page.child.ts', [file])
  try {
    let round = 0
    const figures = await alternate(
      [
        contender('bare node:http', bare, () => '/'),
        contender('served before', quipu, () => pathOf(STORED, storedStart(0, 0))),
        contender('stored', quipu, (page) => {
          if (page === 0) round++
          return pathOf(STORED, storedStart(page, round))
        }),
        contender('synthetic', quipu, (page) => pathOf(SYNTHETIC, syntheticStart(page, round))),
      ],
      rounds,
    )
    return rowsOf(figures)
  } finally {
    await bare.stop()
  }
}

function rowsOf(figures: readonly Figure[]): readonly Row[] {
  const [bare, before, stored, synthetic] = figures.map(({ perCpuSecond }) => perCpuSecond) as [
    number,
    number,
    number,
    number,
  ]
  const ms = (perCpuSecond: number): number => 1000 / perCpuSecond
  return [
    row('page of 10,000 bars served before / bare', before / bare, '≥ 0.5'),
    row('page from the store, first read / bare', stored / bare, '≥ 0.08'),
    row('cost of a synthetic page / a stored one', stored / synthetic, '≤ 3'),
    row('ms of CPU of a page: bare', ms(bare)),
    row('served before', ms(before)),
    row('stored', ms(stored)),
    row('synthetic', ms(synthetic)),
  ]
}

/** A page of past bars, which never change. */
const pathOf = (symbol: string, start: number): string =>
  `/v2/stocks/${symbol}/bars?timeframe=1Min&limit=${PAGE}&start=${new Date(start).toISOString()}&end=2025-12-31`

/** The start of a stored page; it moves by a minute each round, so that every page is new. */
const storedStart = (page: number, round: number): number => {
  const bar = page * PAGE
  return Date.UTC(2020, 0, 2, 14, 30) + Math.floor(bar / 390) * DAY + (bar % 390) * MINUTE + round * MINUTE
}

/** The start of a synthetic page that was not requested before. */
const syntheticStart = (page: number, round: number): number =>
  Date.UTC(2000, 0, 3) + (round * PAGES + page) * 14 * DAY

async function onePage({ ready }: ContenderProcess, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${ready.port}${path}`, { headers: ready.headers })
  const text = await response.text()
  const { bars } = JSON.parse(text) as { readonly bars: readonly unknown[] }
  if (bars.length !== PAGE) throw new Error(`expected ${PAGE} bars, received ${bars.length}`)
  return text
}

function contender(name: string, server: ContenderProcess, path: (page: number) => string): Contender {
  return {
    name,
    round: () =>
      cpuRound(server, PAGES, async () => {
        const requestOf = (page: number) => ({ method: 'GET', path: path(page) }) as const
        requireAllOk(name, PAGES, await load(server.ready, requestOf, { connections: 1, calls: PAGES }))
      }),
  }
}
