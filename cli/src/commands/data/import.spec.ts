import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { emptyFolder } from '@quipu/broker/journal/testing/journal.ts'
import { run } from '../run.ts'

/** Runs a line in a separate data folder. Returns the exit code and the output, then notes after a bar. */
async function runLine(folder: string, ...line: readonly string[]): Promise<string> {
  const [printed, notes]: [string[], string[]] = [[], []]
  const exit = await run({
    line: [...line, '--data', join(folder, 'data')],
    env: {},
    print: (text) => printed.push(text),
    note: (text) => notes.push(text),
    width: Number.POSITIVE_INFINITY,
    isTerminal: false,
    prompt: () => Promise.reject(new Error('there is no terminal')),
  })
  return `${exit} ${printed.join('\n')}${notes.length > 0 ? `|${notes.join('\n')}` : ''}`
}

function fileIn(folder: string, name: string, content: string): string {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

const bars = 'timestamp,open,high,low,close\n1704205800,2,3,1,2\n1704205860,4,5,3,4\n'

test('imported data can be exported, and imported again', async () => {
  const folder = emptyFolder()
  const out = join(folder, 'out.csv')
  const output = await runLine(
    folder,
    'import',
    fileIn(folder, 'AAPL.csv', bars),
    fileIn(folder, 'MSFT.csv', bars),
  )
  assert.match(
    output,
    /^0 AAPL.csv: CSV, guessed: 2 rows of bars of 1Min \(by spacing\)\n {2}columns: time=timestamp, open=open/,
  )
  assert.match(output, /\nbars 1Min MSFT +2 +2 +2024-01-02 14:30:00 +2024-01-02 14:31:00$/)
  assert.equal(
    await runLine(folder, 'export', out, '--symbols', 'MSFT', '--end', '2024-01-02', '--limit', '1'),
    `0 ${out}: 1 row`,
  )
  assert.equal(
    readFileSync(out, 'utf8'),
    'symbol,timestamp,open,high,low,close,volume,trade_count,vwap\nMSFT,2024-01-02T14:30:00Z,2,3,1,2,,,\n',
  )
  const again = JSON.parse((await runLine(folder, 'import', out, '--frame', '1Min', '--json')).slice(2))
  assert.deepEqual([again.files[0].layout, again.series[0].added], ['alpaca-py bars', 0])
})

test('a dry run shows the first rows and missing bars', async () => {
  const folder = emptyFolder()
  const path = fileIn(folder, 'AAPL.csv', `${bars}1704206040,2,3,1,2\n`)
  const output = await runLine(folder, 'import', path, '--dry-run', '--frame', '1Min')
  assert.match(output, /AAPL +2024-01-02T14:30:00Z +2 +3 +1 +2/)
  assert.match(
    output,
    /2 bars missing in 1 gap; the longest:\n {2}2024-01-02T14:32:00Z to 2024-01-02T14:33:00Z: 2 bars/,
  )
  assert.match(output, /Nothing was stored: this was a dry run\.$/)
  assert.match(
    await runLine(folder, 'export', join(folder, 'x.csv'), '--symbols', 'AAPL'),
    /^2 \|quipu: there are no bars of 1Min of AAPL/,
  )
})

for (const [line, then] of [
  ['import', /^2 .*import: expected FILE/],
  ['import missing.csv', /^2 .*missing\.csv does not exist/],
  ['import CLOCK --kind candles', /^2 .*--kind: expected bars, trades or quotes, received candles/],
  ['import CLOCK --bad mend', /^2 .*--bad: expected skip or stop, received mend/],
  ['import CLOCK', /^1 .*AAPL\.csv:2: "2024-01-02 09:30:00" has no time zone; add --timezone/],
  ['import CLOCK --url http://127.0.0.1:1', /^2 .*set --data instead of --url or QUIPU_URL/],
  ['export x.csv --sort up', /^2 .*--sort: expected asc, desc, received up/],
  ['export x.csv --limit 0', /^2 .*--limit: expected a whole number/],
  ['export x.csv --start soon', /^2 .*--start: expected 2024-01-02/],
] as const)
  test(`quipu ${line}`, async () => {
    const folder = emptyFolder()
    const clock = fileIn(folder, 'AAPL.csv', 'timestamp,open,high,low,close\n2024-01-02 09:30:00,2,3,1,2\n')
    assert.match(await runLine(folder, ...line.replace('CLOCK', clock).split(' ')), then)
  })
