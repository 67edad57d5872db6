import assert from 'node:assert/strict'
import {
  apply,
  type BrokerEvent,
  emptyState,
  format,
  isMarketChange,
  type LedgerAccount,
  type State,
} from '@quipu/core'
import { HashChain, openBytes } from '../../../broker/src/journal/chain.ts'
import type { Entry } from '../../../broker/src/journal/journal.ts'
import { eventOf } from '../../../broker/src/journal/stored-event.ts'
import type { Tables } from '../postgres/tables.ts'
import { call, type Key } from './calls.ts'
import type { ClientWorld, Known } from './clients.ts'
import type { SimulatedCluster } from './cluster.ts'

/** A world as the database has it at the end. */
export type StoredWorld = { readonly events: readonly BrokerEvent[]; readonly state: State }

/** Reads a journal and checks its chain. */
export function storedWorld(tables: Tables, world: string): StoredWorld {
  const { record } = tables.worlds.get(world) ?? {}
  const journal: string = record ? JSON.parse(record).journal : world
  const entries: readonly Entry[] = (tables.events.get(journal) ?? []).map(({ open, sealed }) =>
    sealed === null ? { open } : { open, sealed },
  )
  const chain = new HashChain()
  chain.update(openBytes(entries), entries.length)
  const head = tables.journals.get(journal)
  assert(head, `the database has no journal of ${world}`)
  const { seq, hash } = head
  assert.deepEqual({ seq, hash }, chain.position, `the chain of ${world}`)
  const [events, state] = [entries.map(eventOf), emptyState()]
  for (const event of events) apply(state, event)
  return { events, state }
}

/** Acknowledged requests are stored exactly once, those with 503 never, and others at most once. */
export function assertStored(world: ClientWorld, { events }: StoredWorld): void {
  const count = (kind: string, requests: ReadonlyMap<string, Known>, marks: readonly string[]) => {
    const counts = Map.groupBy(marks, (mark) => mark)
    for (const [mark, known] of requests) {
      const times = counts.get(mark)?.length ?? 0
      const isRight = known === 'unknown' ? times <= 1 : times === (known === 'acknowledged' ? 1 : 0)
      assert(isRight, `${world.world}: ${kind} ${mark} is ${known}, and stored ${times} times`)
    }
    for (const [mark] of counts) assert(requests.has(mark), `${world.world}: nobody sent ${kind} ${mark}`)
  }
  const orders = events.flatMap((event) =>
    event.kind === 'orderAccepted' ? [format(event.order.quantity)] : [],
  )
  const journals = events.flatMap((event) =>
    event.kind === 'bookTransferSent' && event.bookTransfer.what.kind === 'cash'
      ? [Number(format(event.bookTransfer.what.amount)).toFixed(2)]
      : [],
  )
  const symbols = events.flatMap((event) => (event.kind === 'symbolAdded' ? [event.added.symbol] : []))
  count('order', world.orders, orders)
  count('journal', world.journals, journals)
  if (world.symbols.size > 0) count('symbol', world.symbols, symbols)
  assert(events.length >= world.seq, `${world.world}: a response had event ${world.seq} of ${events.length}`)
}

/** Whether book transfers to other worlds wait for a response. */
export const hasPending = ({ state }: StoredWorld): boolean =>
  [...state.jobs.values()].some(({ bookTransfer }) => bookTransfer !== undefined)

const usdOf = ({ state }: StoredWorld, isCounted: (account: LedgerAccount) => boolean): bigint =>
  [...state.ledger].reduce(
    (sum, [account, assets]) => (isCounted(account) ? sum + (assets.get('USD' as never) ?? 0n) : sum),
    0n,
  )

/** No money is lost or made between worlds, and no leg of a book transfer is missing. */
export function assertTransits(worlds: readonly StoredWorld[]): void {
  for (const world of worlds)
    assert.equal(
      usdOf(world, (account) => account.startsWith('transit:')),
      0n,
      'money is in transit at the end',
    )
  const total = worlds.reduce((sum, world) => sum + usdOf(world, (account) => account === 'transit'), 0n)
  assert.equal(total, 0n, 'money was lost or made between worlds')
  const customers = worlds.reduce(
    (sum, world) => sum + usdOf(world, (account) => account.startsWith('customer:')),
    0n,
  )
  const deposited = worlds.reduce((sum, world) => sum + usdOf(world, (account) => account === 'bank'), 0n)
  assert.equal(customers + deposited, 0n, 'the money of all customers is not the money that they deposited')
}

