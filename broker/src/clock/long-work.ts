import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The client closed the connection, so the result is not needed. */
export class ClientDisconnected extends Error {
  constructor() {
    super('the client closed the connection')
    this.name = 'ClientDisconnected'
  }
}

/** A request that may take long, and its client. */
type Reader = {
  /** Readers with the same name share one queue. */
  readonly name: string
  readonly client: {
    readonly isClosed: boolean
    /** Calls `run` when the client disconnects. Returns a function that cancels the call. */
    onClosed(run: () => void): () => void
  }
  hasStarted: boolean
}

type Waiting = {
  readonly reader: Reader
  readonly proceed: () => void
  readonly stop: (error: ClientDisconnected) => void
}

/** The requests of one name: started ones and waiting ones. */
type Queue = { readonly started: Waiting[]; readonly waiting: Waiting[] }

/** Long work takes at most this share of one turn of the event loop; then everything else runs. */
const PER_TURN_MS = 0.5
/** Concurrent requests of one name. Waiting requests use no memory yet. */
const STARTED_MAX = 4

const readers = new AsyncLocalStorage<Reader>()
const queues = new Map<string, Queue>()
let turnEndsMs = Number.NEGATIVE_INFINITY
let isTurnSet = false

/**
 * Runs a request that changes nothing and may take long. Its work is cut into chunks by `pause`. The names take turns,
 * so one name with many requests does not hold up another.
 */
export const asLongWork = <Arguments extends unknown[], Value>(
  name: string,
  client: Reader['client'],
  run: (...args: Arguments) => Value,
  ...args: Arguments
): Value => readers.run({ name, client, hasStarted: false }, run, ...args)

/** The name and the client of the long work that calls this, if it is of a request. */
export const currentReader = (): Pick<Reader, 'name' | 'client'> | undefined => readers.getStore()

/**
 * Waits before a chunk of long work, of a few milliseconds, until it may run. Throws ClientDisconnected once the client has
 * closed its connection. Work without a request, such as work of a clock, only yields once.
 */
export function pauseWork(): Promise<void> {
  const reader = readers.getStore()
  if (reader === undefined) return nextTurn()
  if (reader.client.isClosed) return Promise.reject(new ClientDisconnected())
  setTurn()
  if (queues.size === 0 && performance.now() < turnEndsMs) {
    reader.hasStarted = true
    return Promise.resolve()
  }
  return new Promise((proceed, stop) => join({ reader, proceed, stop }))
}

/** Converts each item; `perTurn` items are a few milliseconds of work. */
export async function mapWithPauses<Item, Result>(
  items: readonly Item[],
  perTurn: number,
  convert: (item: Item) => Result,
): Promise<Result[]> {
  const converted: Result[] = []
  for (const item of items) {
    if (converted.length % perTurn === 0) await pauseWork()
    converted.push(convert(item))
  }
  return converted
}

function join(waiting: Waiting): void {
  const { name, hasStarted } = waiting.reader
  const queue = queues.get(name) ?? { started: [], waiting: [] }
  queue[hasStarted ? 'started' : 'waiting'].push(waiting)
  queues.set(name, queue)
}

/** A turn begins with the first chunk in it, and ends with the next iteration of the event loop. */
function setTurn(): void {
  if (isTurnSet) return
  isTurnSet = true
  turnEndsMs = performance.now() + PER_TURN_MS
  setImmediate(() => {
    isTurnSet = false
    if (queues.size === 0) return
    setTurn()
    runChunks()
  })
}

/** Lets chunks run one after the other, until the time of this turn is used. */
function runChunks(): void {
  const next = takeNext()
  if (next === undefined) return
  next.reader.hasStarted = true
  next.proceed()
  // The chunk runs as a microtask; this callback runs after the chunk.
  queueMicrotask(() =>
    process.nextTick(() => {
      if (performance.now() < turnEndsMs) runChunks()
    }),
  )
}

/** The next request with a connected client: one of each name in rotation. */
function takeNext(): Waiting | undefined {
  for (const [name, queue] of queues) {
    const { started, waiting } = queue
    if (waiting.length > 0 && started.length < STARTED_MAX) started.push(waiting.shift()!)
    const next = started.shift()!
    queues.delete(name)
    if (started.length + waiting.length > 0) queues.set(name, queue)
    if (!next.reader.client.isClosed) return next
    next.stop(new ClientDisconnected())
  }
  return undefined
}
