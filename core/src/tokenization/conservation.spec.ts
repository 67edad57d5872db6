import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { UNIT } from '../amount.ts'
import { apply } from '../apply.ts'
import { decode, encode } from '../encode.ts'
import type { BrokerEvent } from '../events.ts'
import type { Ticker } from '../ids.ts'
import { CORPORATE, customer, STREET, shares } from '../ledger/chart.ts'
import { balance } from '../ledger/ledger.ts'
import { nextSession } from '../market/calendar.ts'
import { forget } from '../state/forget.ts'
import { emptyState } from '../state/state.ts'
import { TestWorld } from '../testing/world.ts'
import { newYork } from '../time.ts'

const scene = ['open A 50000', 'open B 50000', 'open I 0', 'issuer I xstocks AAPL,TSLA solana,base']
const symbols = ['AAPL', 'TSLA'] as const

const account = fc.constantFrom('A', 'B')
const symbol = fc.constantFrom(...symbols)
const size = fc.constantFrom('1', '2.5', '7', '0.333333333', '40')
const request = fc.constantFrom('m0', 'm1', 'm2')
const sized = fc.tuple(account, symbol, size)

/** `#` becomes a unique order name; `yes` and `no` run the next job of a mint and answer it. */
const line = fc.oneof(
  sized.map(([a, s, n]) => `buy ${a} # ${s} ${n}`),
  sized.map(([a, s, n]) => `sell ${a} # ${s} ${n}`),
  sized.map(([a, s, n]) => `sell ${a} # ${s} ${n} @150`),
  sized.map(([a, s, n]) => `buy ${a} # ${s} ${n} @90 gtc`),
  fc.tuple(sized, request).map(([[a, s, n], m]) => `mint ${a} ${m} ${s} ${n} key=${m}`),
  fc.tuple(fc.constantFrom('yes', 'yes', 'yes', 'no'), request).map(([verb, m]) => `${verb} ${m}`),
  request.map((m) => `yes ${m}`),
  fc
    .tuple(fc.constantFrom('job', 'accept', 'refuse', 'confirm', 'deny', 'complete', 'fail'), request)
    .map(([verb, m]) => `${verb} ${m}`),
  fc
    .tuple(fc.constantFrom('hold', 'release', 'force', 'force', 'forbid', 'acknowledge'), request)
    .map(([verb, m]) => `${verb} ${m}`),
  fc
    .tuple(sized, fc.constantFrom('solana', 'base'))
    .map(([[a, s, n], network]) => `redeem ${a} r# ${s} ${n} on=${network} id=#`),
  fc
    .tuple(symbol, fc.constantFrom('2:1', '3:2', '1:4', '3:1', '1:7'))
    .map(([s, ratio]) => `split ${s} ${ratio}`),
  fc.tuple(symbol, fc.integer({ min: 80, max: 160 })).map(([s, p]) => `quote ${s} ${p} ${p}.05`),
  fc.constantFrom('wait 1', 'wait 3600', 'wait 90000', 'forget'),
)
const lines = fc.array(line, { minLength: 20, maxLength: 100, size: 'max' })

const opening = ['quote AAPL 99 100', 'quote TSLA 99 100', 'link A xstocks', 'link B xstocks']
/** Tokens that can be redeemed. */
const minted = ['mint A m9 AAPL 20', 'force m9', 'mint B m8 TSLA 20 on=base', 'force m8']
const responses = {
  yes: { issuerMint: 'accept', issuerConfirm: 'confirm', issuerReject: 'acknowledge', chainMint: 'complete' },
  no: { issuerMint: 'refuse', issuerConfirm: 'deny', issuerReject: 'acknowledge', chainMint: 'fail' },
} as const

/** Runs the lines and skips those about unknown requests. The world is audited after every line. */
function runAll(all: readonly string[]): TestWorld {
  const world = new TestWorld()
  for (const one of [...scene, ...opening, 'buy A a AAPL 60', 'buy B b TSLA 60', ...minted]) world.run(one)
  all.forEach((one, index) => {
    const [verb = '', name = ''] = one.split(' ')
    if (one === 'forget') forget(world.state, world.state.seq)
    else if (verb === 'yes' || verb === 'no') answerNextJob(world, name, verb)
    else if (verb === 'split') splitShares(world, name, one.split(' ')[2] ?? '', index)
    else if (!/^m\d$/.test(name) || world.requests.has(name)) world.run(one.replaceAll('#', `o${index}`))
  })
  return world
}

function answerNextJob(world: TestWorld, name: string, response: keyof typeof responses): void {
  const id = world.requests.get(name)
  const job = [...world.state.jobs.values()].find(({ requestId }) => requestId === id)
  if (!job) return
  world.run(`job ${name}`)
  if (job.kind in responses[response])
    world.run(`${responses[response][job.kind as keyof (typeof responses)['yes']]} ${name}`)
}

/** Schedules a split for the next trading day, if there is one. */
function splitShares(world: TestWorld, symbol: string, ratio: string, index: number): void {
  const [newRate = 1n, oldRate = 1n] = ratio.split(':').map((rate) => BigInt(rate) * UNIT)
  const exDate = nextSession(newYork(world.now).date)?.date
  if (!exDate) return
  world.submit({
    kind: 'scheduleAction',
    symbol: symbol as Ticker,
    exDate,
    terms: { kind: 'split', newRate, oldRate },
  })
  world.run(index % 2 ? 'wait 90000' : 'wait 1')
}

test('random trades, mints and redeems: the audit passes, and no share is created or lost', () => {
  const kinds = new Set<string>()
  fc.assert(
    fc.property(lines, (all) => {
      const { state, events } = runAll(all)
      for (const { kind } of events) kinds.add(kind)
      for (const name of symbols) {
        const asset = shares(name as Ticker)
        const owned = [...state.accounts.keys()].flatMap((id) => [
          balance(state.ledger, customer(id, 'settled'), asset),
          balance(state.ledger, customer(id, 'unsettled'), asset),
        ])
        const sum = owned.reduce((total, amount) => total + amount, 0n)
        assert.equal(sum, -balance(state.ledger, STREET, asset) - balance(state.ledger, CORPORATE, asset))
      }
    }),
    { numRuns: 100 },
  )
  for (const kind of [
    'orderFilled',
    'accountSettled',
    'mintTransferred',
    'mintCompleted',
    'mintRejected',
    'redeemCompleted',
    'requestHeld',
    'listingsChanged',
  ])
    assert.ok(kinds.has(kind), `${kind} never happened`)
})

test('the events alone rebuild the state', () => {
  const withoutForget = lines.map((all) => all.filter((one) => one !== 'forget'))
  fc.assert(
    fc.property(withoutForget, (all) => {
      const world = runAll(all)
      const rebuilt = emptyState()
      for (const event of world.events) apply(rebuilt, decode(encode(event)) as BrokerEvent)
      assert.equal(encode(rebuilt), encode(world.state))
    }),
    { numRuns: 30 },
  )
})
