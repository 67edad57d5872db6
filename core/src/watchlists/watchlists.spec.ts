import assert from 'node:assert/strict'
import test from 'node:test'
import { apply } from '../apply.ts'
import { auditFaults } from '../audit.ts'
import type { Command } from '../commands.ts'
import type { AccountId, Ticker, WatchlistId } from '../ids.ts'
import { emptyState, type State } from '../state/state.ts'
import { MONDAY, TestWorld } from '../testing/world.ts'
import { listsOf } from './change.ts'
import type { Watchlist } from './watchlist.ts'

const limits = { lists: 2, symbols: 3 }

/** A world with the accounts A and B and the symbols AAPL, MSFT, KO and F. */
function newWorld(): TestWorld {
  const world = new TestWorld()
  world.run('open A 1000')
  world.run('open B 1000')
  for (const symbol of ['AAPL', 'MSFT', 'KO', 'F']) world.assets.set(symbol, {})
  return world
}

/**
 * Lines: `A new NAME SYMBOLS…`, `A put NAME with SYMBOLS…`, `A rename NAME to NAME`, `A add NAME SYMBOL`,
 * `A drop NAME SYMBOL`, `A delete NAME`.
 */
function commandOf(world: TestWorld, line: string): Command {
  const [owner, verb, name = '', ...words] = line.split(' ')
  const accountId = world.accounts.get(owner!) ?? ('nobody' as AccountId)
  const symbols = words as readonly string[] as readonly Ticker[]
  const list = { accountId, which: { name } }
  switch (verb) {
    case 'new':
      return { kind: 'createWatchlist', accountId, name, symbols, limits }
    case 'put':
      return { kind: 'changeWatchlist', ...list, symbols: symbols.slice(1), limits }
    case 'rename':
      return { kind: 'changeWatchlist', ...list, name: words[1]!, limits }
    case 'add':
      return { kind: 'addToWatchlist', ...list, symbol: symbols[0]!, limits }
    case 'drop':
      return { kind: 'removeFromWatchlist', ...list, symbol: symbols[0]! }
    default:
      return { kind: 'deleteWatchlist', ...list }
  }
}

/** The code of a refusal, or the lists of A and B afterwards. */
function submitLine(world: TestWorld, line: string): string {
  const decision = world.submit(commandOf(world, line))
  assert.deepEqual(auditFaults(world.state), [])
  return decision.ok ? listsText(world.state, world) : decision.reason.code
}

const listsText = (state: State, { accounts }: TestWorld): string =>
  [...accounts]
    .flatMap(([owner, id]) =>
      listsOf(state, id).map(({ name, symbols }) => `${owner} ${name}: ${symbols.join(' ')}`),
    )
    .join('; ')

const cases: readonly [before: readonly string[], line: string, then: string][] = [
  [[], 'A new one', 'A one: '],
  [[], 'A new one MSFT AAPL', 'A one: MSFT AAPL'],
  [[], 'A new one MSFT AAPL MSFT', 'A one: MSFT AAPL'],
  [[], 'A new one MSFT NONE', 'assetUnknown'],
  [[], 'A new one MSFT AAPL KO F', 'watchlistFull'],
  [[], 'nobody new one', 'accountNotFound'],
  [['A new one'], 'A new one', 'watchlistNameTaken'],
  [['A new one'], 'A new One', 'A one: ; A One: '],
  [['A new one'], 'B new one', 'A one: ; B one: '],
  [['A new one', 'A new two'], 'A new three', 'watchlistLimitReached'],
  [['A new one', 'A new two'], 'B new three', 'A one: ; A two: ; B three: '],
  [['A new one', 'A new two', 'A delete one'], 'A new three', 'A two: ; A three: '],
  [['A new one KO'], 'A put one with F AAPL', 'A one: F AAPL'],
  [['A new one KO'], 'A put one with', 'A one: '],
  [['A new one KO'], 'A put one with NONE', 'assetUnknown'],
  [['A new one KO'], 'A put one with KO F AAPL MSFT', 'watchlistFull'],
  [['A new one KO'], 'A put two with KO', 'watchlistNotFound'],
  [['A new one KO'], 'B put one with KO', 'watchlistNotFound'],
  [['A new one KO'], 'A rename one to two', 'A two: KO'],
  [['A new one KO'], 'A rename one to one', 'A one: KO'],
  [['A new one KO', 'A new two F'], 'A rename one to two', 'watchlistNameTaken'],
  [['A new one KO'], 'A add one F', 'A one: KO F'],
  [['A new one KO'], 'A add one KO', 'watchlistHasSymbol'],
  [['A new one KO'], 'A add one NONE', 'assetUnknown'],
  [['A new one KO F MSFT'], 'A add one AAPL', 'watchlistFull'],
  [['A new one KO'], 'A add two F', 'watchlistNotFound'],
  [['A new one KO F MSFT'], 'A drop one F', 'A one: KO MSFT'],
  [['A new one KO'], 'A drop one F', 'watchlistLacksSymbol'],
  [['A new one KO'], 'A drop two KO', 'watchlistNotFound'],
  [['A new one KO', 'A new two'], 'A delete one', 'A two: '],
  [['A new one KO'], 'A delete one', ''],
  [['A new one KO'], 'A delete two', 'watchlistNotFound'],
  [['A new one KO'], 'B delete one', 'watchlistNotFound'],
]

