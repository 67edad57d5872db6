import { call, type Key } from './calls.ts'
import type { SimulatedCluster } from './cluster.ts'

/** A world with a lease answers at its holder, or the lease ends within this time. */
const STUCK_MS = 5_000
/** The same for a journal that no world has: a new world, or one that is being reset or deleted. */
const UNNAMED_MS = 10_000
const LOOK_MS = 500
/** A world that was asked so long ago is asked again. */
const ASK_MS = 1_000

type Leased = { readonly fence: number; answers: number; answeredMs: number }

/** A client of a world, and a number that rises with what it has received. */
export type WatchedClient = { readonly key: Key; readonly answers: number }

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
    const { answers = 0 } = client ?? {}
    const leased = known?.fence === fence ? known : { fence, answers, answeredMs: nowMs }
    // Between two faults it may have answered its clients only.
    if (leased.answers !== answers) Object.assign(leased, { answers, answeredMs: nowMs })
    this.#leased.set(name, leased)
    const silentMs = nowMs - leased.answeredMs
    if (silentMs > (world === undefined ? UNNAMED_MS : STUCK_MS))
      this.#cluster.violate(
        `${name.split('.')[0]}: ${address} has had the lease with fence ${fence} for ${silentMs} ms without an answer`,
      )
    if (!client && world !== undefined) leased.answeredMs = nowMs
    if (client && silentMs >= ASK_MS) void this.#ask(leased, address, client.key)
  }

  /** The holder refuses a key that the world does not have yet, or no longer: it answers all the same. */
  async #ask(leased: Leased, address: string, key: Key): Promise<void> {
    const askedMs = performance.now()
    const answer = await call(address, key, 'GET', '/v2/account')
    if (answer.kind === 'answered' && answer.status !== 503)
      leased.answeredMs = Math.max(leased.answeredMs, askedMs)
  }
}
