import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from './broker.ts'
import { command } from './quipu-command.ts'

/** Minute bars of two sessions for a symbol that no market lists; the price is a sine wave. */
const START = Date.parse('2025-03-10T13:30:00Z')
export const barRows = [0, 86_400_000].flatMap((day) =>
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
  ...barRows.map((row) => row.join(',')),
].join('\n')

/** The bars as a CSV file. */
export const barsFile = newFile('ZQXW_1Min.csv', csv)

export function newFile(name: string, content: string): string {
  const path = join(newFolder(), name)
  writeFileSync(path, `${content}\n`)
  return path
}

/** Runs a command on a data folder, asserts success, and returns its output. */
export async function runOn(folder: string, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await command([...words, '--data', folder])
  assert.equal(code, 0, stderr)
  return stdout
}
