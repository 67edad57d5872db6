import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pythonWith } from '../programs/debian.ts'
import { newFolder } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { programs, run } from './run-process.ts'

/** Two hours of two symbols, 90 minutes of them in the session. */
const hours = ['--from', '2025-01-02T14:00:00Z', '--to', '2025-01-02T16:00:00Z', '--hours', 'nyse']
const days = ['--from', '2025-01-02', '--to', '2025-01-04', '--hours', 'nyse']

type Words = readonly [way: string, ordersEvery: number, timersEvery?: number, endsAfter?: number]

/** Runs `bars.py`. A recorded run gives the program each message at its time. */
async function follow(
  words: Words,
  flags: readonly string[],
  modules: readonly string[],
  isRecorded: boolean,
) {
  const folder = newFolder()
  const file = join(folder, 'summary.json')
  const record = isRecorded ? ['--record', join(folder, 'recording')] : []
  const command = [pythonWith(modules), join(programs, 'python', 'bars.py'), ...words.map(String)]
  const { code, stdout, stderr } = await run([...flags, '--summary', file, ...record], command)
  const { fills, orders, replay, ended_at: end } = JSON.parse(readFileSync(file, 'utf8'))
  const same = fills.map(({ order_id: _, ...fill }: { order_id: string }) => fill)
  const reports = Number(/^reports (\d+)$/m.exec(stderr)?.[1])
  return { result: { code, stdout, orders, end, fills: same, mode: replay.mode }, reports, stderr }
}

/** The same program with messages ahead, and without. */
async function bothWays(words: Words, flags = hours, modules: readonly string[] = ['ssl']) {
  const [ahead, inTime] = await Promise.all(
    [false, true].map((isRecorded) => follow(words, flags, modules, isRecorded)),
  )
  assert.deepEqual(ahead!.result, inTime!.result, ahead!.stderr)
  assert.equal(ahead!.result.mode, 'exact')
  const lines = ahead!.result.stdout.split('\n')
  const countOf = (word: string): number => lines.filter((line) => line.startsWith(`${word} `)).length
  return { ...ahead!.result, countOf, reports: [ahead!.reports, inTime!.reports] as const }
}

for (const way of ['asyncio', 'blocking'])
  test(`${way}: bars of days arrive before the broker has reached them, and the program sees and prints the same`, async () => {
    const { code, end, countOf, reports } = await bothWays([way, 0, 0, 3001], days)
    assert.deepEqual([code, countOf('bar'), end], [7, 3001, '2025-01-03T18:05:00Z'])
    const [ahead, inTime] = reports
    // Each of 1,500 instants needs a report, with messages in time.
    assert.ok(inTime >= 1500 && ahead < inTime / 10, `${ahead} and ${inTime} reports`)
  })

for (const way of ['asyncio', 'blocking'])
  test(`${way}: orders between bars that were given together are stored and filled at the time of their bar`, async () => {
    const { orders, fills, countOf } = await bothWays([way, 7, 0, 230])
    assert.deepEqual([countOf('bar'), countOf('order')], [230, 32])
    assert.deepEqual(orders, { filled: 32 })
    assert.equal(fills.length, 32)
  })

for (const way of ['asyncio', 'blocking'])
  test(`${way}: timers between two bars, and at the time of a bar, end at their time`, async () => {
    const { countOf } = await bothWays([way, 11, 10, 230])
    assert.equal(countOf('bar'), 230)
    assert.ok(countOf('timer') > 50)
  })

const libraries = {
  websockets: 'websockets',
  aiohttp: 'aiohttp',
  websocket: 'websocket',
  websocket_client: 'websocket',
}

for (const [way, module] of Object.entries(libraries))
  test(`a program with ${way} sees the same with messages ahead`, { skip: !hasAllCases }, async () => {
    const { countOf } = await bothWays([way, 7, 10, 230], hours, [module])
    assert.equal(countOf('bar'), 230)
  })
