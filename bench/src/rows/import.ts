import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { importFiles } from '../../../broker/src/import/index.ts'
import { openStore } from '../../../broker/src/market/store/index.ts'
import { measure } from '../bare-world.ts'
import { withFolder } from '../quipu-process.ts'
import { alternate } from '../rounds.ts'
import { type Row, rowsWith, type Size } from '../row.ts'

const row = rowsWith('k')
const BARS = 400_000
const FIRST = Date.UTC(2020, 0, 2, 14, 30)
const MINUTE = 60_000

/** (k) Import of CSV minute bars, and the bytes per bar in the store, for a stock and a cryptocurrency. */
export function importing({ rounds }: Size): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const [equity, crypto] = [join(folder, 'AAPL_1Min.csv'), join(folder, 'BTC-USD_1Min.csv')]
    writeFileSync(equity, equityMinutes())
    writeFileSync(crypto, cryptoMinutes())
    const [ours, plain] = await alternate(
      [
        { name: 'import', round: () => measure(BARS, () => importBars(folder, equity)) },
        { name: 'split and Number', round: () => measure(BARS, async () => splitAndNumber(equity)) },
      ],
      rounds,
    )
    const speed = ours!.perCpuSecond
    return [
      row('import CSV bars per CPU second', speed, '≥ 400,000'),
      row('the same, against reading the file by split and Number', speed / plain!.perCpuSecond),
      row('bytes per bar on disk, equity', await importBars(folder, equity), '≤ 24'),
      row('bytes per bar on disk, crypto', await importBars(folder, crypto), '≤ 40'),
    ]
  })
}

/** Imports a file and returns the bytes per bar. */
async function importBars(folder: string, file: string): Promise<number> {
  const path = join(folder, 'market')
  const store = openStore(path)
  try {
    await importFiles(store, [file])
    const [series] = store.list()
    if (series?.rows !== BARS) throw new Error(`expected ${BARS} bars, found ${series?.rows}`)
    return series.bytes / series.rows
  } finally {
    store.close()
    rmSync(path, { recursive: true, force: true })
  }
}

/** The simplest way to read the file; it stores nothing. */
function splitAndNumber(file: string): void {
  const rows = readFileSync(file, 'utf8').split('\n').slice(1, -1)
  const columns = Array.from({ length: 8 }, () => new Float64Array(rows.length))
  for (const [row, text] of rows.entries()) {
    const cells = text.split(',')
    columns[0]![row] = Date.parse(cells[1]!)
    for (let column = 1; column < 8; column++) columns[column]![row] = Number(cells[column + 1])
  }
}

const HEAD = 'symbol,timestamp,open,high,low,close,volume,trade_count,vwap\n'

/** The CSV format of alpaca-py: sessions of 390 minutes, cents, an average price of six decimals. */
export function equityMinutes(): string {
  const random = seededRandom()
  let [text, close] = [HEAD, 18_734]
  for (let bar = 0; bar < BARS; bar++) {
    const open = close + Math.round((random() - 0.5) * 4)
    close = Math.max(2_000, open + Math.round((random() - 0.5) * 40))
    const [high, low] = [
      Math.max(open, close) + Math.floor(random() * 12),
      Math.min(open, close) - Math.floor(random() * 12),
    ]
    const volume = 100 + Math.floor(random() * random() * 200_000)
    const average = ((low + (high - low) * random()) / 100).toFixed(6)
    const at = FIRST + (Math.floor(bar / 390) * 1440 + (bar % 390)) * MINUTE
    const prices = [open, high, low, close].map((cents) => cents / 100).join(',')
    text += `AAPL,${stamp(at)},${prices},${volume}.0,${Math.ceil(volume / 90)}.0,${average}\n`
  }
  return text
}

/** Around the clock: tenths of a cent, fractional volumes of nine decimals, averages of ten. */
function cryptoMinutes(): string {
  const random = seededRandom()
  let [text, close] = [HEAD, 45_211_301]
  for (let bar = 0; bar < BARS; bar++) {
    const open = close + Math.round((random() - 0.5) * 2_000)
    close = Math.max(9_000_000, open + Math.round((random() - 0.5) * 60_000))
    const high = Math.max(open, close) + Math.floor(random() * 9_000)
    const low = Math.min(open, close) - Math.floor(random() * 9_000)
    const average = ((low + (high - low) * random()) / 1000).toFixed(10)
    const prices = [open, high, low, close].map((mills) => mills / 1000).join(',')
    text += `BTC/USD,${stamp(FIRST + bar * MINUTE)},${prices},${(random() * 12).toFixed(9)},${Math.floor(random() * 300)}.0,${average}\n`
  }
  return text
}

const stamp = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}+00:00`

/** The same numbers in each run. */
function seededRandom(): () => number {
  let state = 12_345
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}
