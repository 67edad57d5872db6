import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Instant } from '@quipu/core'
import { delayMs } from './effect.ts'
import { Faults } from './faults.ts'
import { effectOfSymbol, ruleOfId } from './magic.ts'
import type { Match, RequestFacts } from './match.ts'
import type { RuleParts } from './rule.ts'

const NOW = 1_000n as Instant
const facts = (more: Partial<RequestFacts> = {}): RequestFacts => ({
  now: () => NOW,
  operation: ['placeOrder', 'trading'],
  ...more,
})
const rule = (match: Match, times = 1): RuleParts => ({
  on: 'request',
  match,
  effect: { kind: 'requestLost' },
  times,
})

/** Which of these requests a rule affects, as one letter each. */
function story(match: Match, times: number, count: number, seed = 'seed'): string {
  const faults = new Faults(seed)
  faults.create(rule(match, times), NOW)
  return Array.from({ length: count }, () => (faults.meet('request', facts()) ? 'x' : '.')).join('')
}

const counting: readonly [match: Match, times: number, result: string][] = [
  [{}, 1, 'x.......'],
  [{}, 3, 'xxx.....'],
  [{ nth: 3 }, 1, '..x.....'],
  [{ nth: 3 }, 2, '..xx....'],
  [{ next: 2 }, 2, 'xx......'],
  [{ nth: 2, next: 3 }, 3, '.xxx....'],
  [{ nth: 2, next: 3 }, 2, '.xx.....'],
  [{}, Number.POSITIVE_INFINITY, 'xxxxxxxx'],
]
for (const [match, times, result] of counting)
  test(`${JSON.stringify(match)} with a budget of ${times} affects ${result}`, () =>
    assert.equal(story(match, times, 8), result))

test('a share is drawn from the seed: the same again for the same seed, and near the share', () => {
  const drawn = story({ share: 0.3 }, 1000, 1000)
  assert.equal(drawn, story({ share: 0.3 }, 1000, 1000))
  assert.notEqual(drawn, story({ share: 0.3 }, 1000, 1000, 'other'))
  const hits = drawn.replaceAll('.', '').length
  assert.ok(hits > 250 && hits < 350, `${hits} of 1000`)
  assert.equal(story({ share: 0.3 }, 5, 1000).replaceAll('.', '').length, 5)
  assert.ok(story({ share: 0.5, next: 10 }, 10, 100).lastIndexOf('x') < 10)
})

const conditions: readonly [match: Match, fits: Partial<RequestFacts>, other: Partial<RequestFacts>][] = [
  [{ operation: ['trading'] }, {}, { operation: ['stockBars', 'data'] }],
  [{ operation: ['cancelOrder', 'placeOrder'] }, {}, { operation: ['getOrder', 'trading'] }],
  [{ account: 'a' }, { accountId: 'a' }, { accountId: 'b' }],
  [{ account: 'a' }, { accountId: 'a' }, {}],
  [{ symbol: ['AAPL'] }, { symbols: ['TSLA', 'AAPL'] }, { symbols: ['TSLA'] }],
  [{ symbol: ['AAPL'] }, { symbols: ['AAPL'] }, {}],
  [{ clientOrderId: 'one' }, { clientOrderId: 'one' }, { clientOrderId: 'two' }],
  [
    { stream: ['market_data'] },
    { stream: ['market_data', '/v2/sip'] },
    { stream: ['trade_updates', '/stream'] },
  ],
  [{ message: ['fill'] }, { message: 'fill' }, { message: 'new' }],
  [{ call: ['issuerMint'] }, { call: 'issuerMint' }, { call: 'chainMint' }],
  [{ from: 1_000n as Instant }, {}, { now: () => 999n as Instant }],
  [{ to: 1_001n as Instant }, {}, { now: () => 1_001n as Instant }],
]
for (const [index, [match, fits, other]] of conditions.entries())
  test(`condition ${index}: ${Object.keys(match)} holds or not`, () => {
    const faults = new Faults('seed')
    const created = faults.create(rule(match, 10), NOW)
    assert.equal(faults.meet('request', facts(other)), undefined)
    assert.equal(created.matched, 0)
    assert.equal(faults.meet('request', facts(fits))?.rule, created)
    assert.equal(faults.meet('call', facts(fits)), undefined)
    assert.deepEqual([created.matched, created.consumed], [1, 1])
  })

