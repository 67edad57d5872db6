import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { nodeProgram } from '../programs/install.ts'
import { newFolder } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { command } from '../support/quipu-command.ts'
import { runOnShared as run } from './run-on-shared.ts'
import { programs } from './run-process.ts'

const span = ['--from', '2026-03-02T14:30:00Z', '--to', '2026-03-02T14:45:30Z', '--hours', 'nyse']

async function replay(command: readonly string[], flags: readonly string[] = []) {
  const summary = join(newFolder(), 'summary.json')
  const { code, stdout, stderr } = await run([...span, '--summary', summary, ...flags], command)
  return { code, stdout, stderr, summary: () => JSON.parse(readFileSync(summary, 'utf8')) }
}

const barBot = (node = process.execPath) => [node, join(programs, 'bar-bot.mjs')]
/** `npm run test:long` replays on every Node. */
const others = (process.env['RUN_NODES'] === 'all' ? ([20, 22, 24, 26] as const) : ([24] as const)).map(
  (major) => nodeProgram(major) ?? process.execPath,
)

test('a Node program is replayed exactly: bars, requests, files and timers at their times, in another process the same', async () => {
  const [first, ...again] = await Promise.all([undefined, ...others].map((node) => replay(barBot(node))))
  if (!first) throw new Error('bug: no run')
  assert.equal(first.code, 0, first.stderr)
  const { bars, events } = JSON.parse(first.stdout) as { bars: number; events: string[] }
  assert.equal(bars, 15)
  const price = events
    .find((event) => event.includes('fill'))!
    .split(' ')
    .at(-1)
  assert.ok(Number(price) > 0)
  const times = events.map((event) => event.replace(/^2026-03-02T14:/, '').replace(/fill .*/, 'fill'))
  assert.deepEqual(times, [
    '30:00.000Z cash 100000',
    '30:45.000Z promise',
    '31:30.500Z timeout',
    ...[35, 40, 45].flatMap((minute) => [
      `${minute}:00.000Z bar 2026-03-02T14:${minute - 1}:00.000Z`,
      `${minute}:00.000Z order 2026-03-02T14:${minute}:00.000Z`,
      `${minute}:00.000Z fill`,
      `${minute}:00.000Z interval`,
    ]),
  ])
  for (const { stdout } of again) assert.equal(stdout, first.stdout)
  const { replay: replayed, fills, orders } = first.summary()
  assert.deepEqual([replayed.mode, replayed.finished, orders], ['exact', true, { filled: 3 }])
  assert.deepEqual(
    again[0]!.summary().fills.map(({ order_id: _, ...fill }: { order_id: string }) => fill),
    fills.map(({ order_id: _, ...fill }: { order_id: string }) => fill),
  )
  assert.match(first.stderr, /replay {4}2026-03-02 to 2026-03-02, \d+ steps, \d+ waits in .* \(exact\)/)
})

test('a replay of a program that never sends a request ends, and says why it may be', async () => {
  const { code, stderr } = await replay(['sleep', '3600'])
  assert.equal(code, 70, stderr)
  assert.match(stderr, /no request of sleep arrived at the broker\. If it sent some, .* try --hosts/)
})

