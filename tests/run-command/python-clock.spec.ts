import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pythonWith } from '../programs/debian.ts'
import { newFolder } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { programs, run } from './run-process.ts'

const python = pythonWith(['ssl'])
const days = ['--from', '2025-01-02', '--to', '2025-01-03', '--hours', 'nyse']
/** From 14:30 to 16:30 in New York. */
const hours = ['--from', '2025-01-02T19:30:00Z', '--to', '2025-01-02T21:30:00Z', '--hours', 'nyse']
const MINUTES = 2 * 60
const OPEN_MINUTES = 90

/** Runs a program of the folder `python`. It ends with an error if the broker's clock is not its own. */
async function follow(
  name: string,
  flags: readonly string[],
  more: readonly string[] = [],
  interpreter = python,
  timeoutMs?: number,
) {
  const file = join(newFolder(), 'summary.json')
  const command = [interpreter, join(programs, 'python', name), ...more]
  const { code, stdout, stderr } = await run([...flags, '--summary', file], command, {
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
  const summary = () => JSON.parse(readFileSync(file, 'utf8'))
  return { code, stdout, stderr, summary }
}

/** Without what the broker draws. */
const fillsOf = (summary: { readonly fills: readonly Record<string, unknown>[] }) =>
  summary.fills.map(({ symbol, side, qty, price, transaction_time }) => [
    symbol,
    side,
    qty,
    price,
    transaction_time,
  ])

/** The seconds that each wait of `waits.py` takes, where its name does not end with them. */
const exceptions: Readonly<Record<string, number>> = { busy_loop: 0.05, lock_loop_2: 0.002 }

async function everyWaitIsExact(): Promise<void> {
  const { code, stdout, stderr, summary } = await follow('waits.py', days)
  assert.equal(code, 0, stderr)
  const lines = stdout.trim().split('\n')
  assert.equal(lines.pop(), 'end', stderr)
  assert.equal(lines.length, 35)
  for (const line of lines) {
    const [name = '', took] = line.split(' ')
    assert.equal(Number(took), exceptions[name] ?? Number(/\d+$/.exec(name)![0]), line)
  }
  const { mode, inexact, waits } = summary().replay
  // It has ended by itself, before the end of the span.
  assert.ok(waits > lines.length, `${waits} waits`)
  assert.equal(mode, 'not_exact')
  // Loops that wait for the clock are named, and nothing else.
  assert.match(inexact.join('\n'), /^a loop reads .* \(lock_loop_2\)\na loop reads .* \(busy_loop\)$/)
}

test(
  'Python waits by the clock of the world in every way: sleeps, threads, event loops, alarms, processes',
  everyWaitIsExact,
)

test('a polling program makes the requests that its own loop makes, and two runs are equal', async () => {
  const [first, second] = await Promise.all([follow('poll.py', hours), follow('poll.py', hours)])
  assert.equal(first.code, 0, first.stderr)
  const looks = first.stdout.split('\n').filter((line) => line.startsWith('look'))
  assert.equal(looks.length, MINUTES + 1)
  const { requests, orders, replay } = first.summary()
  assert.deepEqual(orders, { filled: 2 })
  assert.equal(requests, MINUTES + 1 + OPEN_MINUTES + 2)
  assert.deepEqual([replay.mode, replay.inexact, replay.slept_steps], ['exact', [], 0])
  assert.equal(second.stdout, first.stdout)
  assert.deepEqual(fillsOf(second.summary()), fillsOf(first.summary()))
})

async function ordersAreEqual(): Promise<void> {
  const [first, second] = await Promise.all([follow('threads.py', hours), follow('threads.py', hours)])
  assert.equal(first.code, 0, first.stderr)
  const orders = first.stdout.split('\n').filter((line) => line.startsWith('order'))
  // Four symbols at 14:30, 15:00 and 15:30.
  assert.equal(orders.length, 4 * 3)
  assert.equal(first.summary().replay.mode, 'exact')
  assert.equal(second.stdout, first.stdout)
  assert.deepEqual(fillsOf(second.summary()), fillsOf(first.summary()))
}

test('threads that hand each other work send their orders in the same order in two runs', ordersAreEqual)

test('a response that nobody reads does not stop the clock, and the address of the environment leads to the broker', async () => {
  const { code, stdout, stderr, summary } = await follow('connections.py', hours, [], python, 30_000)
  assert.equal(code, 0, stderr)
  assert.equal(stdout, ['14:30', '14:40', '14:50'].map((at) => `2025-01-02T${at}\n`).join(''))
  assert.equal(summary().replay.mode, 'exact')
})

test('a wait in foreign code is named, and with --exact the exit code is 71', async () => {
  const span = ['--from', '2025-01-02', '--to', '2025-01-02T12:00:00Z', '--hours', 'nyse', '--exact']
  const { code, stderr, summary } = await follow('foreign.py', span)
  assert.equal(code, 71, stderr)
  const reason = 'the clock did not wait for what the program waits for, at foreign.py:9 (<module>)'
  assert.deepEqual(summary().replay.inexact, [reason])
  assert.match(stderr, new RegExp(`not exact: ${reason.replace(/[()]/g, '\\$&')}`))
})

test('a program in another language that slept through the steps says so in the first line', async () => {
  const script = 'curl -s https://paper-api.alpaca.markets/v2/clock >/dev/null; sleep 2'
  const { code, stderr } = await run(hours, ['sh', '-c', script])
  assert.equal(code, 0, stderr)
  assert.match(stderr, /^quipu run: 1 request, .*; it slept through \d+ of \d+ steps$/m)
})

/** Modules, and what a run of two hours prints, where it is not a look per minute. */
const libraries: Readonly<Record<string, { readonly modules: readonly string[]; readonly bars?: number }>> = {
  requests: { modules: ['requests'] },
  httpx: { modules: ['httpx'] },
  httpx_async: { modules: ['httpx'] },
  trio: { modules: ['httpx', 'trio'] },
  aiohttp: { modules: ['aiohttp', 'websockets'], bars: MINUTES },
  websocket_client: { modules: ['requests', 'websocket'], bars: MINUTES },
  schedule: { modules: ['requests', 'schedule'] },
  apscheduler: { modules: ['requests', 'apscheduler'] },
  pandas: { modules: ['requests', 'pandas'] },
}

for (const [name, { modules, bars = 0 }] of Object.entries(libraries))
  test(`a program with ${modules.join(' and ')} is replayed exactly: ${name}`, {
    skip: !hasAllCases,
  }, async () => {
    const withModules = pythonWith(modules)
    const [first, second] = await Promise.all(
      [1, 2].map(() => follow('libraries.py', hours, [name], withModules)),
    )
    assert.equal(first!.code, 0, first!.stderr)
    const lines = first!.stdout.trim().split('\n')
    const looks = lines.filter((line) => line.startsWith('look')).length
    // `schedule` looks after the first minute.
    assert.equal(looks, name === 'schedule' ? MINUTES : MINUTES + 1)
    assert.equal(lines.filter((line) => line.startsWith('bar')).length, bars)
    assert.deepEqual([first!.summary().replay.mode, first!.summary().replay.inexact], ['exact', []])
    assert.equal(second!.stdout, first!.stdout)
    assert.deepEqual(fillsOf(second!.summary()), fillsOf(first!.summary()))
  })

test('the waits are exact 50 times in a row while the machine is busy', { skip: !hasAllCases }, async () => {
  for (let round = 0; round < 25; round += 1) await Promise.all([everyWaitIsExact(), everyWaitIsExact()])
})

test('threads send their orders in the same order 50 times in a row while the machine is busy', {
  skip: !hasAllCases,
}, async () => {
  for (let round = 0; round < 25; round += 1) await ordersAreEqual()
})
