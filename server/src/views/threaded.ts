import {
  type AccountId,
  type ClientOrderId,
  decode,
  type KeyedCall,
  type Order,
  type OrderId,
  type PartnerId,
  type RequestId,
  type TokenizationRequest,
} from '@quipu/core'
import { type Journal, lossOf, type Position } from '../journal/journal.ts'
import { NotApplied } from '../process/not-applied.ts'
import { type HistoryQuery, keyId } from './history.ts'
import type { FromReader, FromWriter, ToReader, ToWriter, ViewsLimits } from './messages.ts'
import { Progress } from './progress.ts'
import type { Question } from './table-queries.ts'
import type { Standing } from './tables.ts'
import { Thread } from './thread.ts'
import { type OrdersQuery, type RequestsQuery, type Views, ViewsDamaged } from './views.ts'

export const defaultViewsLimits: ViewsLimits = {
  batchEventsMax: 2_000,
  snapshotEvents: 50_000,
  snapshotsKept: 2,
  questionsMax: 10_000,
}

export type ThreadedViewsParts = {
  readonly journal: Journal
  /** The module name and data of the writer thread. It also receives the limits. */
  readonly writer: { readonly name: string; readonly data: object }
  /** The module name and data of the reader thread. */
  readonly reader: { readonly name: string; readonly data: object }
  /** The name of the newest snapshot of this journal up to a number. */
  readonly newestSnapshot: (upTo: number) => Promise<string | undefined>
  /** Deletes damaged tables, so that the next opening rebuilds them. */
  readonly drop: () => void
  readonly limits?: Partial<ViewsLimits>
  readonly log: (line: string) => void
  /** Called when the open views fail. The caller must close and reopen them. */
  readonly failed: (error: unknown) => void
}

/**
 * Query tables with a writer thread, which reads the journal itself, and a reader thread. Unusable tables are
 * rebuilt. The tables may still lag when this resolves; wait with `reached`.
 */
export async function openThreadedViews(parts: ThreadedViewsParts): Promise<Views> {
  const views = new ThreadedViews(parts)
  try {
    await views.opened
  } catch (error) {
    await views.close()
    throw error
  }
  views.follow(parts.journal.head().seq)
  return views
}

/**
 * How long groups are collected before they are written. Under load, one message and one transaction per group cost a
 * tenth of the CPU. Queries do not wait longer, because a query sends the pending groups at once.
 */
const GATHER_MS = 20

type Asked = {
  readonly resolve: (records: readonly string[]) => void
  readonly reject: (error: unknown) => void
}

class ThreadedViews implements Views {
  readonly opened: Promise<void>
  readonly #parts: ThreadedViewsParts
  readonly #limits: ViewsLimits
  readonly #progress = new Progress(0)
  readonly #writer: Thread<ToWriter, FromWriter>
  readonly #opening = Promise.withResolvers<void>()
  readonly #asked = new Map<number, Asked>()
  #reader: Thread<ToReader, FromReader> | undefined
  #questions = 0
  #head: Position | undefined
  #posting: NodeJS.Timeout | undefined
  #over: NotApplied | undefined
  #ending: Promise<void> | undefined
  #stopped: Promise<void> | undefined
  #damaged: ViewsDamaged | undefined

  constructor(parts: ThreadedViewsParts) {
    const { name, data } = parts.writer
    this.#parts = parts
    this.#limits = { ...defaultViewsLimits, ...parts.limits }
    this.opened = this.#opening.promise
    this.#writer = new Thread(
      name,
      { ...data, limits: this.#limits },
      {
        told: (message) => this.#toldByWriter(message),
        died: (error) => this.#fail(error),
      },
    )
  }

  position(): number {
    return this.#progress.position
  }

