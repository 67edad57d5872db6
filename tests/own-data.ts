import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from './broker.ts'
import { command } from './quipu-command.ts'

/** Two sessions of minutes of a symbol nobody lists, with a wave for a price. */
const START = Date.parse('2025-03-10T13:30:00Z')
export const rows = [0, 86_400_000].flatMap((day) =>
  Array.from({ length: 390 }, (_, minute) => {
    const middle = 20 + 2 * Math.sin(minute / 40)
    const [open, close] = [middle, 20 + 2 * Math.sin((minute + 1) / 40)].map((price) => price.toFixed(2))
    const high = (Math.max(Number(open), Number(close)) + 0.05).toFixed(2)
    const low = (Math.min(Number(open), Number(close)) - 0.05).toFixed(2)
    const time = new Date(START + day + minute * 60_000).toISOString()
    return [time, open, high, low, close, String(1000 + minute), '10', middle.toFixed(4)]
  }),
)
const csv = [
  'timestamp,open,high,low,close,volume,trade_count,vwap',
  ...rows.map((row) => row.join(',')),
].join('\n')

/** Those rows as a file. */
export const file = fileOf('ZQXW_1Min.csv', csv)

export function fileOf(name: string, content: string): string {
  const path = join(newFolder(), name)
  writeFileSync(path, `${content}\n`)
  return path
}

/** Runs a command on a data folder, which must succeed; gives its answer. */
export async function done(folder: string, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await command([...words, '--data', folder])
  assert.equal(code, 0, stderr)
  return stdout
}
