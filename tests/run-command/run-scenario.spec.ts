import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder, newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { runOnShared as run } from './run-on-shared.ts'
import { programs, run as runWithBroker } from './run-process.ts'

const folder = newFolder()

function scenario(name: string, shares: number): string {
  const file = join(folder, `${name}.yml`)
  const prices =
    '{ AAPL: [{ at: 2026-03-02T15:00:00Z, price: 50 }, { at: 2026-03-02T16:00:00Z, price: 50 }] }'
  writeFileSync(
    file,
    `name: ${name}
about: AAPL costs 50 dollars.
world: { start: 2026-03-02T15:00:00Z, fees: none, prices: ${prices} }
expect:
  accounts: { trader: { positions: { AAPL: ${shares} } } }
`,
  )
  return file
}

const program = [process.execPath, join(programs, 'scenario-bot.mjs')] as const

test('a program runs in the world of a scenario, and what it expects is checked', async () => {
  const { code, stdout, stderr } = await run(['--scenario', scenario('right', 2), '--speed', '1'], program)
  assert.equal(code, 0, stderr)
  assert.deepEqual(JSON.parse(stdout), { price: '50.01', day: '2026-03-02' })
  assert.match(stderr, /quipu run: scenario right passed, journal hash [0-9a-f]{64}\n$/)
})

test('an expectation that does not hold gives exit code 1 and names the field', async () => {
  const { code, stderr } = await run(['--scenario', scenario('wrong', 3), '--speed', '1'], program)
  assert.equal(code, 1)
  assert.match(stderr, / {2}expect\.accounts\.trader\.positions\.AAPL: expected 3, received 2\n/)
  assert.match(stderr, /scenario wrong failed \(1 expectation\)/)
})

test('steps that change the world run at their time; those of the scripted client are skipped', async () => {
  const file = join(folder, 'steps.yml')
  writeFileSync(
    file,
    `name: steps
about: A connection is lost, and trading stops.
world: { start: 2026-03-02T15:00:00Z }
accounts: [trader, other]
steps:
  - place: { symbol: AAPL, side: buy, qty: 1, type: market }
  - after: 2m
    market_event: { kind: halt, symbol: AAPL, from: 2026-03-02T15:04:00Z, to: 2026-03-02T15:10:00Z }
  - after: 30s
    fault: { match: { account: trader, operation: [getAccount] }, effect: { kind: request_lost } }
  - fault: { match: { account: other }, effect: { kind: request_lost } }
  - at: 2026-03-02T15:04:30Z
    fault: { match: { account: trader }, effect: { kind: status, status: 503 } }
  - after: 1m
    market_event: { kind: halt, symbol: AAPL, from: 2026-03-02T15:01:00Z, to: 2026-03-02T15:02:00Z }
  - check: { accounts: { trader: { positions: { AAPL: 1 } } } }
expect:
  accounts: { trader: { positions: {} } }
  events: { marketEventAdded: 1 }
  faults: [1, 0, 1]
`,
  )
  const flags = ['--scenario', file, '--to', '2026-03-02T15:06:30Z', '--sessions', 'all']
  const bot = [process.execPath, join(programs, 'minute-bot.mjs')]
  // The broker of the run prints the warning of the step that fails.
  const { code, stdout, stderr } = await runWithBroker(flags, bot)
  assert.equal(code, 0, stderr)
  assert.deepEqual(JSON.parse(stdout), [
    ...['00 200', '01 200', '02 200', '03 other side closed', '04 200', '05 503', '06 200'],
  ])
  assert.match(stderr, /quipu run: 2 steps of the scripted client skipped \(place, check\); the program acts/)
  assert.match(stderr, /a step of the scenario failed.*steps\[5\].*market/)
  assert.match(stderr, /scenario steps passed/)
})

test('a wrong scenario runs no program', async () => {
  const file = join(folder, 'bad.yml')
  writeFileSync(file, 'name: bad\nabout: x\nworlds: {}\n')
  const { code, stdout, stderr } = await run(['--scenario', file], program)
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /bad\.yml:1: world: expected a record, received nothing\n/)
  assert.match(stderr, /quipu: .*bad\.yml is not a scenario: 2 problems\n$/)
  assert.match(stderr, /bad\.yml:3: worlds: unknown field; expected one of name, about, world, /)
})

const MINUTE_MS = 60_000

test('a program in a fast world: Date and timers are those of the world', async () => {
  const summary = join(newFolder(), 'summary.json')
  const world = ['--world', 'fast', '--start', '2026-03-02T15:00:00Z', '--speed', '60']
  const command = [process.execPath, join(programs, 'clock.mjs')]
  const { code, stdout, stderr } = await run([...world, '--summary', summary], command)
  assert.equal(code, 0, stderr)
  const { start, timeout, interval, later, broker: ofBroker, isDate, real } = JSON.parse(stdout)
  assert.equal(new Date(start).toISOString().slice(0, 11), '2026-03-02T')
  assert.ok(timeout - start >= MINUTE_MS && timeout - start < 3 * MINUTE_MS, `${timeout - start} ms`)
  assert.ok(interval - timeout >= 3 * MINUTE_MS, 'three ticks of an interval')
  assert.ok(later - interval >= MINUTE_MS, 'node:timers/promises')
  assert.ok(
    Math.abs(Date.parse(ofBroker) - later) < 5 * MINUTE_MS,
    `${ofBroker} and ${new Date(later).toISOString()}`,
  )
  assert.equal(isDate, true)
  assert.ok(real < 2 * MINUTE_MS, 'five minutes of the world take seconds')
  const { started_at: from, ended_at: to } = JSON.parse(readFileSync(summary, 'utf8'))
  assert.ok(Date.parse(to) - Date.parse(from) >= 5 * MINUTE_MS)
})

test('a program in a frozen world: its timers wait until somebody advances the clock', async () => {
  const world = await newWorld(broker, { start: '2026-03-02T15:00:00Z' })
  const wait = `console.log('ready')
    setTimeout(() => console.log('second'), 3_600_000)
    setTimeout(() => console.log('first'), 1_800_000)
    setTimeout(() => console.log('at once'), 0)
    setTimeout(() => console.log('never'), 36_000_000).unref()`
  let isAdvanced = false
  const advance = (): void => {
    if (!isAdvanced) void world.advance('2h')
    isAdvanced = true
  }
  const flags = ['--world', world.world]
  const { code, stdout } = await run(flags, [process.execPath, '-e', wait], {
    onStart: advance,
  })
  assert.deepEqual([code, stdout], [70, 'ready\nat once\nfirst\nsecond\n'])
})
