import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ready, readyJson, readyScreen, stateScreen, urlsElsewhere, withoutSecrets } from './ready.ts'

const first: Ready = {
  url: 'http://127.0.0.1:7878',
  version: '0.1.0',
  dataFolder: '/d',
  credentials: { keyId: 'PK1', secretKey: 'shh', brokerKey: 'CK1', brokerSecret: 'hush' },
  signInUrl: 'http://127.0.0.1:7878/oauth/sign-in?once=abc',
}
const here = { self: 'quipu', detached: false }
const { signInUrl, ...again } = first
const warning = 'the wall clock is 61 s behind'
const later: Ready = { ...again, warning, recovered: { events: 1, openOrders: 2, cutBytes: 90 } }

test('the first screen has at most 15 lines, the key, and a curl line', () => {
  for (const ready of [first, later]) {
    const lines = readyScreen(ready, here).split('\n')
    assert(lines.length <= 15, `${lines.length} lines`)
    assert(lines.includes('  Key id     PK1') && lines.includes('  Secret     shh'))
    assert(lines.some((line) => line.trim().startsWith('curl http://127.0.0.1:7878/v2/orders')))
  }
  assert(!readyScreen(first, here).includes('hush'), 'only the trading key is shown')
  assert(readyScreen(first, here).includes(`Sign in    ${signInUrl} (once, within a day)`))
  assert(readyScreen(later, here).includes('Sign in    quipu open'))
})

test('a later start shows the recovery', () => {
  const [, line] = readyScreen(later, here).split('\n')
  assert.equal(
    line,
    'Recovered 1 event, 2 open orders; 90 bytes of an unfinished write, which was never confirmed, were removed',
  )
})

test('a start with a clock that is behind warns', () => {
  assert(readyScreen(later, here).includes('\nWarning: the wall clock is 61 s behind\n'))
  assert(!readyScreen(first, here).includes('Warning'))
  assert.equal(JSON.parse(readyJson(later)).warning, warning)
})

test('the screen shows how to stop the server', () => {
  const { dataFolder: _, ...inMemory } = first
  assert.match(readyScreen(first, here), /^ {2}Stop {7}Ctrl-C or quipu stop$/m)
  assert.match(readyScreen(first, { ...here, detached: true }), /^ {2}Stop {7}quipu stop$/m)
  assert.match(readyScreen(inMemory, here), /^ {2}Stop {7}Ctrl-C$/m)
})

test('the hints include --data for a folder that a command would not find', () => {
  const screen = readyScreen(later, { ...here, data: "/my data/it's" })
  for (const hint of [
    `Sign in    quipu open --data '/my data/it'\\''s'`,
    `Programs   eval "$(quipu env --data '/my data/it'\\''s')"`,
    `Stop       Ctrl-C or quipu stop --data '/my data/it'\\''s'`,
  ])
    assert(screen.includes(`\n  ${hint}\n`), screen)
  assert(readyScreen(later, { ...here, data: '/d' }).includes('quipu stop --data /d\n'))
})

test('for a service manager the screen shows no secret', () => {
  const { signInUrl: _, credentials, ...shown } = first
  assert.deepEqual(withoutSecrets(first), { ...shown, credentials: {} })
  assert.equal(
    stateScreen(withoutSecrets(later)),
    readyScreen(later, here).split('\n').slice(0, 3).join('\n'),
  )
})

test('without known keys no key lines are shown', () => {
  const screen = readyScreen({ ...first, credentials: {} }, here)
  assert(!screen.includes('curl') && !screen.includes('undefined'))
})

test('the JSON line omits unknown fields', () => {
  const { dataFolder: _, ...inMemory } = { ...again, credentials: { keyId: 'PK1' } }
  assert.equal(readyJson(inMemory), '{"url":"http://127.0.0.1:7878","version":"0.1.0","keyId":"PK1"}')
})

test('the JSON line reports the recovery and the removed bytes', () => {
  assert.deepEqual(JSON.parse(readyJson(later)).recovered, { events: 1, openOrders: 2, cutBytes: 90 })
})

const address = (text: string, family: 'IPv4' | 'IPv6', internal: boolean) =>
  ({ address: text, family, internal }) as never

for (const [host, urls] of [
  ['0.0.0.0', ['https://192.168.1.5:7878', 'https://10.0.0.2:7878']],
  ['::', ['https://192.168.1.5:7878', 'https://10.0.0.2:7878']],
  ['127.0.0.1', undefined],
] as const)
  test(`a server on ${host} is reachable at ${urls ?? 'no other address'}`, () => {
    const found = urlsElsewhere(host, 'https://localhost:7878', {
      lo: [address('127.0.0.1', 'IPv4', true)],
      eth0: [address('192.168.1.5', 'IPv4', false), address('fe80::1', 'IPv6', false)],
      eth1: [address('10.0.0.2', 'IPv4', false)],
    })
    assert.deepEqual(found, urls)
    const screen = readyScreen({ ...first, recovered: later.recovered, urlsElsewhere: found }, here)
    assert.equal(screen.includes('From other computers: https://192.168.1.5:7878'), urls !== undefined)
    assert(screen.split('\n').length <= 15)
  })
