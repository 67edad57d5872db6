import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WorldId } from '@quipu/core'
import type { Successor } from '../journal/journal.ts'
import { createLog } from '../log/log.ts'
import type { DurableRecord } from '../registry/durable-storage.ts'
import { type ClaimedLease, Claims } from './claims.ts'
import type { WorldRow } from './table.ts'
import type { TableView } from './table-view.ts'

const WORLD = 'friday' as WorldId
const NODE = { name: 'a', address: 'http://a' }
const row: WorldRow = { world: WORLD, isLate: false, seq: 0, fence: 0 }
const held: WorldRow = { ...row, holder: NODE }
const log = createLog({ level: 'error', readable: true, write: () => undefined })

type State = { isOpen: boolean; isLive: boolean; isUp?: boolean; journal?: string; isChanged?: boolean }
type Change = 'open' | 'close' | 'endLease'

/** Claims of the node `a`. A change that `waits` never ends. */
function newClaims(state: State, { rows = [row], waits }: { rows?: WorldRow[]; waits?: Change } = {}) {
  const calls: string[] = []
  const change = async (name: Change, what = '') => {
    calls.push(`${name}${what}`)
    await new Promise((resolve) => name !== waits && setImmediate(resolve))
  }
  const parts = {
    ...{ name: NODE.name, log, isOpen: () => state.isOpen, isLive: () => state.isLive },
    isUp: () => state.isUp ?? (state.isOpen && state.isLive),
    open: () => change('open'),
    close: () => change('close'),
    endLease: ({ journal = '' }: ClaimedLease, to?: Successor) =>
      change('endLease', `${journal && ` of ${journal}`}${to ? ` to ${to.name}` : ''}`),
    journals: () => new Map(state.journal === undefined ? [] : [[WORLD, state.journal]]),
    isChanged: () => state.isChanged === true,
  }
  const table = { worlds: rows, nodes: [] }
  const view = { table, row: () => rows[0] } as unknown as TableView
  return { calls, claims: new Claims(parts, view) }
}

/** A clock that the test moves. Returns the function that lets the node look at its worlds after some seconds. */
function looks(t: TestContext, claims: Claims): (seconds: number) => Promise<void> {
  let nowMs = 1_000
  t.mock.method(performance, 'now', () => nowMs)
  claims.giveUpSilent()
  return async (seconds) => {
    nowMs += seconds * 1_000
    claims.giveUpSilent()
    for (let turns = 4; turns > 0; turns--) await new Promise(setImmediate)
  }
}

test('a late request to claim a world that this node answers for changes nothing', async () => {
  const { calls, claims } = newClaims({ isOpen: true, isLive: true })
  await claims.open(row)
  assert.deepEqual(calls, [])
})

test('a request to claim a world that this node opens waits for it', async () => {
  const { calls, claims } = newClaims({ isOpen: false, isLive: false })
  await Promise.all([claims.open(row), claims.open(row)])
  assert.deepEqual(calls, ['open'])
  assert.equal(claims.isOpening(WORLD), false)
})

test('a world that is in the list and does not answer is given up before it is opened again', async () => {
  const { calls, claims } = newClaims({ isOpen: true, isLive: false })
  await claims.open(row)
  assert.deepEqual(calls, ['close', 'endLease', 'open'])
})

for (const [title, rows, state, problem, named] of [
  [
    'a lease of this node without its world is named after 1.5 s',
    [held],
    { isOpen: false, isLive: false },
    'has the lease, but has not had it open',
    {},
  ],
  [
    'a world in the list that does not answer is named at once',
    [row],
    { isOpen: true, isLive: false },
    'has been rebuilding it',
    { [WORLD]: 'has been rebuilding it for 0 s' },
  ],
] as const)
  test(`${title}, is stuck after 3 s, and is given up after 4 s`, async (t) => {
    const { calls, claims } = newClaims({ ...state }, { rows: [...rows] })
    const look = looks(t, claims)
    assert.deepEqual([claims.failures, claims.stuck], [named, []])
    await look(2)
    assert.deepEqual([claims.failures, claims.stuck], [{ [WORLD]: `${problem} for 2 s` }, []])
    await look(1.5)
    assert.deepEqual(claims.stuck, [{ world: WORLD, problem: `${problem} for 4 s` }])
    assert.deepEqual(calls, [])
    await look(0.5)
    assert.deepEqual(calls, ['close', 'endLease'])
    await look(3.9)
    assert.deepEqual(calls.length, 2)
    await look(0.1)
    assert.deepEqual(calls.length, 4)
  })

