import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '../support/broker.ts'
import { command as quipu } from '../support/quipu-command.ts'
import { run } from './run-process.ts'

const span = ['--from', '2025-01-02T14:30:00Z', '--to', '2025-01-02T14:40:00Z']

/** Minute bars whose closes rise by a dollar. */
function bars(symbol: string, first: number): string {
  const file = join(newFolder(), `${symbol}_1Min.csv`)
  const rows = Array.from({ length: 10 }, (_, minute) => {
    const [open, close] = [first + minute, first + minute + 1]
    return `2025-01-02T14:${30 + minute}:00Z,${open},${close},${open},${close},5000`
  })
  writeFileSync(file, `${['time,open,high,low,close,volume', ...rows].join('\n')}\n`)
  return file
}

const program = `const headers = { 'APCA-API-KEY-ID': 'any', 'APCA-API-SECRET-KEY': 'any', 'content-type': 'application/json' }
  const call = async (url, init) => (await fetch(url, { ...init, headers })).json()
  setTimeout(async () => {
    const query = 'symbols=ZZTOP,QQOWN&timeframe=1Min&start=2025-01-02T14:30:00Z&end=2025-01-02T14:33:00Z'
    const { bars } = await call('https://data.alpaca.markets/v2/stocks/bars?' + query)
    console.log(JSON.stringify(Object.entries(bars).map(([symbol, of]) => [symbol, of.map(({ c }) => c)])))
    const order = { symbol: 'ZZTOP', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
    const placed = await call('https://paper-api.alpaca.markets/v2/orders', { method: 'POST', body: JSON.stringify(order) })
    setTimeout(async () => {
      const { filled_avg_price: price } = await call('https://paper-api.alpaca.markets/v2/orders/' + placed.id)
      console.log(price)
    }, 60_000)
  }, 300_000)`
const command = [process.execPath, '--input-type=module', '-e', program]

test('the prices of files are imported and replayed in one command', async () => {
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith('quipu-prices-'))
  const summary = join(newFolder(), 'summary.json')
  const prices = ['--prices', bars('ZZTOP', 100), '--prices', bars('QQOWN', 50)]
  const { code, stdout, stderr } = await run([...span, ...prices, '--summary', summary], command)
  assert.equal(code, 0, stderr)
  const [read, price] = stdout.trim().split('\n')
  assert.deepEqual(JSON.parse(read!), [
    ['QQOWN', [51, 52, 53, 54]],
    ['ZZTOP', [101, 102, 103, 104]],
  ])
  // At 14:35 the last close is 105.
  assert.ok(Math.abs(Number(price) - 105) < 1, price)
  const { replay, fills } = JSON.parse(readFileSync(summary, 'utf8'))
  assert.deepEqual([replay.mode, fills.length, fills[0].symbol], ['exact', 1, 'ZZTOP'])
  assert.match(stderr, /prices of ZZTOP_1Min\.csv, QQOWN_1Min\.csv: .*ZZTOP 10 bars of 1Min, 2025-01-02/)
  const after = readdirSync(tmpdir()).filter((name) => name.startsWith('quipu-prices-'))
  assert.deepEqual(after, before)
})

test('a bad row, a missing file and flags that do not fit are refused before the program starts', async () => {
  const none = [process.execPath, '-e', 'console.log("started")']
  const refusal = async (...flags: string[]) => {
    const { code, stdout, stderr } = await quipu(['run', ...flags, '--', ...none])
    assert.deepEqual([code === 0, stdout], [false, ''])
    return stderr
  }
  const file = bars('ZZTOP', 100)
  writeFileSync(file, readFileSync(file, 'utf8').replace(',5000', ',many'))
  assert.match(await refusal(...span, '--prices', file), /ZZTOP_1Min\.csv:2: /)
  assert.match(await refusal(...span, '--prices', 'none.csv'), /--prices: none\.csv does not exist/)
  assert.match(await refusal('--prices', file), /--prices needs --from/)
  assert.match(await refusal(...span, '--prices', file, '--seeds', '2'), /--prices is not for --seeds/)
  assert.match(
    await refusal(...span, '--prices', file, '--data', newFolder()),
    /--prices is for a broker of the run/,
  )
})
