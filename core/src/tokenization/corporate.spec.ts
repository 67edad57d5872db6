import assert from 'node:assert/strict'
import test from 'node:test'
import { actionWorld, EX_DATE_START, rename, split } from '../actions/testing/actions.ts'
import { format } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import { multiplierOf } from './multiplier.ts'

const scene = [
  'open A 10000',
  'open I 0',
  'issuer I xstocks AAPL solana',
  'quote AAPL 99 100',
  'buy A o1 AAPL 10',
  'link A xstocks',
]
const minted = ['mint A m1 AAPL 6', 'job m1', 'accept m1', 'job m1', 'confirm m1', 'complete m1 0xabc']

type ActionWorld = ReturnType<typeof actionWorld>

const kept = (world: ActionWorld, symbol = 'AAPL'): string =>
  format(
    world.state.positions.get(world.accounts.get('I')!)?.get(symbol as Ticker)?.quantity ?? (0n as never),
  )
const multiplier = (world: ActionWorld, symbol = 'AAPL'): string => {
  const { shares, tokens } = multiplierOf(world.state.issuers.get('xstocks' as never)!, symbol as Ticker)
  return `${shares}/${tokens}`
}

for (const [newRate, oldRate, after, shares, uneven, even] of [
  ['2', '1', '2/1', '12', '0.000000001', '0.000000002'],
  ['3', '1', '3/1', '18', '1', '1.000000002'],
  ['3', '2', '3/2', '9', '1', '0.000000003'],
  ['1', '10', '1/10', '0.6', undefined, '0.000000001'],
] as const)
  test(`a split of ${newRate} for ${oldRate}: the multiplier becomes ${after}, and no share is lost`, () => {
    const world = actionWorld(...scene, ...minted)
    world.schedule(split(newRate, oldRate))
    world.run(EX_DATE_START)
    assert.deepEqual([kept(world), multiplier(world)], [shares, after])
    if (uneven) assert.equal(world.run(`redeem A r1 AAPL ${uneven}`), 'tokenQuantityNotMultiple')
    assert.equal(world.run(`redeem A r2 AAPL ${even}`), 'redeemRequested redeemCompleted')
    assert.equal(world.run(`redeem A r3 AAPL ${shares}`), 'tokenSupplyExceeded')
  })

test('a split during a mint: the number of tokens stays; a rejection returns the split shares', () => {
  for (const end of ['complete m2', 'deny m2']) {
    const world = actionWorld(...scene, 'mint A m2 AAPL 4', 'job m2', 'accept m2')
    world.schedule(split('4', '1'))
    world.schedule(split('1', '3'), { exDate: '2026-11-04' })
    world.run(EX_DATE_START)
    assert.deepEqual([kept(world), multiplier(world)], ['16', '4/1'])
    world.run(end)
    const position = world.state.positions.get(world.account)!.get('AAPL' as Ticker)!
    assert.equal(format(position.quantity), end === 'deny m2' ? '40' : '24')
    world.run('until 2026-11-04T05:00:00Z')
    assert.equal(multiplier(world), '4/3')
    assert.equal(kept(world), end === 'deny m2' ? '0' : '5.333333333')
  }
})

test('requests that only hold shares end before a split', () => {
  const world = actionWorld(
    ...scene,
    ...minted,
    'mint A m2 AAPL 3',
    'behave xstocks hold',
    'redeem A r1 AAPL 2',
  )
  world.schedule(split('2', '1'))
  const kinds = world.run(EX_DATE_START).split(' ')
  assert.deepEqual(
    kinds.filter((kind) => /^(mint|redeem|action|listings)/.test(kind)),
    ['mintRejected', 'redeemCompleted', 'actionApplied', 'listingsChanged'],
  )
  assert.deepEqual([kept(world), multiplier(world)], ['8', '2/1'])
})

test('a symbol change keeps the tokens', () => {
  const world = actionWorld(...scene, ...minted, 'mint A m2 AAPL 1', 'job m2', 'accept m2')
  world.schedule(rename('PEAR'))
  world.run(EX_DATE_START)
  assert.deepEqual([kept(world), kept(world, 'PEAR')], ['0', '7'])
  assert.equal(world.run('complete m2'), 'mintCompleted')
  assert.equal(world.run('redeem A r1 PEAR 7 token=AAPLx'), 'redeemRequested redeemCompleted')
})

const externalScene = scene.map((line) => (line.startsWith('issuer') ? `${line},base external` : line))
const minting = (name: string, qty: string, network: string): string[] => [
  `mint A ${name} AAPL ${qty} on=${network}`,
  `job ${name}`,
  `accept ${name}`,
  `job ${name}`,
  `confirm ${name}`,
  `complete ${name} 0x${name}`,
]

for (const [newRate, oldRate, shares] of [
  ['3', '1', '21.3'],
  ['3', '2', '10.65'],
  ['1', '3', '2.366666666'],
] as const)
  test(`after a split of ${newRate} for ${oldRate} an external issuer mints and redeems any quantity`, () => {
    const given = [...minting('m1', '6', 'solana'), ...minting('m2', '1.1', 'base')]
    const world = actionWorld(...externalScene, ...given)
    world.schedule(split(newRate, oldRate))
    assert.match(world.run(EX_DATE_START), / tokensRestated/)
    assert.deepEqual([kept(world), multiplier(world)], [shares, '1/1'])
    for (const qty of ['0.000000001', '0.1', '0.7'])
      assert.match(world.run(`redeem A r${qty} AAPL ${qty}`), /^redeemRequested/, qty)
    const [mintLine, ...responses] = minting('m3', '0.100000001', 'base')
    assert.equal(world.run(mintLine!), 'mintRequested')
    for (const line of responses) world.run(line)
    assert.equal(world.run(`redeem A all AAPL ${shares}`), 'tokenSupplyExceeded')
    assert.match(world.run('redeem A last AAPL 0.3 on=base'), /^redeemRequested/)
  })

test('a split during a mint with an external issuer: a rejection returns the split shares', () => {
  for (const end of ['complete m2', 'deny m2']) {
    const world = actionWorld(...externalScene, 'mint A m2 AAPL 4', 'job m2', 'accept m2')
    world.schedule(split('3', '1'))
    world.run(EX_DATE_START)
    assert.deepEqual([kept(world), multiplier(world)], ['12', '1/1'])
    world.run(end)
    const position = world.state.positions.get(world.account)!.get('AAPL' as Ticker)!
    assert.equal(format(position.quantity), end === 'deny m2' ? '30' : '18')
    const redeemed = world.run('redeem A r1 AAPL 11.999999999')
    assert.match(redeemed, end === 'deny m2' ? /tokenSupplyExceeded/ : /^redeemRequested/)
  }
})

test('a built-in issuer that becomes an external one after a split counts its tokens in shares', () => {
  const world = actionWorld(...scene, ...minted, 'mint A m2 AAPL 1', 'job m2', 'accept m2')
  world.schedule(split('3', '2'))
  world.run(EX_DATE_START)
  assert.deepEqual([kept(world), multiplier(world)], ['10.5', '3/2'])
  assert.equal(world.run('issuer I xstocks AAPL solana external'), 'tokensRestated issuerRegistered')
  assert.deepEqual([kept(world), multiplier(world)], ['10.5', '1/1'])
  assert.equal(world.run('redeem A r1 AAPL 9'), 'redeemRequested redeemCompleted')
  world.run('deny m2')
  assert.equal(kept(world), '0')
})
