import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../amount.ts'
import { TestWorld } from '../testing/world.ts'
import { custodyBalances } from './custody.ts'

const scene = [
  'open A 10000',
  'open I 0',
  'issuer I xstocks AAPL,TSLA solana,base',
  'link A xstocks',
  'quote AAPL 99 100',
  'quote TSLA 99 100',
  'buy A o1 AAPL 20',
  'buy A o2 TSLA 20',
]
const minted = (name: string, symbol: string, size: string, network: string) => [
  ...moved(name, symbol, size, network),
  `confirm ${name}`,
  `complete ${name} 0x1`,
]
const moved = (name: string, symbol: string, size: string, network: string) => [
  `mint A ${name} ${symbol} ${size} on=${network}`,
  `job ${name}`,
  `accept ${name}`,
]

for (const [given, then] of [
  [[], []],
  [['mint A m1 AAPL 2'], []],
  [moved('m1', 'AAPL', '2', 'solana'), ['xstocks AAPL holds 2 at 1/1: , 2 in flight']],
  [minted('m1', 'AAPL', '2', 'solana'), ['xstocks AAPL holds 2 at 1/1: solana 2, 0 in flight']],
  [
    [
      ...minted('m1', 'AAPL', '2', 'solana'),
      ...minted('m2', 'AAPL', '1.5', 'base'),
      ...minted('m3', 'TSLA', '7', 'base'),
      ...moved('m4', 'AAPL', '3', 'base'),
    ],
    [
      'xstocks AAPL holds 6.5 at 1/1: base 1.5 solana 2, 3 in flight',
      'xstocks TSLA holds 7 at 1/1: base 7, 0 in flight',
    ],
  ],
  [
    [...minted('m1', 'AAPL', '2', 'solana'), 'redeem A r1 AAPL 1.5'],
    ['xstocks AAPL holds 0.5 at 1/1: solana 0.5, 0 in flight'],
  ],
  [[...minted('m1', 'AAPL', '2', 'solana'), 'redeem A r1 AAPL 2'], []],
  [[...moved('m1', 'AAPL', '2', 'solana'), 'forbid m1'], []],
] as const)
  test(`after ${given.length === 0 ? 'nothing' : given.join(', ')}`, () => {
    const world = new TestWorld()
    for (const line of [...scene, ...given]) world.run(line)
    const rows = custodyBalances(world.state).map(
      ({ issuer, underlying, custody, multiplier, tokens, inFlight }) => {
        const by = [...tokens].map(([network, amount]) => `${network} ${format(amount)}`).sort()
        const rate = `${multiplier.shares}/${multiplier.tokens}`
        return `${issuer} ${underlying} holds ${format(custody)} at ${rate}: ${by.join(' ')}, ${format(inFlight)} in flight`
      },
    )
    assert.deepEqual(rows, then)
  })
