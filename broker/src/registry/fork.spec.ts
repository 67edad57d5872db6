import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AccountId,
  apply,
  type ClientOrderId,
  copyState,
  emptyState,
  forget,
  type Order,
  type OrderId,
  type PlaceOrder,
  type State,
  type WorldId,
} from '@quipu/core'
import { stateText } from '../../../core/src/testing/state-text.ts'
import { seedWorld } from '../access/issue-keys.ts'
import { diskOperations } from '../data-folder/file-operations.ts'
import { NotApplied } from '../journal/not-applied.ts'
import { eventOf } from '../journal/stored-event.ts'
import { emptyFolder } from '../journal/testing/journal.ts'
import { syntheticMarket } from '../market/synthetic/synthetic.ts'
import { auditEvents } from '../world/audit/audit.ts'
import { OutcomeUnknown } from '../world/submitted.ts'
import { amount, buy, decided, plainSettings } from '../world/testing/world.ts'
import type { World } from '../world/world.ts'
import { filesStore } from './store/main-store.ts'
import { bytesInUse, bytesWithout } from './testing/bytes-in-use.ts'
import { openServer, type WorldEntry } from './worlds.ts'

const FORK = 'fork' as WorldId

/** `main` in files with one account. Its disk fails the next sync when `disk.fails` is set. */
async function openMain(t: TestContext) {
  const disk = { fails: false }
  const datasync: typeof diskOperations.datasync = async (file) => {
    if (!disk.fails) return diskOperations.datasync(file)
    disk.fails = false
    throw new Error('datasync: input/output error')
  }
  const worlds = await openServer(
    {
      market: syntheticMarket,
      runJob: async () => undefined,
      queueMax: 100_000,
      queryTablesLagMax: 100_000,
      queryTablesWaitMs: 1_000,
      worldsMax: 10,
      failed: () => undefined,
    },
    {
      settings: plainSettings,
      store: filesStore(
        emptyFolder(),
        { warn: () => undefined, recovered: () => undefined },
        { ...diskOperations, datasync },
      ),
      durable: true,
    },
  )
  t.after(() => worlds.close())
  const { accounts } = await seedWorld(worlds.main, { accounts: ['paper'], cash: plainSettings.startingCash })
  const { account } = accounts[0]!
  const fork = async (from = 'main', name: WorldId = FORK): Promise<WorldEntry> =>
    worlds.lifecycle.fork(worlds.entry(from)!, name)
  return { worlds, main: worlds.main, account, disk, fork }
}

type Opened = Awaited<ReturnType<typeof openMain>>

/** A named order far below the market, which rests. */
const resting = ({ account }: Pick<Opened, 'account'>, name: string): PlaceOrder => ({
  ...buy(account, 'AAPL', '1', '0.01'),
  clientOrderId: name as ClientOrderId,
})

async function place(world: World, command: PlaceOrder): Promise<OrderId> {
  const decision = await decided(world, command)
  assert.ok(decision.ok, decision.ok ? '' : decision.reason.code)
  const [event] = decision.value
  assert.ok(event?.kind === 'orderAccepted')
  return event.order.id
}

const cancel = (world: World, accountId: AccountId, orderId: OrderId) =>
  decided(world, { kind: 'cancelOrder', accountId, orderId })

/** The state after replaying the journal of a world. */
async function replayed(world: World): Promise<State> {
  const state = emptyState()
  for await (const entries of world.storage.journal.read(0))
    for (const entry of entries) apply(state, eventOf(entry))
  return state
}

/** The orders of an account by name, with status, from the query tables. */
async function ordersIn(world: World, accountId: AccountId, nested = false): Promise<readonly string[]> {
  await world.storage.queryTables.reached(world.engine.durable)
  const orders = await world.storage.queryTables.orders({
    accountId,
    status: 'all',
    limit: 500,
    direction: 'asc',
    nested,
  })
  return orders.map(({ clientOrderId, status }) => `${clientOrderId} ${status}`)
}

/** Without closed orders, which memory may hold for a while. */
function openIn(state: State): string {
  const copy = copyState(state)
  forget(copy, copy.seq)
  return stateText(copy)
}

async function assertSound(world: World): Promise<void> {
  await world.commands.quiet()
  const state = await replayed(world)
  assert.equal(openIn(world.view as State), openIn(state))
  const { ledger } = world.view as State
  const report = await auditEvents(world.storage.journal.read(0), { ...world.storage.journal.head(), ledger })
  assert.deepEqual([report.sound, report.problems], [true, []])
}

test('a fork made while commands arrive equals its parent at one moment', async (t) => {
  const made = await openMain(t)
  const { main, account, fork } = made
  const responses: Promise<unknown>[] = []
  const submit = (name: string) => responses.push(place(main, resting(made, name)))
  for (let number = 0; number < 50; number++) submit(`early ${number}`)
  // Each round of the event loop submits more, so that some events are always being stored.
  let isOver = false
  const load = (async () => {
    for (let number = 0; !isOver; number++) {
      submit(`late ${number}`)
      await new Promise(setImmediate)
    }
  })()
  const { world } = await fork()
  isOver = true
  await Promise.all([load, ...responses])
  // The last event drops the credentials of the copy.
  const seq = world.storage.journal.head().seq - 1
  assert.equal(await world.storage.journal.hashAt(seq), await main.storage.journal.hashAt(seq))
  assert.ok(main.storage.journal.head().seq > seq, 'the parent continued')
  await assertSound(world)
  const before = [...world.view.orders.values()].map(({ clientOrderId }) => `${clientOrderId} new`)
  assert.deepEqual(await ordersIn(world, account.id), before)
})

