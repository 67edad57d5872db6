import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { withoutProxies } from '../run-command/run-process.ts'
import { newFolder, plainEnvironment } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { program } from '../support/program.ts'
import { command } from '../support/quipu-command.ts'
import { broker } from '../support/shared-broker.ts'

const programs = join(import.meta.dirname, 'programs')

type Drill = {
  drill: string
  result: string
  reasons: string[]
  faults_consumed: number
  wrong_at?: { request: number; at: string; what: string }
  repeat?: string
}

const operator = { QUIPU_BROKER_KEY: broker.brokerKey, QUIPU_BROKER_SECRET: broker.brokerSecret }
const lineOf = (bot: string, flags: readonly string[], by: readonly string[] = []): readonly string[] => [
  'drill',
  '--url',
  broker.url,
  '--client-timeout',
  '3s',
  ...flags,
  '--',
  ...by,
  process.execPath,
  join(programs, bot),
]

async function drill(bot: string, flags: readonly string[], by?: readonly string[]) {
  const line = lineOf(bot, ['--json', ...flags], by)
  const { code, stdout, stderr } = await command(line, { env: operator })
  const certificate = stdout.startsWith('{') ? JSON.parse(stdout) : undefined
  const drills = new Map((certificate?.drills as Drill[] | undefined)?.map((one) => [one.drill, one]))
  return { code, certificate, drills, stderr }
}

/** Sends SIGINT to the process of a drill when it prints this. */
async function interrupt(at: string, bot: string, flags: readonly string[]) {
  const env = withoutProxies(plainEnvironment(operator))
  const child = spawn(process.execPath, [program, ...lineOf(bot, flags)], { env })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
      if (text.includes(at)) child.kill('SIGINT')
    })
  const [code] = (await once(child, 'close')) as [number]
  return { code, ...output }
}

test('drills are listed without a program, and run only with one', async () => {
  const { code, stdout, stderr } = await command(['drill', '--list'])
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^answer-lost +\S/m)
  const missing = await command(['drill'])
  assert.equal(missing.code, 2)
  assert.match(missing.stderr, /expected a program after `--`/)
})

/** `npm run test:long` runs all drills. */
const only = process.env['DRILLS'] === 'all' ? [] : ['--only', 'answer-lost,update-dropped']

test('a bot that places an order once, and asks the broker when in doubt, passes', async () => {
  const folder = newFolder()
  const files = ['--summary', join(folder, 'drill.json'), '--report', join(folder, 'drill.html')]
  const { code, certificate, drills, stderr } = await drill('careful-bot.mjs', [...only, ...files])
  assert.equal(code, 0, stderr + JSON.stringify(certificate))
  assert.deepEqual(certificate.baseline.shares, { AAPL: 2 })
  for (const { drill: name, result, faults_consumed: consumed } of drills.values()) {
    // The bot may end before its stream connects again.
    if (name === 'resubscription-lost') continue
    assert.equal(result, 'passed', name)
    assert.ok(consumed >= 1, name)
  }
  assert.deepEqual(JSON.parse(readFileSync(files[1]!, 'utf8')), certificate)
  assert.match(readFileSync(files[3]!, 'utf8'), /<p class="verdict passed">Passed: \d+ passed, 0 failed/)
})

test('a bot that places again under another id and trusts its stream fails, with the reasons', async () => {
  const flags = ['--only', 'answer-lost,update-dropped', '--limit', '20s']
  const { code, certificate, drills } = await drill('careless-bot.mjs', flags)
  assert.equal(code, 1)
  assert.equal(certificate.passed, false)
  const [lost, dropped] = [drills.get('answer-lost')!, drills.get('update-dropped')!]
  assert.match(lost.reasons[0]!, /^orders that it does not place without faults: buy 2 AAPL \(careless-/)
  assert.match(dropped.reasons[0]!, /^the program cannot know of fill of order /)
  assert.equal(dropped.reasons[1], 'the program did not end within 20 seconds')
})

/** From an hour before a close until after the next open. */
const night = ['--from', '2026-01-05T20:00:00Z', '--to', '2026-01-06T15:40:00Z', '--step', '30m']

test('a bot that never ends is drilled in replays, killed and started again, and its clock and account change', async () => {
  // A program is killed in the same way at each moment, and the next test has the second one.
  const moments = casesOf(['killed-after', 'killed-before', 'killed-during'])
  const drills = [...moments, 'machine-sleeps', 'clock-wrong', 'account-blocked', 'split-overnight']
  const { code, certificate, stderr } = await drill('steady-bot.mjs', [...night, '--only', drills.join()])
  assert.equal(code, 0, stderr + JSON.stringify(certificate))
  assert.deepEqual(certificate.baseline.shares, { AAPL: 4 })
  assert.deepEqual(certificate.counts, { passed: drills.length, failed: 0, skipped: 0 })
})

/** Longer than a replay waits for a program without our preload. */
const startsSlowly = ['sh', '-c', 'sleep 1.5; exec "$@"', 'sh']

test('a bot that starts slowly and forgets what it bought fails, with the request and the command of the drill', async () => {
  const flags = [...night, '--only', 'killed-during,account-blocked']
  const { code, drills, stderr } = await drill('forgetful-bot.mjs', flags, startsSlowly)
  assert.equal(code, 1, stderr)
  const [killed, blocked] = [drills.get('killed-during')!, drills.get('account-blocked')!]
  assert.match(killed.reasons[0]!, /^orders that it does not place without faults: buy 2 AAPL \(/)
  assert.deepEqual(killed.wrong_at, {
    request: 2,
    at: '2026-01-05T20:00:00.000Z',
    what: 'POST /v2/orders buy 2 AAPL',
  })
  assert.match(killed.repeat!, /^quipu drill .*--only killed-during -- .*forgetful-bot\.mjs$/)
  assert.deepEqual(blocked.reasons, ['the program ended before the end of the replay, with exit code 1'])
  assert.equal(blocked.wrong_at!.at, '2026-01-06T00:00:00.000Z')
})

test('a replay has an end, and --for one start', async () => {
  const run = async (...flags: string[]) => (await command(['drill', ...flags, '--', 'true'])).stderr
  assert.match(await run('--from', '2026-01-05'), /drill: --from needs --to/)
  assert.match(await run('--for', '1d'), /drill: --for needs --from, and no --to/)
  assert.match(
    await run('--from', '2026-01-05', '--for', '1d', '--scenario', 'flash-crash'),
    /--from is not for --scenario/,
  )
})

for (const at of casesOf(['quipu drill: answer-lost', 'without faults']))
  test(`an interrupt ends the drill, not only the run (${at})`, async () => {
    const { code, stdout, stderr } = await interrupt(at, 'careful-bot.mjs', ['--only', 'answer-lost'])
    assert.deepEqual([code, stdout], [130, ''])
    assert.match(stderr, /quipu: the drill was interrupted\n$/)
  })
