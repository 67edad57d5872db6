import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readRun, runPage, statisticsOf } from '../../sdk/src/runs/index.ts'
import { newFolder } from '../support/broker.ts'
import { runOnShared } from './run-on-shared.ts'
import { programs, run } from './run-process.ts'

const reference = join(import.meta.dirname, 'reference/figures.py')
const program = [process.execPath, join(programs, 'swing-bot.mjs')]

/** Runs the program over two months, and returns the path of its run file. */
async function backtest(
  flags: readonly string[],
  start = run,
): Promise<{ path: string; summary: Record<string, unknown> }> {
  const [runs, summary] = [newFolder(), join(newFolder(), 'summary.json')]
  const { code, stderr } = await start([...flags, '--runs', runs, '--summary', summary], program)
  assert.equal(code, 0, stderr)
  const [name] = readdirSync(runs)
  return { path: join(runs, name!), summary: JSON.parse(readFileSync(summary, 'utf8')) }
}

const span = ['--from', '2025-01-02', '--to', '2025-02-28', '--step', '1d', '--seed', 'report']

test('the figures of a backtest are those of an independent computation, and its provenance repeats it', async () => {
  const { path, summary } = await backtest(span)
  const file = await readRun(readFileSync(path))
  const { run: record, parts } = file
  const found = statisticsOf({ ...parts, fees: record.fees! })
  const expected = JSON.parse(execFileSync('python3', [reference, path], { encoding: 'utf8' }))
  const same = (name: string, value: number | undefined, of: number): void =>
    assert.ok(
      Math.abs((value ?? Number.NaN) - of) <= 1e-9 * Math.max(1, Math.abs(of)),
      `${name}: ${value}, ${of}`,
    )
  const { daily, trades, costs } = found

  assert.equal(found.days, 39)
  assert.deepEqual([found.days, found.closed], [expected.days, expected.closed])
  assert.ok(found.closed > 12)
  same('return', found.totalReturn, expected.return)
  same('drawdown', found.maxDrawdown, expected.drawdown)
  same('annual return', daily?.annualReturn, expected.annual)
  same('volatility', daily?.volatility, expected.volatility)
  same('win rate', trades?.winRate.value, expected.win_rate)
  same('holding time', trades!.meanHoldingMs / 1000, expected.holding)
  same('turnover', found.turnover, expected.turnover)
  same('spread', costs.spread, expected.spread)
  same('impact', costs.impact, expected.impact)
  same('slippage', costs.slippage, expected.slippage)
  same('fees', Math.round(expected.fees * 100), Math.round(costs.fees * 100))
  same('exposure', found.exposure?.mean, expected.exposure)
  assert.deepEqual(
    found.months.map(({ month }) => month),
    ['2025-01', '2025-02'],
  )
  for (const { month, value } of found.months) same(month, value, expected.months[month])
  for (const [name, estimate] of Object.entries({
    sharpe: daily?.sharpe,
    sortino: daily?.sortino,
    calmar: daily?.calmar,
    profit_factor: trades?.profitFactor,
  })) {
    const [value, low, high] = expected[name]
    same(name, estimate?.value, value)
    // Other random numbers give another interval, but not by much.
    for (const [ours, theirs] of [
      [estimate!.low, low],
      [estimate!.high, high],
    ])
      assert.ok(
        Math.abs(ours - theirs) < 0.16 * (high - low),
        `${name}: ${ours}, ${theirs} of ${low} to ${high}`,
      )
  }
  // The equity at the end follows from the fills, the fees and the last prices.
  assert.ok(Math.abs(expected.owned - parts.equity.at(-1)!.equity) < 0.011)
  assert.equal((summary['statistics'] as Record<string, number>)['total_return'], found.totalReturn)

  const page = runPage(file)
  for (const text of [
    'Sharpe ratio',
    'Returns by month',
    'buy and hold SPY',
    'Half of the spread',
    'Provenance',
  ])
    assert.ok(page.includes(text), text)
  assert.ok(page.includes(record.journal_hash!))
  const words = record.repeat!.split(' ')
  const dashes = words.indexOf('--')
  const again = await backtest(words.slice(2, dashes), runOnShared)
  const { run: second, parts: repeated } = await readRun(readFileSync(again.path))
  assert.deepEqual([second.fills_hash, second.profit_loss], [record.fills_hash, record.profit_loss])
  assert.deepEqual(repeated.equity, parts.equity)
})
