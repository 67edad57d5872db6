import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { apply } from '../apply.ts'
import { decode, encode } from '../encode.ts'
import type { BrokerEvent } from '../events.ts'
import { forget } from '../forget.ts'
import type { Ticker } from '../ids.ts'
import { customer, STREET, shares } from '../ledger/chart.ts'
import { balance } from '../ledger/ledger.ts'
import { emptyState } from '../state.ts'
import { Teller } from '../testing.ts'

const scene = ['open A 50000', 'open B 50000', 'open I 0', 'issuer I xstocks AAPL,TSLA solana,base']
const symbols = ['AAPL', 'TSLA'] as const

const account = fc.constantFrom('A', 'B')
const symbol = fc.constantFrom(...symbols)
const size = fc.constantFrom('1', '2.5', '7', '0.333333333', '40')
const request = fc.nat({ max: 5 }).map((n) => `m${n}`)

/** Names of orders are made unique by their place in the story. */
const line = fc.oneof(
  fc.tuple(account, symbol, size).map(([a, s, n]) => `buy ${a} # ${s} ${n}`),
  fc.tuple(account, symbol, size).map(([a, s, n]) => `sell ${a} # ${s} ${n}`),
  fc.tuple(account, symbol, size).map(([a, s, n]) => `sell ${a} # ${s} ${n} @150`),
  fc.tuple(account, symbol, size).map(([a, s, n]) => `buy ${a} # ${s} ${n} @90 gtc`),
  fc.tuple(account, request, symbol, size).map(([a, m, s, n]) => `mint ${a} ${m} ${s} ${n} key=${m}`),
  fc
    .tuple(fc.constantFrom('job', 'accept', 'refuse', 'confirm', 'deny', 'complete', 'fail'), request)
    .map(([verb, m]) => `${verb} ${m}`),
  fc.tuple(symbol, fc.integer({ min: 80, max: 160 })).map(([s, p]) => `quote ${s} ${p} ${p}.05`),
  fc.constantFrom('wait 1', 'wait 3600', 'wait 90000', 'forget'),
)

/** Tells what can be told; a line about a request nobody made is left out. After every line the books are audited. */
function tellAll(lines: readonly string[]): Teller {
  const teller = new Teller()
  for (const line of [...scene, 'quote AAPL 99 100', 'quote TSLA 99 100', 'link A xstocks', 'link B xstocks'])
    teller.tell(line)
  lines.forEach((line, index) => {
    const [verb = '', name = ''] = line.split(' ')
    if (line === 'forget') forget(teller.state, teller.state.seq)
    else if (!/^m\d$/.test(name) || teller.requests.has(name) || verb === 'mint')
      teller.tell(line.replace('#', `o${index}`))
  })
  return teller
}

test('whatever is bought, sold, minted and rejected: the books agree and no share is made or lost', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
      const { state } = tellAll(lines)
      for (const name of symbols) {
        const asset = shares(name as Ticker)
        const owned = [...state.accounts.keys()].flatMap((id) => [
          balance(state.ledger, customer(id, 'settled'), asset),
          balance(state.ledger, customer(id, 'unsettled'), asset),
        ])
        const sum = owned.reduce((total, amount) => total + amount, 0n)
        assert.equal(sum, -balance(state.ledger, STREET, asset))
      }
    }),
    { numRuns: 150 },
  )
})

test('the events alone rebuild the state', () => {
  const told = fc.array(line, { maxLength: 40 }).map((lines) => lines.filter((one) => one !== 'forget'))
  fc.assert(
    fc.property(told, (lines) => {
      const teller = tellAll(lines)
      const rebuilt = emptyState()
      for (const event of teller.events) apply(rebuilt, decode(encode(event)) as BrokerEvent)
      assert.equal(encode(rebuilt), encode(teller.state))
    }),
    { numRuns: 60 },
  )
})