test('every rule counts a match, the oldest one applies, and the next one follows', () => {
  const faults = new Faults('seed')
  const [first, second] = [faults.create(rule({}), NOW), faults.create(rule({}), NOW)]
  const met = Array.from({ length: 3 }, () => faults.meet('request', facts())?.rule.number)
  assert.deepEqual(met, [1, 2, undefined])
  assert.deepEqual([first.matched, second.matched], [3, 3])
  faults.delete(first)
  assert.equal(faults.create(rule({}), NOW).number, 3)
})

test('a rule is exhausted when its budget is used up, or when no match of its window is left', () => {
  const faults = new Faults('seed')
  const rare = faults.create(rule({ next: 2, share: 0.000001 }, 2), NOW)
  faults.meet('request', facts())
  assert.equal(rare.isExhausted, false)
  faults.meet('request', facts())
  assert.deepEqual([rare.isExhausted, rare.consumed], [true, 0])
})

test('delays are fixed, just over the timeout of the client, or drawn', () => {
  assert.equal(delayMs({ ms: 250 }, 0.9), 250)
  assert.equal(delayMs({ clientTimeoutMs: 1000 }, 0.9), 1500)
  const drawn = (distribution: 'uniform' | 'long_tail') => (draw: number) =>
    delayMs({ minMs: 100, maxMs: 300, distribution }, draw)
  assert.deepEqual([0, 0.5, 0.999].map(drawn('uniform')), [100, 200, 300])
  assert.deepEqual([0, 0.5, 0.999].map(drawn('long_tail')), [100, 113, 299])
})

test('a client order id creates its rule once; with a full list it replaces an exhausted one of its kind', () => {
  const faults = new Faults('seed')
  const create = (id: string) => faults.createAutomatic(ruleOfId(`quipu-fault:${id}`, 'a', [429])!, NOW, 1)
  faults.create(rule({ clientOrderId: 'of an operator' }), NOW)
  assert.ok(create('request_lost:1') && create('request_lost:1'))
  assert.deepEqual([faults.size, faults.created], [2, 1])
  assert.equal(create('request_lost:2'), false)
  const clientOrderId = 'quipu-fault:request_lost:1'
  assert.equal(faults.meet('request', facts({ accountId: 'b', clientOrderId })), undefined)
  assert.equal(faults.meet('request', facts({ accountId: 'a', clientOrderId }))?.effect.kind, 'requestLost')
  assert.equal(faults.meet('request', facts({ accountId: 'a', clientOrderId })), undefined)
  assert.ok(create('request_lost:2'))
  assert.deepEqual(
    faults.all().map(({ number }) => number),
    [1, 3],
  )
})

const magicIds: readonly [words: string, effect: object | undefined][] = [
  ['status-429', { kind: 'status', status: 429, applied: false, retryAfterSeconds: 1 }],
  ['status-429-applied', undefined],
  ['status-200', undefined],
  ['status', undefined],
  ['delay-250', { kind: 'delay', ms: 250, applied: false }],
  ['delay-250-applied', { kind: 'delay', ms: 250, applied: true }],
  ['delay-0000', undefined],
  ['delay-600001', undefined],
  ['reset', { kind: 'reset', applied: false }],
  ['reset-applied', { kind: 'reset', applied: true }],
  ['reset-now', undefined],
  ['answer_lost-applied', { kind: 'answerLost' }],
  ['half_open-fill', { kind: 'halfOpen' }],
  ['silence-fill-applied', undefined],
  ['slow-fill', undefined],
  ['constructor-fill', undefined],
]
for (const [words, effect] of magicIds)
  test(`the client order id quipu-fault:${words} has the effect ${JSON.stringify(effect)}`, () => {
    for (const rest of ['', ':', ':any text'])
      assert.deepEqual(ruleOfId(`quipu-fault:${words}${rest}`, 'a', [429, 504])?.effect, effect)
    assert.equal(ruleOfId(`quipu-fault:${words}x:`, 'a', [429, 504]), undefined)
  })

test('a symbol has an effect only if its word names one', () => {
  const effects = ['FAULT.429', 'FAULT.LOST', 'FAULT.RESET', 'FAULT.', 'FAULT.9', 'FAULT.CLOSE'].map(
    (symbol) => effectOfSymbol(symbol, [429])?.kind,
  )
  assert.deepEqual(effects, ['status', 'requestLost', 'reset', undefined, undefined, undefined])
})