test('a world that answers again is neither named nor given up', async (t) => {
  const state: State = { isOpen: true, isLive: false }
  const { calls, claims } = newClaims(state)
  const look = looks(t, claims)
  await look(3.5)
  state.isLive = true
  await look(1)
  assert.deepEqual([calls, claims.stuck, claims.failures], [[], [], {}])
})

const stored: WorldRow = { ...row, record: { journal: 'friday.2' } as DurableRecord }

for (const [title, rows] of [
  ['a world that is not stored', []],
  ['a world that is stored with another journal', [stored]],
] as const)
  test(`${title} is stuck after 3 s although it answers, and is given up after 4 s`, async (t) => {
    const state: State = { isOpen: true, isLive: true, journal: 'friday.1' }
    const { calls, claims } = newClaims(state, { rows: [...rows] })
    const look = looks(t, claims)
    // The table may be older than the creation or the reset of the world.
    assert.deepEqual([claims.failures, claims.stuck], [{}, []])
    await look(3.5)
    const problem = 'has had a journal of it open that no stored world has for 4 s'
    assert.deepEqual(claims.stuck, [{ world: WORLD, problem }])
    assert.deepEqual(calls, [])
    await look(0.5)
    assert.deepEqual(calls, ['close', 'endLease of friday.1'])
  })

test('a world that is created, reset or deleted is not given up, whatever the table has', async (t) => {
  const state: State = { isOpen: true, isLive: true, journal: 'friday.1', isChanged: true }
  const { calls, claims } = newClaims(state, { rows: [stored] })
  await looks(t, claims)(30)
  await claims.open(stored)
  assert.deepEqual([calls, claims.stuck], [[], []])
})

test('a request to claim a world that is open with another journal opens the stored one', async () => {
  const { calls, claims } = newClaims({ isOpen: true, isLive: true, journal: 'friday.1' }, { rows: [stored] })
  await claims.open(stored)
  assert.deepEqual(calls, ['close', 'endLease of friday.2', 'open'])
})

test('a world that is opened, rebuilt or reset for long is named, and is stuck after a minute, but not given up', async (t) => {
  const { calls, claims } = newClaims({ isOpen: false, isLive: true, isUp: false }, { rows: [held] })
  const look = looks(t, claims)
  await look(2)
  assert.deepEqual(claims.failures, {}, 'a usual opening is no problem')
  await look(57)
  assert.deepEqual(claims.failures, { [WORLD]: 'has been opening or changing it for 59 s' })
  assert.deepEqual([claims.stuck.length, claims.isChanging(WORLD)], [0, true])
  await look(2)
  assert.deepEqual([claims.stuck.length, claims.isChanging(WORLD)], [1, false])
  assert.deepEqual(calls, [])
})

test('a world that another node holds is not named, and the lease of a world in the list is not ended for it', async (t) => {
  const { calls, claims } = newClaims(
    { isOpen: false, isLive: false },
    { rows: [{ ...row, holder: { name: 'b', address: 'http://b' } }] },
  )
  await looks(t, claims)(10)
  assert.deepEqual([calls, claims.stuck, claims.failures], [[], [], {}])
})

test('the lease of a world ends, also if closing the world never ends', async (t) => {
  const { calls, claims } = newClaims({ isOpen: true, isLive: false }, { waits: 'close' })
  // Twenty times the limit, so that a lease that never ends fails the test.
  const tooLate = sleep(10_000, undefined, { signal: t.signal }).catch(() => undefined)
  await Promise.race([claims.giveUp(held, { name: 'b', address: 'http://b' }), tooLate])
  assert.deepEqual(calls, ['close', 'endLease to b'])
})
