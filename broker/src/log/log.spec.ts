import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog, type Log, type LogFacts, type LogLevel } from './log.ts'

const AT = Date.UTC(2026, 10, 2, 15, 0, 0, 250)

function testLog(parts: { level?: LogLevel | 'silent'; readable?: boolean; now?: () => number } = {}) {
  const writes: string[] = []
  const log = createLog({
    level: 'info',
    readable: true,
    now: () => AT,
    ...parts,
    write: (text) => writes.push(text),
  })
  const text = () => {
    log.flush()
    return writes.join('')
  }
  return { log, writes, text }
}

const rows: readonly (readonly [string, boolean, string, LogFacts, string])[] = [
  ['a terminal', true, 'ready', {}, '15:00:00.250 info  ready\n'],
  [
    'a terminal with facts',
    true,
    'GET /',
    { status: 200, key: undefined },
    '15:00:00.250 info  GET / status=200\n',
  ],
  ['two lines in one', true, 'a\nb', {}, '15:00:00.250 info  a b\n'],
  ['terminal control characters', true, 'a\x1b[31mb\x07\u009bc', {}, '15:00:00.250 info  a?[31mb??c\n'],
  [
    'a file',
    false,
    'GET /',
    { status: 200, key: undefined },
    '{"at":"2026-11-02T15:00:00.250Z","level":"info","message":"GET /","status":200}\n',
  ],
  [
    'a line break in a file',
    false,
    'a\nb',
    {},
    '{"at":"2026-11-02T15:00:00.250Z","level":"info","message":"a\\nb"}\n',
  ],
]
for (const [title, readable, message, facts, line] of rows)
  test(`log line: ${title}`, () => {
    const { log, text } = testLog({ readable })
    log.info(message, facts)
    assert.equal(text(), line)
  })

const levels: readonly (readonly [LogLevel | 'silent', string])[] = [
  ['debug', 'debug info warn error'],
  ['info', 'info warn error'],
  ['warn', 'warn error'],
  ['error', 'error'],
  ['silent', ''],
]
for (const [level, logged] of levels)
  test(`level ${level} logs: ${logged || 'nothing'}`, () => {
    const { log, text } = testLog({ level })
    const all: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']
    for (const each of all) log[each](`message ${each}`)
    assert.deepEqual(all.filter((each) => text().includes(`message ${each}`)).join(' '), logged)
    assert.deepEqual(all.filter((each) => log.isOn(each)).join(' '), logged)
  })

test('a hint is logged at most once a minute per kind', () => {
  let now = AT
  const { log, text } = testLog({ now: () => now })
  const hint = (of: Log) => {
    of.hint('key', 'about keys')
    of.hint('path', 'about paths')
  }
  hint(log)
  hint(log)
  assert.equal(text().match(/about keys/g)?.length, 1)
  assert.equal(text().match(/about paths/g)?.length, 1)
  now += 60_000
  hint(log)
  assert.equal(text().match(/about keys/g)?.length, 2)
})

test('lines of one tick are written together, an error immediately', async () => {
  const { log, writes } = testLog()
  log.info('a')
  log.info('b')
  assert.deepEqual(writes, [])
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(writes.length, 1)
  log.info('c')
  log.error('d')
  assert.equal(writes.length, 2)
  assert.match(writes[1]!, /c\n.*d\n$/)
})
