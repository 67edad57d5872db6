import { ClientDisconnected, currentReader } from '@quipu/broker/clock/long-work.ts'
import type { Journal } from '@quipu/broker/journal/journal.ts'
import { NotApplied } from '@quipu/broker/journal/not-applied.ts'
import type { Log } from '@quipu/broker/log/log.ts'
import type { MarketInputs } from '@quipu/broker/market/market-inputs.ts'
import { Thread } from '@quipu/broker/threads/thread.ts'
import type { WorldId } from '@quipu/core'
import type { JournalPage, JournalQuery } from './journal-page.ts'
import type {
  FromHistoryThread,
  HistoryThreadData,
  ReadJournal,
  ReadMarket,
  ReadPage,
  ToHistoryThread,
} from './messages.ts'
import type { PageQuery } from './page.ts'
import { type HistoryReader, localReader, type ReadWorld } from './reader.ts'
import { type WhatIfQuery, whatIfWithoutFills } from './what-if.ts'

/** Markets that one thread keeps. */
const MARKETS_MAX = 8
/** The thread of what-ifs ends after this time without one. */
const WHAT_IF_IDLE_MS = 60_000

/** The thread was ended, because the time of a computation was over. */
class TimeOver extends Error {}

/**
 * Reads pages in a fixed number of threads, so that a long page does not delay the orders of the main thread. A thread
 * starts when all others are busy. A page that only the main thread can read, of a market data provider or of a journal
 * in memory, is read here.
 */
export class HistoryThreads implements HistoryReader {
  readonly #data: HistoryThreadData
  readonly #log: Pick<Log, 'warn' | 'error'>
  readonly #threads = new Set<HistoryThread>()
  /** What-ifs have their own thread: it is ended when the time of one is over, and pages must not end with it. */
  #whatIf: HistoryThread | undefined
  #max: number

  constructor(max: number, data: HistoryThreadData, log: Pick<Log, 'warn' | 'error'>) {
    this.#max = max
    this.#data = data
    this.#log = log
  }