/** The follower has the leader's market changes, each once and in order. */
export function assertFollows(leader: StoredWorld, follower: StoredWorld): void {
  const changesOf = ({ events }: StoredWorld) =>
    events.filter(({ kind }) => isMarketChange(kind)).map(({ at: _, ...change }) => change)
  assert.deepEqual(changesOf(follower), changesOf(leader), 'the market of the follower')
}

/** A stream received each update once and in order, from its first one on. One that is open has the last one. */
export function assertUpdates(
  world: string,
  past: readonly string[],
  ids: readonly string[],
  isOpen: boolean,
): void {
  if (ids.length === 0) return
  const from = past.indexOf(ids[0]!)
  assert(from >= 0, `${world}: the first update of a stream is not in the history`)
  const expected = past.slice(from, isOpen ? undefined : from + ids.length)
  assert.deepEqual(ids, expected, `${world}: the updates of a stream`)
}

/** A world with a lease answers at its holder, or the lease ends within this time. */
const STUCK_MS = 5_000
/** The same for a journal that no world has: a new world, or one that is being reset or deleted. */
const UNNAMED_MS = 10_000
const LOOK_MS = 500
/** A world that was asked so long ago is asked again. */
const ASK_MS = 1_000

type Leased = { readonly fence: number; responses: number; answeredMs: number }

/** A client of a world, and a number that rises with what it has received. */
export type WatchedClient = { readonly key: Key; readonly responses: number }

/** Watches the leases in the database. A lease that is renewed for a world that does not answer violates a guarantee. */
export class LeaseWatch {
  readonly #cluster: SimulatedCluster
  readonly #clientOf: (world: string) => WatchedClient | undefined
  readonly #leased = new Map<string, Leased>()

  constructor(cluster: SimulatedCluster, clientOf: (world: string) => WatchedClient | undefined) {
    this.#cluster = cluster
    this.#clientOf = clientOf
    setInterval(() => this.#look(), LOOK_MS)
  }

  #look(): void {
    const { tables, databaseNowMs } = this.#cluster
    const worlds = new Map([['main', 'main']])
    for (const [world, { record }] of tables.worlds) if (record) worlds.set(JSON.parse(record).journal, world)
    for (const name of this.#leased.keys()) if (!tables.journals.has(name)) this.#leased.delete(name)
    for (const [name, { fence, expiresAtMs, address }] of tables.journals)
      if ((expiresAtMs ?? Number.NEGATIVE_INFINITY) <= databaseNowMs) this.#leased.delete(name)
      else this.#check(name, worlds.get(name), fence, address ?? '')
  }

  #check(name: string, world: string | undefined, fence: number, address: string): void {
    const nowMs = performance.now()
    const known = this.#leased.get(name)
    const client = world === undefined ? undefined : this.#clientOf(world)
    const { responses = 0 } = client ?? {}
    const leased = known?.fence === fence ? known : { fence, responses, answeredMs: nowMs }
    // Between two faults it may have answered its clients only.
    if (leased.responses !== responses) Object.assign(leased, { responses, answeredMs: nowMs })
    this.#leased.set(name, leased)
    const silentMs = nowMs - leased.answeredMs
    if (silentMs > (world === undefined ? UNNAMED_MS : STUCK_MS))
      this.#cluster.violate(
        `${name.split('.')[0]}: ${address} has had the lease with fence ${fence} for ${silentMs} ms without a response`,
      )
    if (!client && world !== undefined) leased.answeredMs = nowMs
    if (client && silentMs >= ASK_MS) void this.#ask(leased, address, client.key)
  }

  /** The holder refuses a key that the world does not have yet, or no longer: it answers all the same. */
  async #ask(leased: Leased, address: string, key: Key): Promise<void> {
    const askedMs = performance.now()
    const response = await call(address, key, 'GET', '/v2/account')
    if (response.kind === 'answered' && response.status !== 503)
      leased.answeredMs = Math.max(leased.answeredMs, askedMs)
  }
}
