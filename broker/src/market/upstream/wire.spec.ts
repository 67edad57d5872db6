import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UpstreamFailed } from './failure.ts'
import { streamUrlOf } from './terms.ts'
import { barFrom, parseSent, quoteFrom, type Sent, tradeFrom } from './wire.ts'

const t = '2026-11-02T15:00:00.123456789Z'
const trade = { t, p: 1, s: 1, i: 1, x: 'V', c: ['@'], z: 'C' }

for (const [number, billionths] of [
  ['133.85', 133_850_000_000n],
  ['0.00001234', 12_340n],
  ['5e-9', 5n],
  ['12345678901', 12_345_678_901_000_000_000n],
  ['34567890.125', 34_567_890_125_000_000n],
] as const)
  test(`${number} is ${billionths} billionths`, () =>
    assert.equal(tradeFrom({ ...trade, p: Number(number) }).price, billionths))

test('times are read to the nanosecond', () =>
  assert.equal(tradeFrom(trade).at % 1_000_000_000n, 123_456_789n))

test('ids above 53 bits stay distinct', () => {
  const [one, other] = ['9007199254740993001', '9007199254740993002'].map(
    (id) => tradeFrom(parseSent(`{"t":"${t}","p":1,"s":1,"i":${id}}`) as Sent).id,
  )
  assert.notEqual(one, other)
  assert.ok(Number.isSafeInteger(one))
})

test('a crypto quote has no exchange, and a stock quote keeps its exchanges', () => {
  const quote = { t, bp: 1, bs: 2, ap: 3, as: 4 }
  assert.equal(quoteFrom(quote).origin, undefined)
  const origin = { bidExchange: 'V', askExchange: 'Q', tape: 'C', conditions: ['R'] }
  assert.deepEqual(quoteFrom({ ...quote, bx: 'V', ax: 'Q', c: ['R'], z: 'C' }).origin, origin)
})

for (const [what, read] of [
  ['a price that is text', () => tradeFrom({ ...trade, p: '1' })],
  ['an invalid time', () => tradeFrom({ ...trade, t: 'yesterday' })],
  ['a bar without a close', () => barFrom({ t, o: 1, h: 1, l: 1, v: 1 })],
  ['an id that is text', () => tradeFrom({ ...trade, i: 'x1' })],
] as const)
  test(`${what} throws UpstreamFailed`, () => assert.throws(read, UpstreamFailed))

for (const [url, streamUrl, expected] of [
  ['https://data.example.com', undefined, 'wss://stream.data.example.com'],
  ['http://127.0.0.1:7878', undefined, 'ws://127.0.0.1:7878'],
  ['https://data.example.com', 'https://other.example.com/here', 'wss://other.example.com/here'],
] as const)
  test(`the streams of ${url} with ${streamUrl} are at ${expected}`, () =>
    assert.equal(streamUrlOf({ url, streamUrl }), expected))