test('a program without our preload is replayed as well as its pings allow', {
  skip: !hasAllCases,
}, async () => {
  const script = `curl -sS -H "APCA-API-KEY-ID: any" -H "APCA-API-SECRET-KEY: any" https://paper-api.alpaca.markets/v2/clock; exec sleep 20`
  const { code, stdout, stderr, summary } = await replay(['sh', '-c', script])
  assert.equal(code, 0, stderr)
  assert.match(stdout, /"timestamp":"2026-03-02T09:30:00/)
  const { replay: replayed, ended_at: end } = summary()
  assert.deepEqual([replayed.mode, replayed.finished, end], ['best_effort', true, '2026-03-02T14:45:30Z'])
})

test('both dates of a replay are days of New York, and its hours are those of the exchanges', async () => {
  const program = `const headers = { 'APCA-API-KEY-ID': 'any', 'APCA-API-SECRET-KEY': 'any' }
    const look = async () => {
      const { timestamp, is_open } = await (await fetch('https://paper-api.alpaca.markets/v2/clock', { headers })).json()
      console.log(timestamp.slice(0, 16), is_open)
    }
    setInterval(look, 6 * 3600_000)
    look()`
  const file = join(newFolder(), 'summary.json')
  const newYear = ['--from', '2025-01-01', '--to', '2025-01-01', '--summary', file]
  const { code, stdout, stderr } = await run(newYear, [
    process.execPath,
    '--input-type=module',
    '-e',
    program,
  ])
  assert.equal(code, 0, stderr)
  const looks = ['01T00:00', '01T06:00', '01T12:00', '01T18:00', '02T00:00']
  assert.equal(stdout, looks.map((look) => `2025-01-${look} false\n`).join(''))
  const { started_at: from, ended_at: to } = JSON.parse(readFileSync(file, 'utf8'))
  assert.deepEqual([from.slice(0, 19), to.slice(0, 19)], ['2025-01-01T05:00:00', '2025-01-02T05:00:00'])
})

test('a program that ends keeps its exit code, and the replay ends with it', async () => {
  const program = `await fetch('https://paper-api.alpaca.markets/v2/clock')
    setTimeout(() => process.exit(7), 120_000)`
  const { code, summary } = await replay([process.execPath, '--input-type=module', '-e', program])
  const { replay: replayed, ended_at: end } = summary()
  assert.deepEqual([code, replayed.finished, end], [7, false, '2026-03-02T14:32:00Z'])
})

test('a program that waits for a time, and then works in other threads before its first request, is replayed exactly', async () => {
  const runs = await Promise.all(others.map((node) => replay([node, join(programs, 'wasm-bot.mjs')])))
  for (const { code, stdout, summary } of runs) {
    assert.equal(stdout, '2026-03-02T14:40:00.000Z 2026-03-02T09:40:00-05:00\n')
    const { replay: replayed, ended_at: end } = summary()
    assert.deepEqual([code, replayed.mode, end], [0, 'exact', '2026-03-02T14:45:30Z'])
  }
})

test('a program that receives bars before their time acts and ends at the times of the bars', async () => {
  const program = `const stream = new WebSocket('wss://stream.data.alpaca.markets/v2/iex')
    const send = (message) => stream.send(JSON.stringify(message))
    let bars = 0
    const onBar = async () => {
      bars += 1
      if (bars === 11) process.exit(7)
      if (bars !== 6) return
      const headers = { 'APCA-API-KEY-ID': 'any', 'APCA-API-SECRET-KEY': 'any' }
      const response = await fetch('https://paper-api.alpaca.markets/v2/clock', { headers })
      console.log(new Date().toISOString(), (await response.json()).timestamp)
    }
    stream.onopen = () => send({ action: 'auth', key: 'any', secret: 'any' })
    stream.onmessage = ({ data }) => {
      for (const { T, msg } of JSON.parse(data)) {
        if (msg === 'authenticated') send({ action: 'subscribe', bars: ['AAPL'] })
        if (T === 'b') onBar()
      }
    }`
  const { code, stdout, summary } = await replay([process.execPath, '--input-type=module', '-e', program])
  assert.equal(stdout, '2026-03-02T14:36:00.000Z 2026-03-02T09:36:00-05:00\n')
  assert.deepEqual([code, summary().ended_at], [7, '2026-03-02T14:41:00Z'])
})

test('after the replay the timers of a program run in real time, so that it can end', async () => {
  const program = `await fetch('https://paper-api.alpaca.markets/v2/clock')
    setInterval(() => undefined, 3_600_000)
    process.on('SIGTERM', () => setTimeout(() => process.exit(3), 50))`
  const { code } = await replay([process.execPath, '--input-type=module', '-e', program])
  assert.equal(code, 3)
})

test('flags that do not fit are refused', async () => {
  const none = [process.execPath, '-e', '0']
  const lines = await Promise.all(
    [
      ['--from', '2026-03-02'],
      ['--to', '2026-03-02'],
      [...span, '--speed', '60'],
      [...span, '--step', 'minute'],
    ].map(async (flags) => {
      const { code, stderr } = await command(['run', ...flags, '--', ...none])
      return `${code} ${stderr.trim()}`
    }),
  )
  assert.deepEqual(lines, [
    '2 quipu: run: --from needs --to, the end of the replay',
    '2 quipu: run: --to needs --from, or a world with --world NAME',
    '2 quipu: run: --speed is not for a replay; --from is its start',
    '2 quipu: run: --step: expected a duration such as 1m or 1d, received minute',
  ])
})
