import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { programs, run } from './run-process.ts'

const day = ['--from', '2025-01-02', '--to', '2025-01-03']

/** Runs a program of the folder `node`. It ends with an error if the broker's clock is not its own. */
async function follow(name: string, more: readonly string[] = [], flags: readonly string[] = []) {
  const file = join(newFolder(), 'summary.json')
  const command = [process.execPath, join(programs, 'node', name), ...more]
  const ran = await run([...day, ...flags, '--summary', file], command, { timeoutMs: 120_000 })
  return { ...ran, summary: () => JSON.parse(readFileSync(file, 'utf8')) }
}

/** The seconds that a wait of `waits.mjs` takes, where its name does not end with them. */
const exceptions: Readonly<Record<string, number>> = { interval_0: 0.02, fraction_3: 0.003 }

async function everyWaitIsExact(): Promise<void> {
  const { code, stdout, stderr, summary } = await follow('waits.mjs')
  assert.equal(code, 0, stdout + stderr)
  const lines = stdout.trim().split('\n')
  assert.equal(lines.pop(), 'end', stderr)
  assert.equal(lines.length, 29)
  for (const line of lines) {
    const [name = '', took] = line.split(' ')
    assert.equal(Number(took), exceptions[name] ?? Number(/\d+$/.exec(name)?.[0]), line)
  }
  const { mode, inexact } = summary().replay
  assert.deepEqual([mode, inexact], ['exact', []])
}

test(
  'Node waits by the clock of the world in every way: timers, clocks, threads, processes',
  everyWaitIsExact,
)

/** What the summary says of each wait of `foreign.mjs`. */
const reasons: Readonly<Record<string, RegExp>> = {
  busyDate: /^a loop reads the clock until it moves, at foreign\.mjs:14$/,
  busyPerformance: /^a loop reads the clock until it moves, at foreign\.mjs:18$/,
  busyHrtime: /^a loop reads the clock until it moves, at foreign\.mjs:22$/,
  busyTurns: /^a loop reads the clock until it moves, at foreign\.mjs:26$/,
  busyFlag: /^a loop of setImmediate does not wait/,
  child: /^the program waits by the command 'sleep', at foreign\.mjs:35$/,
  otherChild: /^the process 'tail' does not follow the clock of the world$/,
  shell: /^the program waits by the command 'sleep', at foreign\.mjs:41$/,
  service: /^the clock does not wait for the connection to 127\.0\.0\.1:\d+$/,
  notified: /^a thread waits for another one with Atomics\.wait, at \[worker eval\]:1$/,
}

async function everyOtherWaitIsNamed(): Promise<void> {
  const { code, stdout, stderr, summary } = await follow('foreign.mjs', [], ['--exact'])
  assert.equal(code, 71, stderr)
  assert.deepEqual(stdout.trim().split('\n'), Object.keys(reasons))
  const { mode, inexact } = summary().replay
  assert.equal(mode, 'not_exact')
  assert.equal(inexact.length, Object.keys(reasons).length, inexact.join('\n'))
  for (const [index, reason] of Object.values(reasons).entries()) assert.match(inexact[index], reason)
}

test(
  'a wait of a Node program that does not follow the clock is named, and with --exact the exit code is 71',
  everyOtherWaitIsNamed,
)

test('the waits of Node are exact 50 times in a row while the machine is busy', {
  skip: !hasAllCases,
}, async () => {
  for (let round = 0; round < 25; round += 1) await Promise.all([everyWaitIsExact(), everyWaitIsExact()])
})
