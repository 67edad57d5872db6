import { NotApplied } from '../journal/not-applied.ts'
import type { ThreadCalls, ThreadLink } from '../threads/thread.ts'
import type { FromReader, ToReader } from './messages.ts'
import type { QueryTablesQuery, StoredRecord } from './queries.ts'
import type { Records } from './records.ts'

export type ThreadQueriesParts = {
  readonly openReader: (calls: ThreadCalls<FromReader>) => ThreadLink<ToReader>
  readonly queriesMax: number
  /** Why no more queries are accepted. */
  readonly refusal: () => NotApplied | undefined
  readonly failed: (error: unknown, isDamaged?: boolean) => void
}

/** The reader thread of query tables, and the queries that wait for it. */
export class ThreadQueries {
  readonly #parts: ThreadQueriesParts
  readonly #pending = new Map<number, Omit<PromiseWithResolvers<readonly never[]>, 'promise'>>()
  #reader: ThreadLink<ToReader> | undefined
  #asked = 0

  constructor(parts: ThreadQueriesParts) {
    this.#parts = parts
  }

  async first<Value>(records: Records<Value>, query: QueryTablesQuery): Promise<Value | undefined> {
    return (await this.all(records, query))[0]
  }

  async all<Value>({ read }: Records<Value>, query: QueryTablesQuery): Promise<readonly Value[]> {
    return (await this.run<Uint8Array>(query)).map(read)
  }

  async run<Stored extends StoredRecord>(query: QueryTablesQuery): Promise<readonly Stored[]> {
    const { openReader, queriesMax, refusal, failed } = this.#parts
    const refused = refusal()
    if (refused) throw refused
    if (this.#pending.size >= queriesMax) throw new NotApplied('queryTablesBehind')
    const number = ++this.#asked
    return new Promise((resolve, reject) => {
      this.#pending.set(number, { resolve, reject })
      // Opened by the first query: many programs end without one, and a thread costs 0.1 CPU seconds.
      this.#reader ??= openReader({ onMessage: (message) => this.#onMessage(message), onDeath: failed })
      this.#reader.post({ kind: 'query', number, query })
    })
  }

  rejectAll(error: unknown): void {
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }

  async finish(): Promise<void> {
    await this.#reader?.finish({ kind: 'close' })
  }

  async stop(): Promise<void> {
    await this.#reader?.stop()
  }

  #onMessage(message: FromReader): void {
    if (message.kind === 'failed') return this.#parts.failed(message.error, message.damaged)
    const pending = this.#pending.get(message.number)
    this.#pending.delete(message.number)
    if (message.kind === 'result') pending?.resolve(message.records as readonly never[])
    else pending?.reject(message.error)
  }
}
