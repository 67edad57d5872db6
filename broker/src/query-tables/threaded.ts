import type { PartnerId, RequestId, State, TokenizationRequest } from '@quipu/core'
import {
  type AccountId,
  type ClientOrderId,
  decode,
  type KeyedCall,
  missing,
  type Order,
  type OrderId,
} from '@quipu/core'
import type { Journal, JournalPosition } from '../journal/journal.ts'
import { NotApplied } from '../journal/not-applied.ts'
import { type OpenThread, separateThread, type ThreadLink } from '../threads/thread.ts'
import { type HistoryQuery, keyId, type UpdatesQuery } from './history.ts'
import {
  defaultQueryTablesLimits,
  type FromReader,
  type FromWriter,
  type QueryTablesLimits,
  type ToReader,
  type ToWriter,
} from './messages.ts'
import { mismatch, TablesProgress } from './progress.ts'
import { type OrdersQuery, type QueryTables, QueryTablesDamaged, type RequestsQuery } from './query-tables.ts'
import { orderRecords, requestRecords } from './records.ts'
import { stateLines } from './snapshot/state-lines.ts'
import type { TablesState } from './sqlite/tables.ts'
import { ThreadQueries } from './thread-queries.ts'

export type ThreadedQueryTablesParts = {
  readonly journal: Journal
  /** Default: separate threads. */
  readonly openThread?: OpenThread | undefined
  /** The module name and data of the writer thread. It also receives the limits. */
  readonly writer: { readonly name: string; readonly data: object }
  /** The module name and data of the reader thread. */
  readonly reader: { readonly name: string; readonly data: object }
  /** The name of the newest snapshot of this journal up to a number. */
  readonly newestSnapshot: (upTo: number) => Promise<string | undefined>
  /** Deletes damaged tables, so that the next opening rebuilds them. */
  readonly dropTables: () => void
  readonly limits?: Partial<QueryTablesLimits>
  /** Whether closing takes no snapshot, because another process continues with the world at once. */
  readonly withoutSnapshot?: (() => boolean) | undefined
  readonly log: (line: string, level?: 'error') => void
  /** Called when the open query tables fail. The caller must close and reopen them. */
  readonly onFailure: (error: unknown) => void
}

/** The module beside which the modules of the threads are. */
export const threadsUrl = import.meta.url

/**
 * Query tables with a writer thread, which reads the journal itself, and a reader thread. Unusable tables are
 * rebuilt. The tables may still lag when this resolves; wait with `reached`.
 */
export async function openThreadedQueryTables(parts: ThreadedQueryTablesParts): Promise<QueryTables> {
  const queryTables = new ThreadedQueryTables(parts)
  try {
    await queryTables.opened
  } catch (error) {
    await queryTables.close()
    throw error
  }
  queryTables.follow(parts.journal.head().seq)
  return queryTables
}

/**
 * How long groups are collected before they are written, and how many events at most. Ids are random, so a small
 * transaction writes a page for nearly every order: 46 µs of CPU per order with 100 events each, 35 µs with 500, 28 µs
 * with 2,000. Queries do not wait longer, because a query sends the pending groups at once.
 */
const [GATHER_MS, GATHER_EVENTS] = [500, 2_000]

class ThreadedQueryTables implements QueryTables {
  stateWantedAt: number | undefined
  readonly #parts: ThreadedQueryTablesParts
  readonly #limits: QueryTablesLimits
  readonly #progress = new TablesProgress(0)
  readonly #writer: ThreadLink<ToWriter>
  readonly #opening = Promise.withResolvers<void>()
  readonly opened = this.#opening.promise
  readonly #queries: ThreadQueries
  #isOpen = false
  #head: JournalPosition | undefined
  #posting: NodeJS.Timeout | undefined
  /** The last number that was sent to the writer thread. */
  #posted = 0
  #notApplied: NotApplied | undefined
  #ending: Promise<void> | undefined
  #stopped: Promise<void> | undefined
  #damaged: QueryTablesDamaged | undefined

  constructor(parts: ThreadedQueryTablesParts) {
    this.#parts = parts
    this.#limits = { ...defaultQueryTablesLimits, ...parts.limits }
    const openThread = parts.openThread ?? separateThread
    const { name, data } = parts.writer
    const onMessage = (message: FromWriter) => this.#onWriterMessage(message)
    const calls = { onMessage, onDeath: (error: unknown) => this.#fail(error) }
    const withLimits = { ...data, limits: this.#limits }
    this.#writer = openThread<ToWriter, FromWriter>(threadsUrl, name, withLimits, calls)
    const { reader } = parts
    this.#queries = new ThreadQueries({
      openReader: (calls) => openThread<ToReader, FromReader>(threadsUrl, reader.name, reader.data, calls),
      queriesMax: this.#limits.queriesMax,
      refusal: () => this.#notApplied,
      failed: (error, isDamaged) => this.#fail(error, isDamaged),
    })
  }

  position(): number {
    return this.#progress.position
  }

