import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { withoutProxies } from '../run-command/run-process.ts'
import { newFolder, plainEnvironment } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { program } from '../support/program.ts'

const programs = join(import.meta.dirname, 'programs')

type Drill = {
  drill: string
  result: string
  reasons: string[]
  faults_consumed: number
  wrong_at?: { request: number; at: string; what: string }
  repeat?: string
}

async function drill(bot: string, flags: readonly string[], interrupt = '') {
  const command = [
    program,
    'drill',
    ...(interrupt === '' ? ['--json'] : []),
    '--client-timeout',
    '3s',
    ...flags,
    '--',
  ]
  const env = withoutProxies(plainEnvironment())
  const child = spawn(process.execPath, [...command, process.execPath, join(programs, bot)], { env })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
      if (interrupt !== '' && text.includes(interrupt)) child.kill('SIGINT')
    })
  const [code] = (await once(child, 'close')) as [number]
  const certificate = output.stdout.startsWith('{') ? JSON.parse(output.stdout) : undefined
  const drills = new Map((certificate?.drills as Drill[] | undefined)?.map((one) => [one.drill, one]))
  return { code, certificate, drills, ...output }
}

test('drills are listed without a program, and run only with one', () => {
  const run = (...flags: string[]) =>
    spawnSync(process.execPath, [program, 'drill', ...flags], { env: plainEnvironment(), encoding: 'utf8' })
  const { status, stdout, stderr } = run('--list')
  assert.equal(status, 0, stderr)
  assert.match(stdout, /^answer-lost +\S/m)
  const missing = run()
  assert.equal(missing.status, 2)
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
  const drills =
    'killed-before,killed-during,killed-after,machine-sleeps,clock-wrong,account-blocked,split-overnight'
  const { code, certificate, stderr } = await drill('steady-bot.mjs', [...night, '--only', drills])
  assert.equal(code, 0, stderr + JSON.stringify(certificate))
  assert.deepEqual(certificate.baseline.shares, { AAPL: 4 })
  assert.deepEqual(certificate.counts, { passed: 7, failed: 0, skipped: 0 })
})

test('a bot that forgets what it bought fails, with the request and the command of the drill', async () => {
  const flags = [...night, '--only', 'killed-during,account-blocked']
  const { code, drills, stderr } = await drill('forgetful-bot.mjs', flags)
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

test('a replay has an end, and --for one start', () => {
  const run = (...flags: string[]) =>
    spawnSync(process.execPath, [program, 'drill', ...flags, '--', 'true'], {
      env: plainEnvironment(),
      encoding: 'utf8',
    }).stderr
  assert.match(run('--from', '2026-01-05'), /drill: --from needs --to/)
  assert.match(run('--for', '1d'), /drill: --for needs --from, and no --to/)
  assert.match(
    run('--from', '2026-01-05', '--for', '1d', '--scenario', 'flash-crash'),
    /--from is not for --scenario/,
  )
})

for (const interrupt of casesOf(['quipu drill: answer-lost', 'without faults']))
  test(`an interrupt ends the drill, not only the run (${interrupt})`, async () => {
    const { code, stdout, stderr } = await drill('careful-bot.mjs', ['--only', 'answer-lost'], interrupt)
    assert.deepEqual([code, stdout], [130, ''])
    assert.match(stderr, /quipu: the drill was interrupted\n$/)
  })
