import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { broker } from '../support/shared-broker.ts'
import { runOnShared } from './run-on-shared.ts'
import { programs } from './run-process.ts'

const span = [
  '--from',
  '2026-03-02T14:30:00Z',
  '--to',
  '2026-03-02T14:45:30Z',
  '--hours',
  'nyse',
  '--seed',
  'tape',
]
const file = join(newFolder(), 'recording.ndjson')

const { url, brokerKey, brokerSecret } = broker
const env = { QUIPU_URL: url, QUIPU_BROKER_KEY: brokerKey, QUIPU_BROKER_SECRET: brokerSecret }
const check = (recording: string, ...flags: readonly string[]) =>
  command(['replay-check', recording, ...flags], { env })

type Line = Record<string, unknown>
const linesOf = (path: string): Line[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

const { code, stderr } = await runOnShared(
  [...span, '--record', file],
  [process.execPath, join(programs, 'bar-bot.mjs')],
)

test('a recording has the requests, responses and updates of the program, and nothing private', () => {
  assert.equal(code, 0, stderr)
  const [world, account, ...rest] = linesOf(file)
  assert.deepEqual(world, {
    ...{ recording: 1, seed: 'tape', hours: 'nyse', start: '2026-03-02T14:30:00.000Z', replayed: true },
    symbols: ['any'],
  })
  const { method, path, status, answer: response } = account as { answer: Line } & Line
  assert.deepEqual([method, path, status], ['GET', '/v2/account', 200])
  assert.match(String(response['account_number']), /^removed-account_number-\d+$/)
  assert.equal(response['cash'], '100000')
  const orders = rest.filter(({ path }) => path === '/v2/orders')
  assert.deepEqual(
    orders.map(({ ms, status }) => [ms, status]),
    [5, 10, 15].map((minute) => [minute * 60_000, 200]),
  )
  assert.deepEqual(
    rest.filter(({ event }) => event === 'fill').map(({ ms }) => ms),
    [5, 10, 15].map((minute) => minute * 60_000),
  )
  assert.doesNotMatch(readFileSync(file, 'utf8'), /"(PK|AK)[A-Z0-9]{10,}|secret/i)
})

test('the same broker gives the same responses and events', async () => {
  const { code: status, stdout } = await check(file)
  assert.deepEqual(
    [status, stdout],
    [0, `${linesOf(file).filter(({ method }) => method).length} requests, 9 events, 0 differences\n`],
  )
})

test('another status, field, value and order of events are listed', async () => {
  const changed = join(newFolder(), 'changed.ndjson')
  const lines = linesOf(file).map((line) => {
    if (line['path'] === '/v2/account') return { ...line, status: 403 }
    if (line['path'] !== '/v2/orders' || line['ms'] !== 300_000) return line
    const { symbol: _, ...response } = line['answer'] as Line
    return { ...line, answer: { ...response, qty: 1, side: 'sell', id: 'another', commission_paid: '0' } }
  })
  const last = lines.findLastIndex(({ event }) => event === 'fill')
  const [before, after] = [lines[last - 1]!, lines[last]!]
  lines.splice(last - 1, 2, after, before)
  writeFileSync(changed, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const { code: status, stdout } = await check(changed)
  assert.equal(status, 1)
  assert.deepEqual(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/events of \S+/, 'events of X')),
    [
      'request 1: GET /v2/account: expected 403, received 200',
      'request 2: POST /v2/orders: commission_paid: expected string, received no field',
      'request 2: POST /v2/orders: symbol: expected no field, received string',
      'request 2: POST /v2/orders: qty: expected number, received string',
      'request 2: POST /v2/orders: side: expected "sell", received "buy"',
      'events of X expected pending_new, fill, new, received pending_new, new, fill',
      '4 requests, 9 events, 6 differences',
    ],
  )
  const json = JSON.parse((await check(changed, '--json')).stdout)
  assert.equal(json.differences.length, 6)
})

test('a file that is no recording is refused', async () => {
  const other = join(newFolder(), 'other.json')
  writeFileSync(other, '{}\n')
  const { code: status, stderr } = await check(other)
  assert.deepEqual([status, stderr], [1, `quipu: ${other}: not a recording of quipu run --record\n`])
})
