import type { Call, SnapshotMessage } from '@quipu/sdk'
import type { Connection } from '../session/connections.ts'
import { isOperator } from '../session/session.ts'
import { takeClock } from './clock.ts'
import { collect } from './frames.ts'
import { followShared } from './shared-stream.ts'

export type CurvePeriod = NonNullable<NonNullable<Call<'getAccountSnapshot'>['query']>['curve']>

/** The server sends something every two seconds. A silent one is not live. */
const SILENT_MS = 5_000
/** Screens that change watch other symbols at once; one new stream serves them all. */
const PAUSE_MS = 40
/** The limit of the operation. */
const SYMBOLS_MAX = 200

type Receiver = {
  readonly take: (messages: readonly SnapshotMessage[]) => void
  /** The connection broke, or the server is silent. */
  readonly broken: () => void
  readonly failed: (error: Error) => void
}

/** The event stream of the snapshot of one account, with the symbols and the curve that are on screen. */
export class SnapshotStream {
  readonly #connection: Connection
  readonly #receiver: Receiver
  readonly #watched = new Map<string, number>()
  readonly #curves: CurvePeriod[] = []
  #isOpen = false
  #closing: AbortController | undefined
  #restartTimer: ReturnType<typeof setTimeout> | undefined
  #silentTimer: ReturnType<typeof setTimeout> | undefined
  /** What the open stream was asked for. */
  #asked: { readonly symbols: readonly string[]; readonly curve: CurvePeriod | undefined } | undefined

  constructor(connection: Connection, receiver: Receiver) {
    this.#connection = connection
    this.#receiver = receiver
  }

  open(): void {
    this.#isOpen = true
    this.#restartSoon()
  }

  close(): void {
    this.#isOpen = false
    clearTimeout(this.#restartTimer)
    clearTimeout(this.#silentTimer)
    this.#closing?.abort()
  }

  /** Opens the stream again: it begins with the whole. */
  restart(): void {
    this.#asked = undefined
    this.#restartSoon()
  }

  watch(symbols: readonly string[]): () => void {
    for (const symbol of symbols) {
      const count = this.#watched.get(symbol) ?? 0
      // The newest symbols are at the end.
      this.#watched.delete(symbol)
      this.#watched.set(symbol, count + 1)
    }
    this.#restartSoon()
    return () => {
      for (const symbol of symbols) {
        const count = (this.#watched.get(symbol) ?? 1) - 1
        if (count > 0) this.#watched.set(symbol, count)
        else this.#watched.delete(symbol)
      }
    }
  }

  wantCurve(period: CurvePeriod): () => void {
    this.#curves.push(period)
    this.#restartSoon()
    return () => {
      this.#curves.splice(this.#curves.lastIndexOf(period), 1)
    }
  }

  #restartSoon(): void {
    if (!this.#isOpen) return
    clearTimeout(this.#restartTimer)
    this.#restartTimer = setTimeout(() => this.#follow(), PAUSE_MS)
  }

  /** Opens the stream, unless the open one has all that is wanted. The old numbers stay until the new ones are complete. */
  #follow(): void {
    const symbols = [...this.#watched.keys()].slice(-SYMBOLS_MAX).sort()
    const curve = this.#curves.at(-1)
    const asked = this.#asked
    const hasAll = symbols.every((symbol) => asked?.symbols.includes(symbol))
    if (asked && hasAll && (curve === undefined || curve === asked.curve)) return
    this.#asked = { symbols, curve }
    this.#closing?.abort()
    const closing = new AbortController()
    this.#closing = closing
    const { world, accountId } = this.#connection.account!
    const query = { ...(symbols.length > 0 && { symbols }), ...(curve && { curve }) }
    const call = { params: { world, account_id: accountId }, query }
    const take = collect<SnapshotMessage>((messages) => {
      if (closing.signal.aborted) return
      this.#expectMessage()
      for (const { data } of messages.slice(-1)) if (data.clock && !isOperator.peek()) takeClock(data.clock)
      this.#receiver.take(messages)
    })
    this.#expectMessage()
    void followShared<SnapshotMessage>(closing.signal, {
      name: `snapshot ${this.#connection.name} ${JSON.stringify(query)}`,
      open: (options) => this.#read(call, options),
      take,
      opened: () => undefined,
      broken: () => this.#receiver.broken(),
    })
  }

  async *#read(
    call: Call<'getAccountSnapshot'>,
    options: { readonly signal: AbortSignal; readonly onOpen: () => void; readonly onBreak: () => void },
  ): AsyncGenerator<SnapshotMessage> {
    try {
      yield* this.#connection.events.getAccountSnapshot(call, { ...options, idleMs: SILENT_MS })
    } catch (error) {
      if (!options.signal.aborted) {
        options.onBreak()
        this.#receiver.failed(error as Error)
      }
      throw error
    }
  }

  /** Without a message in time, the numbers are not current. */
  #expectMessage(): void {
    clearTimeout(this.#silentTimer)
    this.#silentTimer = setTimeout(() => {
      if (!document.hidden) this.#receiver.broken()
      this.#expectMessage()
    }, SILENT_MS)
  }
}