test('the fork does not see later commands of the parent, and the parent none of the fork', async (t) => {
  const made = await openMain(t)
  const { main, account, fork, worlds } = made
  const ended = await place(main, resting(made, 'ended'))
  await cancel(main, account.id, ended)
  const open = await place(main, resting(made, 'open'))
  const { world } = await fork()
  await cancel(main, account.id, open)
  await place(main, resting(made, 'of main'))
  await place(world, resting(made, 'of the fork'))
  assert.deepEqual(await ordersIn(world, account.id), ['ended canceled', 'open new', 'of the fork new'])
  assert.deepEqual(await ordersIn(main, account.id), ['ended canceled', 'open canceled', 'of main new'])
  // A taken client order id stays taken, even when memory has released the order.
  const again = (name: string) =>
    world.storage.withEarlierOrder(account.id, name as ClientOrderId, async (earlier) => earlier ?? 'free')
  assert.equal(await again('ended'), ended)
  assert.equal(await again('of main'), 'free')

  const grandchild = await worlds.lifecycle.fork(worlds.entry(FORK)!, 'fork of fork' as WorldId)
  await cancel(grandchild.world, account.id, open)
  const all = ['ended canceled', 'open canceled', 'of the fork new']
  assert.deepEqual(await ordersIn(grandchild.world, account.id), all)
  await worlds.lifecycle.delete(FORK)
  assert.deepEqual(await ordersIn(grandchild.world, account.id), all)
  await place(grandchild.world, resting(made, 'after the deletion'))
  await assertSound(grandchild.world)
})

test('a leg is listed under its parent order as the fork knows that order', async (t) => {
  const made = await openMain(t)
  const { main, account, fork } = made
  await place(main, buy(account, 'AAPL', '1'))
  await main.commands.quiet()
  const pair = await place(main, {
    ...buy(account, 'AAPL', '1', '9000'),
    clientOrderId: 'profit' as ClientOrderId,
    side: 'sell',
    timeInForce: 'gtc',
    class: 'oco',
    takeProfit: { limit: amount('9000') },
    stopLoss: { stop: amount('1') },
  })
  await main.commands.quiet()
  const [leg] = [...main.view.orders.values()].filter(({ group }) => group?.parentId === pair)
  await decided(main, {
    kind: 'replaceOrder',
    accountId: account.id,
    orderId: leg!.id,
    stop: amount('2'),
  })
  const { world } = await fork()
  await cancel(main, account.id, pair)
  const closed = async (of: World): Promise<readonly Order['status'][]> => {
    await of.storage.queryTables.reached(of.engine.durable)
    const query = { accountId: account.id, status: 'closed', nested: true } as const
    const orders = await of.storage.queryTables.orders({ ...query, limit: 2, direction: 'desc' })
    return orders.map(({ status }) => status)
  }
  // The parent order is open in the fork, so its old leg replaces no other.
  assert.deepEqual(await closed(world), ['replaced', 'filled'])
  assert.deepEqual(await closed(main), ['canceled', 'filled'])
})

test('a fork continues when its parent fails, and reads the history again when the parent is back', async (t) => {
  const made = await openMain(t)
  const { main, account, disk, fork } = made
  await cancel(main, account.id, await place(main, resting(made, 'ended')))
  const { world } = await fork()
  disk.fails = true
  await assert.rejects(place(main, resting(made, 'unknown')), OutcomeUnknown)
  await assert.rejects(ordersIn(world, account.id), NotApplied)
  await place(world, resting(made, 'meanwhile'))
  while (!main.status.isUp) await sleep(20)
  assert.deepEqual(await ordersIn(world, account.id), ['ended canceled', 'meanwhile new'])
  await assertSound(world)
})

test('a fork whose parent has stopped query tables is refused after queryTablesWaitMs', async (t) => {
  const { worlds, main, account } = await openMain(t)
  await cancel(main, account.id, await place(main, resting({ account }, 'closed')))
  main.storage.queryTables.position = () => 0
  main.storage.queryTables.reached = () => new Promise(() => undefined)
  for (const at of [undefined, main.engine.now])
    await assert.rejects(
      worlds.lifecycle.fork(worlds.entry('main')!, FORK, { at }),
      (error) => error instanceof NotApplied && error.reason === 'queryTablesBehind',
    )
  assert.equal(worlds.entry(FORK), undefined)
})

test('a fork holds no copy of the history, and its deletion releases all memory', async (t) => {
  const made = await openMain(t)
  const { main, account, fork, worlds } = made
  for (let round = 0; round < 10; round++) {
    const names = Array.from({ length: 200 }, (_, number) => `${round}/${number}`)
    const placed = await Promise.all(names.map((name) => place(main, resting(made, name))))
    await Promise.all(placed.map((orderId) => cancel(main, account.id, orderId)))
  }
  await main.storage.queryTables.reached(main.engine.durable)
  const deleteFork = async (): Promise<void> => worlds.lifecycle.delete(FORK)
  await fork()
  await deleteFork()

  const before = await bytesInUse()
  const world = new WeakRef((await fork()).world)
  const forked = await bytesInUse()
  assert.ok(world.deref()!.view.seq > 6_000)
  // A copy of the history takes 2 kB per event, which is 12 MB here.
  assert.ok(forked - before < 1_000_000, `a fork of 6,000 events takes ${forked - before} bytes`)
  await deleteFork()
  const after = await bytesWithout(world)
  assert.ok(after - before < 500_000, `${after - before} bytes are left of a deleted fork`)
})
