import assert from 'node:assert/strict'
import test from 'node:test'
import type { Price } from '../amount.ts'
import type { CivilDate } from '../civil-date.ts'
import type { Command } from '../commands.ts'
import type { ActionId, Ticker, WorldId } from '../ids.ts'
import { amount } from '../testing/script-lines.ts'
import { plainWorld, TestWorld } from '../testing/world.ts'
import { type Instant, MINUTE } from '../time.ts'
import { followingSettings, isMarketChange, type MarketChange } from './followed.ts'

const AAPL = 'AAPL' as Ticker
const MAIN = 'main' as WorldId
const settings = followingSettings(plainWorld, MAIN, plainWorld)

const opened = (of = {}): TestWorld => {
  const world = new TestWorld(of)
  world.run('quote AAPL 99 100')
  world.run('trade AAPL 100')
  world.run('open A 100000')
  world.run('buy A o1 AAPL 10')
  return world
}

const halt = (world: TestWorld, minutes: number): Command => {
  const from = (world.now + BigInt(minutes) * MINUTE) as Instant
  const to = (from + MINUTE) as Instant
  return {
    kind: 'addMarketEvent',
    marketEvent: { kind: 'halt', symbol: AAPL, from, to, reason: 'newsPending' },
  }
}
const dividend = (exDate: string): Command => ({
  kind: 'scheduleAction',
  symbol: AAPL,
  exDate: exDate as CivilDate,
  terms: {
    kind: 'dividend',
    rate: amount('0.5') as Price,
    recordDate: exDate as CivilDate,
    payDate: exDate as CivilDate,
    special: false,
  },
})
const split: Command = {
  kind: 'scheduleAction',
  symbol: AAPL,
  exDate: '2026-11-05' as CivilDate,
  terms: { kind: 'split', newRate: amount('2'), oldRate: amount('1') },
}

/** A world with each kind of change of a market, and other events between them. */
function followed(): TestWorld {
  const world = opened()
  const lastAction = () => [...world.state.actions.keys()].at(-1) as ActionId
  const changes: readonly (() => Command)[] = [
    () => ({ kind: 'addSymbol', symbol: 'SOFI' as Ticker, price: amount('12') as Price }),
    () => halt(world, 10),
    () => dividend('2026-11-04'),
    () => halt(world, 20),
    () => ({ kind: 'removeMarketEvent', number: 1 }),
    () => split,
    () => dividend('2026-11-06'),
    () => ({ kind: 'cancelAction', actionId: lastAction() }),
    () => ({ kind: 'addSymbol', symbol: 'RIVN' as Ticker }),
  ]
  for (const [index, change] of changes.entries()) {
    const decision = world.submit(change())
    assert.ok(decision.ok, `change ${index}`)
    world.run(`open B${index} 10`)
  }
  return world
}

type Copy = { readonly seq: number; readonly change: MarketChange }

const changesOf = ({ events }: TestWorld): readonly Copy[] =>
  events.flatMap((event, index) =>
    isMarketChange(event.kind) ? [{ seq: index + 1, change: event as MarketChange }] : [],
  )

/** Copies from the last stored number on, as after a start. At most so many. */
function copy(world: TestWorld, of: TestWorld, most = Number.POSITIVE_INFINITY): void {
  let after = world.state.followed!.seq
  for (const { seq, change } of changesOf(of)
    .filter((one) => one.seq > after)
    .slice(0, most)) {
    world.submit({ kind: 'copyMarket', after, seq, change })
    after = seq
  }
}

const marketOf = ({ state: { symbols, marketEvents, removedMarketEvents, actions } }: TestWorld) => ({
  symbols,
  marketEvents,
  removedMarketEvents,
  actions: [...actions.values()].map(({ appliedAt: _, ...action }) => action),
})

test('a following world copies each change once and in order, wherever it stops between two copies', () => {
  const main = followed()
  const all = changesOf(main)
  assert.equal(all.length, 9)
  for (let stop = 0; stop <= all.length; stop++) {
    const world = opened(settings)
    copy(world, main, stop)
    // Sent again after a lost response: no change.
    for (const { seq, change } of all.slice(0, stop))
      assert.deepEqual(world.submit({ kind: 'copyMarket', after: 0, seq, change }), { ok: true, value: [] })
    copy(world, main)
    assert.deepEqual(marketOf(world), marketOf(main))
    assert.deepEqual(
      changesOf(world).map(({ change: { kind } }) => kind),
      all.map(({ change: { kind } }) => kind),
    )
    assert.equal(world.state.followed?.seq, all.at(-1)!.seq)
  }
})

test('a skipped change is a bug that stores nothing', () => {
  const main = followed()
  const all = changesOf(main)
  for (let skipped = 0; skipped < all.length - 1; skipped++) {
    const world = opened(settings)
    copy(world, main, skipped)
    const { seq: after } = all[skipped]!
    const count = world.events.length
    assert.throws(
      () => world.submit({ kind: 'copyMarket', after, ...all[skipped + 1]! }),
      /bug: expected the event/,
    )
    assert.equal(world.events.length, count)
  }
})

test('a number without a change is stored', () => {
  const world = opened(settings)
  world.submit({ kind: 'copyMarket', after: 0, seq: 10_000 })
  assert.deepEqual(world.state.followed, { world: 'main', seq: 10_000 })
  assert.equal(world.events.at(-1)?.kind, 'marketCopied')
})

test('a following world refuses changes of its market and names the followed world, until it ends', () => {
  const world = opened(settings)
  const commands: readonly Command[] = [
    { kind: 'addSymbol', symbol: 'SOFI' as Ticker },
    halt(world, 10),
    { kind: 'removeMarketEvent', number: 1 },
    { kind: 'useImportedData', data: [] },
    split,
    { kind: 'cancelAction', actionId: 'any' as ActionId },
  ]
  for (const command of commands)
    assert.deepEqual(world.submit(command), { ok: false, reason: { code: 'marketFollowed', world: 'main' } })
  assert.ok(world.submit({ kind: 'endFollowing' }).ok)
  assert.equal(world.state.followed, undefined)
  assert.ok(world.submit(commands[0]!).ok)
  assert.deepEqual(world.submit({ kind: 'endFollowing' }), { ok: true, value: [] })
})

test('the entitlements of accounts come from their own positions, and an applied action stays', () => {
  const main = followed()
  const world = opened(settings)
  copy(world, main)
  world.run('sell A o2 AAPL 4')
  world.run('until 2026-11-07T15:00:00Z')
  const [account] = world.state.positions.values()
  assert.equal(account?.get(AAPL)?.quantity, amount('12'))
  const paid = world.events.flatMap((event) => (event.kind === 'dividendPaid' ? [event.quantity] : []))
  assert.deepEqual(paid, [amount('6')])
  const [actionId] = [...world.state.actions.keys()].slice(-1) as [ActionId]
  main.submit({ kind: 'cancelAction', actionId })
  const { events } = main
  assert.equal(events.at(-1)?.kind, 'actionCanceled')
  copy(world, main)
  assert.equal(world.state.followed?.seq, events.length)
  assert.ok(world.state.actions.has(actionId))
})