  /** Notifies the writer thread after `GATHER_MS`, or immediately if a caller waits or much is pending. */
  follow(seq: number): void {
    if (this.#notApplied || seq <= (this.#head?.seq ?? 0)) return
    this.#head = this.#parts.journal.head()
    this.#posting ??= setTimeout(() => this.#postHead(), GATHER_MS)
    if (this.#progress.isAwaited || seq - this.#posted >= GATHER_EVENTS) this.#postHead()
  }

  takeState(state: State | undefined): void {
    this.stateWantedAt = undefined
    const lines = state && [...stateLines(state, 'withoutOrders')]
    this.#writer.post({ kind: 'state', ...(lines && { lines }) })
  }

  reached(seq: number): Promise<void> {
    return this.#advanced(seq).reached(seq)
  }

  reachedOrFull(seq: number): Promise<void> {
    return this.#advanced(seq).reachedOrStalled(seq)
  }

  async orders(query: OrdersQuery): Promise<readonly Order[]> {
    return this.#queries.all(orderRecords, { kind: 'orders', query })
  }

  async legs(accountId: AccountId, parentIds: readonly OrderId[]): Promise<readonly Order[]> {
    return this.#queries.all(orderRecords, { kind: 'legs', accountId, parentIds })
  }

  async order(accountId: AccountId, orderId: OrderId): Promise<Order | undefined> {
    return this.#queries.first(orderRecords, { kind: 'order', accountId, key: orderId })
  }

  async orderByClientId(accountId: AccountId, clientOrderId: ClientOrderId): Promise<Order | undefined> {
    return this.#queries.first(orderRecords, { kind: 'orderByClientId', accountId, key: clientOrderId })
  }

  async requests(query: RequestsQuery): Promise<readonly TokenizationRequest[]> {
    return this.#queries.all(requestRecords, { kind: 'requests', query })
  }

  async request(accountId: AccountId, requestId: RequestId): Promise<TokenizationRequest | undefined> {
    return this.#queries.first(requestRecords, { kind: 'request', accountId, key: requestId })
  }

  async requestByLabel(accountId: AccountId, label: string): Promise<TokenizationRequest | undefined> {
    return (await this.requests({ accountId, label, limit: 1 }))[0]
  }

  async callByKey(partnerId: PartnerId, key: string): Promise<KeyedCall | undefined> {
    const accountId = partnerId as string as AccountId
    const [call] = await this.#queries.run<string>({ kind: 'callByKey', accountId, key: keyId(key) })
    return call === undefined ? undefined : (decode(call) as KeyedCall)
  }

  history(query: HistoryQuery): Promise<readonly string[]> {
    return this.#queries.run<string>({ kind: 'history', query })
  }

  updates(query: UpdatesQuery): Promise<readonly Uint8Array[]> {
    return this.#queries.run<Uint8Array>({ kind: 'updates', query })
  }

  /** Completes pending queries, writes the last few events, and takes a snapshot. */
  async close(): Promise<void> {
    this.#notApplied ??= new NotApplied('worldRestarting')
    this.#ending ??= this.#finish()
    await this.#ending
    await this.#stopped
  }

  async abandon(): Promise<void> {
    this.#notApplied ??= new NotApplied('worldRestarting')
    this.#fail(undefined)
    await this.#stopped
  }

  #advanced(seq: number): TablesProgress {
    const isBehind = seq > this.#progress.position
    // Nobody replays the journal for this caller.
    if (isBehind && this.stateWantedAt !== undefined) this.takeState(undefined)
    if (isBehind) this.#postHead()
    return this.#progress
  }

  #onWriterMessage(message: FromWriter): void {
    if (message.kind === 'failed') return this.#fail(message.error, message.damaged)
    switch (message.kind) {
      case 'found':
        return void this.#begin(message.tablesState).catch((error) => this.#fail(error))
      case 'started':
        this.#isOpen = true
        return this.#opening.resolve()
      case 'position':
        return this.#progress.advance(message.seq)
      case 'full':
        this.#parts.log('the disk is full: the query tables wait for space', 'error')
        return this.#progress.stall()
      case 'log':
        return this.#parts.log(message.line)
      default:
        return message satisfies never
    }
  }

  async #begin(tablesState: TablesState): Promise<void> {
    const unusable = await mismatch(this.#parts.journal, tablesState)
    if (unusable !== undefined) return this.#writer.post({ kind: 'begin', unusable })
    this.#progress.advance(tablesState.position)
    const snapshot = await this.#parts.newestSnapshot(tablesState.position)
    if (snapshot !== undefined) return this.#writer.post({ kind: 'begin', snapshot })
    if (tablesState.position > 0) this.stateWantedAt = tablesState.position
    this.#writer.post({ kind: 'begin', awaitsState: tablesState.position > 0 })
  }

  #postHead(): void {
    clearTimeout(this.#posting)
    if (this.#posting)
      this.#writer.post({ kind: 'follow', head: this.#head ?? missing('the head of the journal') })
    this.#posting = undefined
    this.#posted = this.#head?.seq ?? 0
  }

  async #finish(): Promise<void> {
    this.#postHead()
    await this.#queries.finish()
    await this.#writer.finish({ kind: 'close', withoutSnapshot: this.#parts.withoutSnapshot?.() === true })
    this.#progress.fail(this.#notApplied)
  }

  /** Rejects waiting callers with NotApplied, and reports the error to the world, unless the query tables are closing. */
  #fail(error: unknown, damaged = false): void {
    const wasOver = this.#notApplied !== undefined
    this.#notApplied ??= new NotApplied('worldRestarting')
    const failure = damaged ? new QueryTablesDamaged(error) : error
    if (failure instanceof QueryTablesDamaged) this.#damaged ??= failure
    this.#progress.fail(this.#notApplied)
    this.#queries.rejectAll(this.#notApplied)
    this.#stopped ??= this.#stop()
    this.#ending ??= this.#stopped
    if (wasOver) return
    if (this.#isOpen) this.#parts.onFailure(failure)
    else this.#opening.reject(failure)
  }

  async #stop(): Promise<void> {
    await Promise.all([this.#writer.stop(), this.#queries.stop()])
    if (!this.#damaged) return
    this.#parts.log(`query tables are rebuilt from the journal: ${this.#damaged.message}`)
    this.#parts.dropTables()
  }
}
