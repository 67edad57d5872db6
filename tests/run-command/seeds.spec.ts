import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { callAsOperator, newFolder } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { command } from '../support/quipu-command.ts'
import { broker } from '../support/shared-broker.ts'
import { runOnShared as run } from './run-on-shared.ts'
import { programs } from './run-process.ts'

const span = ['--from', '2026-03-02T14:30:00Z', '--to', '2026-03-02T14:45:30Z', '--hours', 'nyse']
const bot = [process.execPath, join(programs, 'bar-bot.mjs')]

test('a program in two markets: the distribution of its results, and the worst seed again', async () => {
  const folder = newFolder()
  const [summary, report] = [join(folder, 'summary.json'), join(folder, 'report.html')]
  const flags = ['--seeds', '2', '--parallel', '2', '--summary', summary, '--report', report]
  const { code, stdout, stderr } = await run([...span, ...flags], bot)
  assert.deepEqual([code, stdout], [0, ''], stderr)
  const {
    seeds,
    failed,
    runs,
    worst,
    profit_loss: profit,
    violations,
  } = JSON.parse(readFileSync(summary, 'utf8'))
  assert.deepEqual([seeds, failed, violations], [2, [], {}])
  assert.deepEqual(
    runs.map(({ seed, fills }: { seed: string; fills: number }) => `${seed} ${fills}`),
    ['1 3', '2 3'],
  )
  const profits = runs.map(({ profit_loss: one }: { profit_loss: number }) => one)
  assert.equal(new Set(profits).size, 2, 'each seed has its own market')
  assert.deepEqual([profit.min, profit.max], [Math.min(...profits), Math.max(...profits)])
  assert.match(stderr, /2 of 2 seeds/)
  assert.match(stderr, /worst {5}seed \d with -?\+?[\d.]+: quipu run --url \S+ --from /)
  assert.match(readFileSync(report, 'utf8'), /<h1>The same program in 2 markets<\/h1>/)

  // The command of the summary, as a shell would read it.
  const words = (worst.command as string).replace(`--url ${broker.url} `, '').split(' ')
  const again = join(folder, 'again.json')
  const rerun = [...words.slice(2, words.indexOf('--')), '--summary', again]
  assert.equal((await run(rerun, words.slice(words.indexOf('--') + 1))).code, 0)
  assert.equal(JSON.parse(readFileSync(again, 'utf8')).profit_loss, worst.profit_loss)
})

test('a program that fails in a market is named, and its refusals are counted', async () => {
  const summary = join(newFolder(), 'summary.json')
  const program = `const response = await fetch('https://paper-api.alpaca.markets/v2/orders', { method: 'POST', body: '{}',
      headers: { 'APCA-API-KEY-ID': process.env.APCA_API_KEY_ID, 'APCA-API-SECRET-KEY': process.env.APCA_API_SECRET_KEY } })
    process.exit(response.ok ? 0 : 5)`
  const command = [process.execPath, '--input-type=module', '-e', program]
  const { code, stderr } = await run(['--seeds', '2', '--seed', 'x', '--summary', summary], command)
  assert.equal(code, 1, stderr)
  const { failed, violations, runs } = JSON.parse(readFileSync(summary, 'utf8'))
  assert.deepEqual(failed, ['x-1', 'x-2'])
  assert.deepEqual(Object.values(violations), [2])
  assert.deepEqual(
    runs.map(({ exit_code: exit }: { exit_code: number }) => exit),
    [5, 5],
  )
})

for (const signal of casesOf(['SIGINT', 'SIGTERM', 'SIGHUP'] as const))
  test(`${signal} ends all seeds: no further one begins, and there is no result`, async () => {
    const folder = newFolder()
    const [started, summary] = [join(folder, 'started'), join(folder, 'summary.json')]
    const wait = `require('node:fs').appendFileSync(${JSON.stringify(started)}, 'x'); setTimeout(() => {}, 3000)`
    const flags = ['--seeds', '3', '--parallel', '1', '--summary', summary]
    const before = await worlds()
    let pid = 0
    const ready = setInterval(() => {
      // The file exists for a moment before it has its text.
      if (!existsSync(started) || readFileSync(started, 'utf8') === '') return
      clearInterval(ready)
      process.kill(pid, signal)
    }, 10)
    const { code, stderr } = await run(flags, [process.execPath, '-e', wait], {
      onSpawn: (spawned) => {
        pid = spawned
      },
    }).finally(() => clearInterval(ready))
    assert.equal(code, 128 + constants.signals[signal], stderr)
    assert.deepEqual([readFileSync(started, 'utf8'), existsSync(summary)], ['x', false])
    assert.doesNotMatch(stderr, /median|of 3 seeds/)
    assert.deepEqual(await worlds(), before)
  })

const worlds = async (): Promise<readonly string[]> =>
  (await callAsOperator(broker, 'GET', '/sim/v1/worlds')).body.map(({ world }: { world: string }) => world)

test('flags of many seeds that do not fit are refused', async () => {
  const lines = await Promise.all(
    [
      ['--parallel', '2'],
      ['--seeds', '0'],
      ['--seeds', '2', '--world', 'friday'],
    ].map(async (flags) => (await command(['run', ...flags, '--', 'true'])).stderr.trim()),
  )
  assert.deepEqual(lines, [
    'quipu: run: --parallel needs --seeds',
    'quipu: run: --seeds: expected 1 to 10000, received 0',
    'quipu: run: --world is not for --seeds: each seed has its own world',
  ])
})