  async read(world: ReadWorld, query: PageQuery): Promise<Uint8Array<ArrayBuffer>> {
    const inputs = this.#max === 0 || query.symbols.length === 0 ? undefined : world.market.inputs
    const bytes = inputs && (await this.#thread().readMarket(world.id, inputs, query))
    // After an error in the thread, the same read here gives the error of the response.
    return bytes ?? localReader.read(world, query)
  }

  async readWhatIf(world: ReadWorld, query: WhatIfQuery): Promise<Uint8Array<ArrayBuffer>> {
    if (query.maxMs === 0) return whatIfWithoutFills(query)
    const inputs = this.#max === 0 ? undefined : world.market.inputs
    try {
      const bytes = inputs && (await this.#whatIfThread().readMarket(world.id, inputs, query, query.maxMs))
      return bytes ?? localReader.readWhatIf(world, query)
    } catch (error) {
      if (error instanceof TimeOver) return whatIfWithoutFills(query)
      throw error
    }
  }

  async readJournal(journal: Journal, query: JournalQuery): Promise<JournalPage> {
    const source = this.#max === 0 ? undefined : journal.source
    const head = journal.head().seq
    const page = source && (await this.#thread().readJournal({ kind: 'journal', source, head, query }))
    return page ?? localReader.readJournal(journal, query)
  }

  async close(): Promise<void> {
    this.#max = 0
    await Promise.all([...this.#threads, this.#whatIf].map((thread) => thread?.close()))
  }

  #whatIfThread(): HistoryThread {
    if (this.#whatIf && !this.#whatIf.isClosed) return this.#whatIf
    const started = new HistoryThread(this.#data, (error) => this.#ended(started, error), WHAT_IF_IDLE_MS)
    this.#whatIf = started
    return started
  }

  /** The thread with the fewest pages in progress, or a new one if all are busy. */
  #thread(): HistoryThread {
    let [best] = this.#threads
    for (const thread of this.#threads) if (thread.pages < best!.pages) best = thread
    if (best && (best.pages === 0 || this.#threads.size >= this.#max)) return best
    const started = new HistoryThread(this.#data, (error) => this.#ended(started, error))
    this.#threads.add(started)
    return started
  }

  /** The next page starts another thread. If a thread cannot even start, all pages are read on the main thread. */
  #ended(thread: HistoryThread, error: unknown): void {
    if (this.#whatIf === thread) this.#whatIf = undefined
    else if (!this.#threads.delete(thread)) return
    if (thread.isReady) return this.#log.warn('a history thread ended', { error: String(error) })
    this.#max = 0
    this.#log.error('history threads cannot start; the main thread reads history', { error: String(error) })
  }
}

type PageResponse = PromiseWithResolvers<ReadPage | undefined>

/** One thread and its pages in progress. */
class HistoryThread {
  /** Whether the thread has started. */
  isReady = false
  isClosed = false
  readonly #ready = Promise.withResolvers<void>()
  /** The timers of computations with a limit: also of those whose client has left, until the thread has stopped them. */
  readonly #limits = new Map<number, NodeJS.Timeout>()
  readonly #idleMs: number | undefined
  #idle: NodeJS.Timeout | undefined
  readonly #thread: Thread<ToHistoryThread, FromHistoryThread>
  readonly #responses = new Map<number, PageResponse>()
  /** The versions of the markets that the thread has, least recently used first. */
  readonly #markets = new Map<WorldId, number>()
  #lastId = 0

  /** `idleMs`: it ends after this time without work. */
  constructor(data: HistoryThreadData, onDeath: (error: unknown) => void, idleMs?: number) {
    this.#idleMs = idleMs
    this.#ready.promise.catch(() => undefined)
    this.#thread = new Thread(import.meta.url, 'history-thread', data, {
      onMessage: (message) => this.#receive(message),
      onDeath: (error) => {
        onDeath(error)
        this.#stop()
      },
    })
  }

  get pages(): number {
    return this.#responses.size
  }

  /**
   * The bytes of a page; undefined if the thread failed to read it. A thread that works on it for longer than `maxMs`
   * is ended.
   */
  readMarket(world: WorldId, inputs: MarketInputs, query: ReadMarket['query'], maxMs?: number) {
    const order = { kind: 'market', world, query, ...this.#marketFor(world, inputs) } as const
    return this.#read<Uint8Array<ArrayBuffer>>(order, maxMs)
  }

  /** A page; undefined if the thread failed to read it. */
  readJournal(order: ReadJournal) {
    return this.#read<JournalPage>(order)
  }

  async #read<Page extends ReadPage>(
    order: ReadMarket | ReadJournal,
    maxMs?: number,
  ): Promise<Page | undefined> {
    const { name = '', client } = currentReader() ?? {}
    if (client?.isClosed) throw new ClientDisconnected()
    const id = ++this.#lastId
    const response: PageResponse = Promise.withResolvers()
    this.#responses.set(id, response)
    clearTimeout(this.#idle)
    this.#thread.post({ kind: 'read', id, name, order })
    if (maxMs !== undefined) this.#limit(id, maxMs)
    const cancel = client?.onClosed(() => {
      this.#thread.post({ kind: 'stop', id })
      response.reject(new ClientDisconnected())
    })
    try {
      return (await response.promise) as Page | undefined
    } finally {
      cancel?.()
      this.#responses.delete(id)
    }
  }

  close(reason: Error = new NotApplied('readerStopped')): Promise<void> {
    this.#stop(reason)
    return this.#thread.stop()
  }

  /** The time begins when the thread has started. */
  #limit(id: number, maxMs: number): void {
    const begin = (): void => {
      if (this.isClosed || this.#limits.has(id)) return
      this.#limits.set(
        id,
        setTimeout(() => void this.close(new TimeOver()), maxMs),
      )
    }
    if (this.isReady) begin()
    else void this.#ready.promise.then(begin, () => undefined)
  }

  /** The thread no longer works on it. */
  #endLimit(id: number): void {
    clearTimeout(this.#limits.get(id))
    this.#limits.delete(id)
    if (this.#idleMs === undefined || this.#limits.size > 0 || this.isClosed) return
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.close(), this.#idleMs).unref()
  }

  /** The market of a page, if the thread does not have this version of it. */
  #marketFor(world: WorldId, inputs: MarketInputs): { readonly market?: MarketInputs } {
    const version = this.#markets.get(world)
    this.#markets.delete(world)
    this.#markets.set(world, inputs.version)
    const [oldest] = this.#markets.keys()
    if (this.#markets.size > MARKETS_MAX && oldest !== undefined) {
      this.#markets.delete(oldest)
      this.#thread.post({ kind: 'forget', world: oldest })
    }
    return version === inputs.version ? {} : { market: inputs }
  }

  #receive(message: FromHistoryThread): void {
    if (message.kind === 'ready') {
      this.isReady = true
      this.#ready.resolve()
      return
    }
    this.#endLimit(message.id)
    this.#responses.get(message.id)?.resolve(message.kind === 'page' ? message.page : undefined)
  }

  #stop(reason: Error = new NotApplied('readerStopped')): void {
    this.isClosed = true
    this.#ready.reject(reason)
    clearTimeout(this.#idle)
    for (const timer of this.#limits.values()) clearTimeout(timer)
    for (const response of this.#responses.values()) response.reject(reason)
  }
}
