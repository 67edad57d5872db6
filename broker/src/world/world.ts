import type { JobId, View, WorldId } from '@quipu/core'
import type { WorldClock } from '../clock/clock.ts'
import type { Faults } from '../faults/faults.ts'
import type { Journal } from '../journal/journal.ts'
import type { MarketSource } from '../market/market-source.ts'
import type { Engine } from './engine.ts'
import type { IncarnationParts } from './incarnation.ts'
import { Incarnations, type WorldStatus } from './incarnations.ts'
import { Publisher } from './publisher.ts'
import { ClientRequests } from './requests/client-requests.ts'
import { type OutcomeLimits, RequestOutcomes } from './requests/request-outcomes.ts'
import { UnknownSymbols } from './requests/unknown-symbols.ts'
import { type CommandLimits, WorldCommands } from './world-commands.ts'
import { WorldStorage } from './world-storage.ts'

export type WorldParts = IncarnationParts &
  CommandLimits & {
    readonly id: WorldId
    readonly code: string
    readonly runJob: (world: World, jobId: JobId) => Promise<void>
    /** How many requests and refusals the world remembers. */
    readonly outcomes?: OutcomeLimits | undefined
  }

/** What a world knows about its clients. It concerns transport, so no journal has it. */
export type WorldClients = {
  readonly requests: ClientRequests
  readonly outcomes: RequestOutcomes
  readonly unknownSymbols: UnknownSymbols
  /** The fault rules; undefined without rules. */
  faults: Faults | undefined
}

/** The credentials of a world. */
export type WorldAccess = {
  /** Two characters that the credentials of the world have at a fixed position (`access/world-code.ts`). */
  readonly code: string
  /** Only people and keys of `main` may have rights over the server. */
  hasOperators: boolean
}

/** An isolated broker: a clock, a market, a ledger with one writer, and listeners. No world sees another. */
export class World {
  readonly id: WorldId
  readonly access: WorldAccess
  readonly clock: WorldClock
  readonly clients: WorldClients
  /** Publishes every durable event, once and in order, across rebuilds. */
  readonly publisher: Publisher
  readonly status: WorldStatus
  readonly commands: WorldCommands
  readonly storage: WorldStorage
  readonly #incarnations: Incarnations

  constructor(parts: WorldParts, shared: SharedParts) {
    this.id = parts.id
    this.access = { code: parts.code, hasOperators: false }
    this.clock = parts.clock
    const { outcomes } = shared
    const unknownSymbols = new UnknownSymbols()
    this.clients = { requests: new ClientRequests(), outcomes, unknownSymbols, faults: undefined }
    this.publisher = shared.publisher
    this.status = shared.incarnations
    this.commands = new WorldCommands(shared.incarnations, shared.publisher, parts)
    this.storage = new WorldStorage({ ...shared, commands: this.commands, limits: parts })
    this.#incarnations = shared.incarnations
  }

  get view(): View {
    return this.#incarnations.current.engine.view
  }
  get engine(): Engine {
    return this.#incarnations.current.engine
  }
  get market(): MarketSource {
    return this.#incarnations.current.market
  }

  /** `last` reads the journal before it is closed. */
  close(last?: (journal: Journal) => Promise<void>): Promise<void> {
    return this.#incarnations.end(last)
  }
}

type SharedParts = {
  readonly incarnations: Incarnations
  readonly publisher: Publisher
  readonly outcomes: RequestOutcomes
}

export async function openWorld(parts: WorldParts): Promise<World> {
  const outcomes = new RequestOutcomes(parts.id, parts.outcomes)
  const publisher = new Publisher(outcomes)
  const runJob = (jobId: JobId) => parts.runJob(world, jobId)
  const incarnations = new Incarnations({ ...parts, runJob, publisher, outcomes })
  const world = new World(parts, { incarnations, publisher, outcomes })
  try {
    await incarnations.begin()
    return world
  } catch (error) {
    await world.close().catch(parts.failed)
    throw error
  }
}
