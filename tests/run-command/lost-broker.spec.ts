import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openProxy } from '../../broker/src/postgres/testing/tcp-proxy.ts'
import { newFolder } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { broker } from '../support/shared-broker.ts'
import { run } from './run-process.ts'

/** The broker goes away, or answers no more, while a program runs. */

const operator = { QUIPU_BROKER_KEY: broker.brokerKey, QUIPU_BROKER_SECRET: broker.brokerSecret }
/** The program ends half a second after the broker was lost. The rest of the command is ours. */
const ENDS_WITHIN_MS = 20_000
const POLL_MS = 10

const headers = `{ 'APCA-API-KEY-ID': 'PKANY', 'APCA-API-SECRET-KEY': 'any' }`
const ready = `require('node:fs').writeFileSync(process.env.READY, '')`

/** One request, and then an exit code. */
const program = (exit: number): string => `
  fetch('https://paper-api.alpaca.markets/v2/account', { headers: ${headers} })
    .then((response) => response.text())
    .then(() => { ${ready}; setTimeout(() => process.exit(${exit}), 500) })`

/** Asks every second. Runs `end` when the broker does not answer. */
const poller = (end: string): string => `
  const ask = () => fetch('https://paper-api.alpaca.markets/v2/clock', { headers: ${headers} })
    .then((response) => { if (response.status !== 200) throw new Error('lost'); return response.text() })
    .then(() => { ${ready}; setTimeout(ask, 1000) })
    .catch(() => { ${end} })
  ask()`

/** Runs a program, loses the broker when the program is ready, and returns the end of the command. */
async function runAndLose(
  t: TestContext,
  how: 'cut' | 'goSilent',
  flags: readonly string[],
  text: string,
): Promise<{ readonly code: number | null; readonly stderr: string; readonly url: string }> {
  const proxy = await openProxy(broker.url)
  t.after(proxy.close)
  const file = join(newFolder(), 'ready')
  let lostAtMs: number | undefined
  const waiting = setInterval(() => {
    if (lostAtMs !== undefined || !existsSync(file)) return
    lostAtMs = performance.now()
    proxy[how]()
  }, POLL_MS)
  t.after(() => clearInterval(waiting))
  const env = { ...operator, READY: file }
  const { code, stderr } = await run(['--url', proxy.url, ...flags], [process.execPath, '-e', text], {
    env,
    timeoutMs: 2 * ENDS_WITHIN_MS,
  })
  assert.ok(lostAtMs !== undefined, stderr)
  assert.ok(performance.now() - lostAtMs < ENDS_WITHIN_MS, `the command took too long: ${stderr}`)
  return { code, stderr, url: proxy.url }
}

for (const how of ['cut', 'goSilent'] as const) {
  test(`the exit code of the program stays when the broker is lost (${how})`, async (t) => {
    const { code, stderr, url } = await runAndLose(t, how, [], program(7))
    assert.equal(code, 7, stderr)
    assert.match(stderr, /quipu run: no summary: /)
    // The printed command works in another shell too.
    const [, remedy] = /quipu run: key \w+ was not deleted: .+; quipu (.+)\n/.exec(stderr) ?? []
    const [, , key] = remedy!.split(' ')
    assert.equal(remedy, `key delete ${key} --world main --url ${url}`)
  })

  // The ways to lose a broker differ in the first rule. `npm run test:long` runs every rule with both.
  if (how === 'goSilent' && !hasAllCases) continue

  test(`a clock that cannot be frozen is a note (${how})`, async (t) => {
    const start = ['--world', `lost-${how.toLowerCase()}`, '--start', '2026-03-02T15:00:00Z', '--speed', '2']
    const { code, stderr } = await runAndLose(t, how, start, program(7))
    assert.equal(code, 7, stderr)
    assert.match(stderr, /quipu run: the clock of world lost-\w+ was not stopped: /)
  })

  test(`a scenario that cannot be checked fails the run, and a failed exit code stays (${how})`, async (t) => {
    const file = join(newFolder(), 'quiet.yml')
    writeFileSync(file, 'name: quiet\nabout: Nothing happens.\nworld: { start: 2026-03-02T15:00:00Z }\n')
    const exits = how === 'cut' && hasAllCases ? ([7, 0] as const) : ([0] as const)
    for (const exit of exits) {
      const { code, stderr } = await runAndLose(t, how, ['--scenario', file, '--speed', '1'], program(exit))
      assert.equal(code, exit || 1, stderr)
      assert.match(stderr, /quipu run: scenario quiet was not checked: /)
    }
  })
}

const span = ['--from', '2026-03-02T14:30:00Z', '--to', '2026-06-02T14:30:00Z', '--hours', 'nyse']

test('a replay whose broker is lost keeps the exit code of a program that ends by itself', async (t) => {
  const { code, stderr } = await runAndLose(t, 'cut', span, poller('process.exit(7)'))
  assert.equal(code, 7, stderr)
})

test('a replay whose broker is lost ends a program that would wait for ever, and fails', async (t) => {
  const { code, stderr } = await runAndLose(t, 'cut', span, poller('setInterval(() => {}, 1000)'))
  assert.ok(code !== null && code > 0 && code < 128, `${code} ${stderr}`)
  assert.match(stderr, /quipu: /)
})

test('a seed whose broker is lost is no result', async (t) => {
  const { code, stderr } = await runAndLose(t, 'cut', ['--seeds', '1'], program(0))
  assert.ok(code !== null && code > 0, `${code} ${stderr}`)
  assert.doesNotMatch(stderr, /median|of 1 seeds/)
})