  /** Notifies the writer thread after `GATHER_MS`, or immediately if a caller waits. */
  follow(seq: number): void {
    if (this.#over || seq <= (this.#head?.seq ?? 0)) return
    this.#head = this.#parts.journal.head()
    this.#posting ??= setTimeout(() => this.#postHead(), GATHER_MS)
    if (this.#progress.isAwaited) this.#postHead()
  }

  reached(seq: number): Promise<void> {
    if (seq > this.#progress.position) this.#postHead()
    return this.#progress.reached(seq)
  }

  async orders(query: OrdersQuery): Promise<readonly Order[]> {
    return (await this.#ask({ kind: 'orders', query })).map((record) => decode(record) as Order)
  }

  async legs(accountId: AccountId, parentIds: readonly OrderId[]): Promise<readonly Order[]> {
    const records = await this.#ask({ kind: 'legs', accountId, parentIds })
    return records.map((record) => decode(record) as Order)
  }

  async order(accountId: AccountId, orderId: OrderId): Promise<Order | undefined> {
    return first(await this.#ask({ kind: 'order', accountId, key: orderId }))
  }

  async orderByClientId(accountId: AccountId, clientOrderId: ClientOrderId): Promise<Order | undefined> {
    return first(await this.#ask({ kind: 'orderByClientId', accountId, key: clientOrderId }))
  }

  async requests(query: RequestsQuery): Promise<readonly TokenizationRequest[]> {
    const records = await this.#ask({ kind: 'requests', query })
    return records.map((record) => decode(record) as TokenizationRequest)
  }

  async request(accountId: AccountId, requestId: RequestId): Promise<TokenizationRequest | undefined> {
    return first(await this.#ask({ kind: 'request', accountId, key: requestId }))
  }

  async requestByLabel(accountId: AccountId, label: string): Promise<TokenizationRequest | undefined> {
    return (await this.requests({ accountId, label, limit: 1 }))[0]
  }

  async requestByKey(accountId: AccountId, key: string): Promise<TokenizationRequest | undefined> {
    return first(await this.#ask({ kind: 'requestByKey', accountId, key }))
  }

  async callByKey(partnerId: PartnerId, key: string): Promise<KeyedCall | undefined> {
    const accountId = partnerId as string as AccountId
    return first(await this.#ask({ kind: 'callByKey', accountId, key: keyId(key) }))
  }

  history(query: HistoryQuery): Promise<readonly string[]> {
    return this.#ask({ kind: 'history', query })
  }

  /** Completes pending queries, writes the last few events, and takes a snapshot. */
  async close(): Promise<void> {
    this.#over ??= new NotApplied('worldRestarting')
    this.#ending ??= this.#finish()
    await this.#ending
    await this.#stopped
  }

  async #ask(question: Question): Promise<readonly string[]> {
    if (this.#over) throw this.#over
    if (this.#asked.size >= this.#limits.questionsMax) throw new NotApplied('viewsBehind')
    const number = ++this.#questions
    return new Promise((resolve, reject) => {
      this.#asked.set(number, { resolve, reject })
      this.#reader!.post({ kind: 'ask', number, question })
    })
  }

  #toldByWriter(message: FromWriter): void {
    switch (message.kind) {
      case 'found':
        this.#begin(message.standing).catch((error) => this.#fail(error))
        return
      case 'begun':
        return this.#startReader()
      case 'position':
        return this.#progress.advance(message.seq)
      case 'log':
        return this.#parts.log(message.line)
      case 'failed':
        return this.#fail(message.error, message.damaged)
    }
  }

  #toldByReader(message: FromReader): void {
    if (message.kind === 'failed') return this.#fail(message.error, message.damaged)
    const asked = this.#asked.get(message.number)
    this.#asked.delete(message.number)
    if (message.kind === 'answer') asked?.resolve(message.records)
    else asked?.reject(message.error)
  }

  async #begin(standing: Standing): Promise<void> {
    const unfit = await mismatch(this.#parts.journal, standing)
    if (unfit !== undefined) return this.#writer.post({ kind: 'begin', unfit })
    this.#progress.advance(standing.position)
    const snapshot = await this.#parts.newestSnapshot(standing.position)
    this.#writer.post({ kind: 'begin', ...(snapshot === undefined ? {} : { snapshot }) })
  }

  #startReader(): void {
    const { name, data } = this.#parts.reader
    this.#reader = new Thread(name, data, {
      told: (message) => this.#toldByReader(message),
      died: (error) => this.#fail(error),
    })
    this.#opening.resolve()
  }

  #postHead(): void {
    clearTimeout(this.#posting)
    if (this.#posting) this.#writer.post({ kind: 'follow', head: this.#head! })
    this.#posting = undefined
  }

  async #finish(): Promise<void> {
    this.#postHead()
    await this.#reader?.finish({ kind: 'close' })
    await this.#writer.finish({ kind: 'close' })
    this.#progress.fail(this.#over)
  }

  /** Rejects waiting callers with NotApplied, and reports the error to the world. */
  #fail(error: unknown, damaged = false): void {
    const wasOver = this.#over !== undefined
    this.#over ??= new NotApplied('worldRestarting')
    const failure = damaged ? new ViewsDamaged(error) : error
    if (failure instanceof ViewsDamaged) this.#damaged ??= failure
    this.#progress.fail(this.#over)
    for (const { reject } of this.#asked.values()) reject(this.#over)
    this.#asked.clear()
    this.#stopped ??= this.#stop()
    this.#ending ??= this.#stopped
    if (wasOver) return
    if (this.#reader) this.#parts.failed(failure)
    else this.#opening.reject(failure)
  }

  async #stop(): Promise<void> {
    await Promise.all([this.#writer.stop(), this.#reader?.stop()])
    if (!this.#damaged) return
    this.#parts.log(`query tables are rebuilt from the journal: ${this.#damaged.message}`)
    this.#parts.drop()
  }
}

/** Why tables do not belong to a journal; undefined if they do. Throws JournalLost if they are ahead of it. */
async function mismatch(journal: Journal, { position, mark }: Standing): Promise<string | undefined> {
  const head = journal.head()
  const loss = lossOf(head.seq, [{ name: 'the query tables', seq: position }])
  if (loss) throw loss
  if (mark && (await journal.hashAt(mark.seq)) !== mark.hash) return 'they were made from another journal'
  return undefined
}

const first = <Row>([record]: readonly string[]): Row | undefined =>
  record === undefined ? undefined : (decode(record) as Row)
