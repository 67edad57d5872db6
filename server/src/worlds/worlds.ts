import { type Instant, type Job, linkKey, type WorldId, type WorldSettings } from '@quipu/core'
import type { AccessStore } from '../access/access-store.ts'
import { Addresses } from '../access/addresses.ts'
import { Guests } from '../access/connection-revocation.ts'
import { Credentials } from '../access/credentials.ts'
import { KeyUses } from '../access/key-uses.ts'
import { openMemoryAccess } from '../access/memory.ts'
import { VirtualClock } from '../clock/virtual.ts'
import { WallClock } from '../clock/wall.ts'
import { AppendFailed } from '../journal/journal.ts'
import { openMemoryJournal } from '../journal/memory.ts'
import { NotApplied } from '../process/not-applied.ts'
import { openMemoryViews } from '../views/memory.ts'
import type { RunJob } from '../world/jobs.ts'
import { World, type WorldParts } from '../world/world.ts'
import { originOf } from './fork.ts'

/** What all worlds of a process share. */
export type WorldsParts = Pick<
  WorldParts,
  'runJob' | 'queueMax' | 'viewsLagMax' | 'viewsWaitMs' | 'trail'
> & {
  readonly market: (
    ...given: [...Parameters<WorldParts['market']>, world: WorldId]
  ) => ReturnType<WorldParts['market']>
  /** Called after a world was deleted. */
  readonly deleted?: (world: WorldId) => void
  readonly worldsMax: number
  readonly failed: (world: WorldId, error: unknown) => void
}

/** How `main` is kept: its journal, its views, its snapshots, and what is stored beside them. */
export type MainStore = Pick<WorldParts, 'openJournal' | 'openViews' | 'snapshot'> & {
  /** In memory by default. */
  readonly access?: AccessStore
}

export type Place = {
  readonly world: World
  /** Absent for `main`, which runs on the wall clock. */
  readonly clock?: VirtualClock
  readonly durable: boolean
  readonly parent?: WorldId
  readonly leave: () => void
}

export const MAIN = 'main' as WorldId

/** Every world of the process. `main` is always there; others come and go. */
export class Worlds {
  readonly credentials = new Credentials()
  /** Connections that last no longer than what let them in. */
  readonly guests = new Guests((caller, nowMs) => this.credentials.upholds(caller, nowMs))
  /** Client addresses of requests that caused events, of all worlds. */
  readonly addresses: Addresses
  readonly #access: AccessStore
  #keyUses: KeyUses | undefined
  readonly #parts: WorldsParts
  readonly #places = new Map<WorldId, Place>()
  #made = 0
  readonly #opening = new Set<WorldId>()

  private constructor(parts: WorldsParts, access: AccessStore) {
    this.#parts = parts
    this.#access = access
    this.addresses = new Addresses(access)
  }

  static async open(
    parts: WorldsParts,
    main: {
      readonly settings: WorldSettings
      readonly store: MainStore
      readonly durable: boolean
      /** Where `main` has another market than all others, its forks included. */
      readonly market?: WorldParts['market'] | undefined
    },
  ): Promise<Worlds> {
    const { access = openMemoryAccess(), ...store } = main.store
    const worlds = new Worlds(parts, access)
    const clock = new WallClock((error) => parts.failed(MAIN, error))
    const world = await World.open({
      ...parts,
      ...store,
      // The other worlds end with the process: they wait for no disk.
      prepared: () => worlds.addresses.stored()?.catch(addressNotStored),
      market: main.market ?? ((settings, state) => parts.market(settings, state, MAIN)),
      id: MAIN,
      settings: main.settings,
      clock,
      failed: (error) => parts.failed(MAIN, error),
    })
    worlds.#keyUses = await KeyUses.open(access, world)
    worlds.#enter({ world, durable: main.durable })
    return worlds
  }

  /** When keys were last used, in all worlds. */
  get keyUses(): KeyUses {
    return this.#keyUses!
  }

  get main(): World {
    return this.#places.get(MAIN)!.world
  }

  get(id: string): World | undefined {
    return this.#places.get(id as WorldId)?.world
  }

  all(): readonly World[] {
    return this.places().map(({ world }) => world)
  }

  place(id: string): Place | undefined {
    return this.#places.get(id as WorldId)
  }

