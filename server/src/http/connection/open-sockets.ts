import type { FaultRule } from '@quipu/broker/faults/rule.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { type DataStream, dataStreams, type Operation, operations, tradeUpdatesPath } from '@quipu/contract'

/** The market-data streams by path. */
export const pathsToStreams: ReadonlyMap<string, DataStream> = new Map(
  Object.values<DataStream>(dataStreams).flatMap((stream) =>
    pathsOf(stream).map((path) => [path, stream] as const),
  ),
)

function pathsOf({ path, locations }: DataStream): readonly string[] {
  return locations ? locations.map((location) => path.replace('{loc}', location)) : [path]
}

/** The group of the event streams (server-sent events) that fault rules affect. */
export const EVENTS = 'events'

const EVENT_STREAM = 'text/event-stream'
export const isEventStream = ({ raw }: Operation): boolean => raw === EVENT_STREAM

/** The names by which a fault rule selects streams: groups and paths. */
export const streamNames: ReadonlySet<string> = new Set([
  'trade_updates',
  'market_data',
  EVENTS,
  tradeUpdatesPath,
  ...pathsToStreams.keys(),
  ...Object.values<Operation>(operations)
    .filter(isEventStream)
    .map(({ path }) => path),
])

/** An open stream, as operators see it. */
export type SocketInfo = {
  readonly id: string
  readonly endpoint: string
  /** Absent until it has authenticated. */
  readonly world: World | undefined
  readonly keyId: string | undefined
  readonly accountId: string | undefined
  readonly address: string
  /** Milliseconds since 1970, of the machine's clock. */
  readonly openedMs: number
  /** Symbols by channel. */
  readonly subscriptions: Readonly<Record<string, readonly string[]>>
  readonly sentMessages: number
  readonly sentBytes: number
  readonly waitingBytes: number
  readonly lagMs: number
}

export type SocketSource = {
  all(): Iterable<SocketInfo>
  /** False if it is closed already. */
  close(id: string): boolean
  /** Applies a new fault rule to the open streams of its world. */
  meetFault(world: World, rule: FaultRule): void
}

/** An open event stream that fault rules affect. */
export type FaultyEvents = { readonly world: World; meetFault(rule: FaultRule): void }

/** The open streams of the process. The streams server registers itself as the source when it starts. */
export class OpenSockets {
  #source: SocketSource | undefined
  readonly #events = new Set<FaultyEvents>()

  register(source: SocketSource): void {
    this.#source = source
  }

  /** Adds an event stream. Returns a function that removes it. */
  add(stream: FaultyEvents): () => void {
    this.#events.add(stream)
    return () => this.#events.delete(stream)
  }

  all(): Iterable<SocketInfo> {
    return this.#source?.all() ?? []
  }

  close(id: string): boolean {
    return this.#source?.close(id) ?? false
  }

  meetFault(world: World, rule: FaultRule): void {
    this.#source?.meetFault(world, rule)
    for (const stream of this.#events) if (stream.world === world) stream.meetFault(rule)
  }
}