for (const [before, line, then] of cases)
  test(`${[...before, line].join('; ')} → ${then || 'nothing'}`, () => {
    const world = newWorld()
    for (const earlier of before) submitLine(world, earlier)
    const count = world.events.length
    assert.equal(submitLine(world, line), then)
    if (/^[a-z]+[A-Z]/.test(then)) assert.equal(world.events.length, count)
  })

for (const line of [
  'A new two',
  'A put one with F',
  'A rename one to two',
  'A add one F',
  'A drop one KO',
  'A delete one',
])
  test(`a closed account: ${line} → accountIsClosed`, () => {
    const world = newWorld()
    submitLine(world, 'A new one KO')
    world.run('close A empty')
    assert.equal(submitLine(world, line), 'accountIsClosed')
    assert.equal(listsText(world.state, world), 'A one: KO')
  })

test('a list keeps its id and creation time; every change sets a new update time', () => {
  const world = newWorld()
  const accountId = world.accounts.get('A')!
  submitLine(world, 'A new one KO')
  const [created] = listsOf(world.state, accountId)
  assert.ok(created!.createdAt > MONDAY && created!.createdAt === created!.updatedAt)
  world.submit({ kind: 'changeWatchlist', accountId, which: { id: created!.id }, name: 'two', limits })
  const [changed] = listsOf(world.state, accountId)
  assert.deepEqual([changed!.id, changed!.createdAt, changed!.name], [created!.id, created!.createdAt, 'two'])
  assert.ok(changed!.updatedAt > created!.updatedAt)
})

for (const [what, corrupt, fault] of [
  [
    'a name twice',
    (list: Watchlist) => [list, { ...list, id: 'other' as WatchlistId }],
    /^two watchlists of \S+ have one name$/,
  ],
  [
    'a symbol twice',
    (list: Watchlist) => [{ ...list, symbols: ['KO', 'KO'] as never }],
    /has a symbol twice$/,
  ],
] as const)
  test(`the audit finds ${what}`, () => {
    const world = newWorld()
    submitLine(world, 'A new one KO')
    const accountId = world.accounts.get('A')!
    const [list] = listsOf(world.state, accountId)
    world.state.watchlists.set(accountId, new Map(corrupt(list!).map((each) => [each.id, each])))
    assert.match(auditFaults(world.state).join(), fault)
  })

test('the audit finds lists without an account', () => {
  const world = newWorld()
  world.state.watchlists.set('nobody' as AccountId, new Map())
  assert.match(auditFaults(world.state).join(), /^watchlists of nobody, which does not exist$/)
})

test('applying the events again gives the same lists, in the same order', () => {
  const world = newWorld()
  for (const line of ['A new one KO', 'A new two', 'A rename one to three', 'A add two F', 'B new one'])
    submitLine(world, line)
  const replayed = emptyState()
  for (const event of world.events) apply(replayed, event)
  assert.equal(listsText(replayed, world), 'A three: KO; A two: F; B one: ')
  assert.equal(listsText(replayed, world), listsText(world.state, world))
})
