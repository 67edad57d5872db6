import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The client closed the connection, so the result is not needed. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection')
    this.name = 'ClientGone'
  }
}

/** A request that may take long, and its client. */
type Reader = {
  /** Readers with the same name share one queue. */
  readonly name: string
  readonly client: { readonly isClosed: boolean }
  hasBegun: boolean
}

type Waiting = {
  readonly reader: Reader
  readonly proceed: () => void
  readonly stop: (error: ClientGone) => void
}

/** The requests of one name: started ones and waiting ones. */
type Line = { readonly begun: Waiting[]; readonly fresh: Waiting[] }

/** Long work takes at most this share of one turn of the event loop; then everything else runs. */
const PER_TURN_MS = 4
/** Concurrent requests of one name. Waiting requests use no memory yet. */
const BEGUN_MAX = 4

const readers = new AsyncLocalStorage<Reader>()
const lines = new Map<string, Line>()
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
): Value => readers.run({ name, client, hasBegun: false }, run, ...args)

/**
 * Waits before a chunk of long work, of a few milliseconds, until it may run. Throws ClientGone once the client has
 * closed its connection. Work that no request waits for, such as that of a clock, only lets others run first.
 */
export function pause(): Promise<void> {
  const reader = readers.getStore()
  if (reader === undefined) return nextTurn()
  if (reader.client.isClosed) return Promise.reject(new ClientGone())
  setTurn()
  if (lines.size === 0 && performance.now() < turnEndsMs) {
    reader.hasBegun = true
    return Promise.resolve()
  }
  return new Promise((proceed, stop) => join({ reader, proceed, stop }))
}

function join(waiting: Waiting): void {
  const { name, hasBegun } = waiting.reader
  const line = lines.get(name) ?? { begun: [], fresh: [] }
  line[hasBegun ? 'begun' : 'fresh'].push(waiting)
  lines.set(name, line)
}

/** A turn begins with the first chunk in it, and ends when the event loop comes round. */
function setTurn(): void {
  if (isTurnSet) return
  isTurnSet = true
  turnEndsMs = performance.now() + PER_TURN_MS
  setImmediate(() => {
    isTurnSet = false
    if (lines.size === 0) return
    setTurn()
    runChunks()
  })
}

/** Lets chunks run one after the other, until the time of this turn is used. */
function runChunks(): void {
  const next = takeNext()
  if (next === undefined) return
  next.reader.hasBegun = true
  next.proceed()
  // The chunk runs as a microtask. This comes after it.
  queueMicrotask(() =>
    process.nextTick(() => {
      if (performance.now() < turnEndsMs) runChunks()
    }),
  )
}

/** The next request with a connected client: one of each name in rotation. */
function takeNext(): Waiting | undefined {
  for (const [name, line] of lines) {
    const { begun, fresh } = line
    if (fresh.length > 0 && begun.length < BEGUN_MAX) begun.push(fresh.shift()!)
    const next = begun.shift()!
    lines.delete(name)
    if (begun.length + fresh.length > 0) lines.set(name, line)
    if (!next.reader.client.isClosed) return next
    next.stop(new ClientGone())
  }
  return undefined
}