  places(): readonly Place[] {
    return [...this.#places.values()]
  }

  /** How many there may be, `main` included. */
  get most(): number {
    return this.#parts.worldsMax
  }

  get isFull(): boolean {
    return this.#places.size + this.#opening.size >= this.most
  }

  /** Whether a world has this name, or is being opened under it. */
  isTaken(id: string): boolean {
    return this.#places.has(id as WorldId) || this.#opening.has(id as WorldId)
  }

  /** A name nobody has: the same calls in the same order give the same names. */
  freshName(): WorldId {
    do this.#made += 1
    while (this.isTaken(`world-${this.#made}`))
    return `world-${this.#made}` as WorldId
  }

  /** A virtual world, empty, its clock standing still at `start`. */
  async create(id: WorldId, settings: WorldSettings, start: Instant): Promise<Place> {
    return this.#opened(id, () =>
      this.#openVirtual(id, start, {
        settings,
        openJournal: async () => openMemoryJournal(),
        openViews: openMemoryViews,
        snapshot: async () => undefined,
      }),
    )
  }

  /** A virtual world that begins as another is now; it shares the past up to here. */
  async fork({ world, durable }: Place, id: WorldId): Promise<Place> {
    return this.#opened(id, async () => {
      const { settings, now, journal, state, openViews } = await originOf(world, durable)
      const store = { openJournal: async () => journal, openViews, snapshot: async () => state }
      return this.#openVirtual(id, now, { settings, ...store }, world.id)
    })
  }

  async delete(id: WorldId): Promise<void> {
    const place = this.#places.get(id)
    if (!place) return
    this.#places.delete(id)
    place.leave()
    await place.world.close()
    this.#parts.deleted?.(id)
  }

  async close(): Promise<void> {
    this.guests.close()
    await this.#keyUses?.close().catch((error) => this.#parts.failed(MAIN, error))
    for (const { world, leave } of this.#places.values()) {
      leave()
      await world.close()
    }
    this.#places.clear()
    await this.addresses.close().catch((error) => this.#parts.failed(MAIN, error))
    await this.#access.close()
  }

  /** Nobody else gets the name meanwhile. */
  async #opened(id: WorldId, open: () => Promise<Place>): Promise<Place> {
    this.#opening.add(id)
    try {
      return await open()
    } finally {
      this.#opening.delete(id)
    }
  }

  async #openVirtual(
    id: WorldId,
    start: Instant,
    store: Pick<WorldParts, 'settings' | 'openJournal' | 'openViews' | 'snapshot'>,
    parent?: WorldId,
  ): Promise<Place> {
    const failed = (error: unknown) => this.#parts.failed(id, error)
    let opened: World | undefined
    const clock = new VirtualClock(start, async () => opened?.quiet(), failed)
    opened = await World.open({
      ...this.#parts,
      ...store,
      market: (given, state) => this.#parts.market(given, state, id),
      ...(parent && { runJob: insideOnly(this.#parts.runJob) }),
      id,
      clock,
      failed,
    })
    return this.#enter({ world: opened, clock, durable: false, ...(parent ? { parent } : {}) })
  }

  #enter(place: Omit<Place, 'leave'>): Place {
    const entered = { ...place, leave: this.credentials.join(place.world) }
    this.#places.set(place.world.id, entered)
    return entered
  }
}

function addressNotStored(cause: unknown): never {
  throw new AppendFailed(true, 'the client address could not be stored', cause)
}

/**
 * Jobs of a world that began as another: what would go to an issuer outside belongs to that other one. Its request is
 * held, as if somebody wanted to see it wait, and can be ended by hand; all else is done as everywhere.
 */
export const insideOnly =
  (run: RunJob): RunJob =>
  async (world, jobId) => {
    const job = world.view.jobs.get(jobId)
    if (!job || !isOutward(world, job)) return run(world, jobId)
    try {
      keepIn(world, job)
    } catch (error) {
      if (!(error instanceof NotApplied)) throw error
    }
  }

function isOutward({ view }: World, { requestId, issuer }: Job): boolean {
  const code = issuer ?? (requestId && view.requests.get(requestId)?.issuer)
  return code !== undefined && view.issuers.get(code)?.mode === 'external'
}

function keepIn({ engine }: World, { kind, requestId, accountId, issuer }: Job): void {
  // The request has ended: there is nothing to hold.
  if (requestId && kind === 'issuerReject') engine.drive({ kind: 'answerRejection', requestId })
  else if (requestId) engine.drive({ kind: 'forceRequest', requestId, outcome: { to: 'hold' } })
  else if (issuer && engine.view.links.has(linkKey(accountId, issuer)))
    engine.drive({
      kind: 'answerLink',
      accountId,
      issuer,
      answer: { ok: false, reason: 'a fork calls nobody outside' },
    })
}
