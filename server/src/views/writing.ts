import { type MessagePort, parentPort } from 'node:worker_threads'
import type { State } from '@quipu/core'
import type { Position } from '../journal/journal.ts'
import type { FromWriter, ToWriter, ViewsLimits } from './messages.ts'
import { Projection } from './projection.ts'
import { type EventReader, type WritableTables, Writer } from './writer.ts'

/** The store functions that the writer thread uses. */
export type WriterStore = {
  readonly limits: ViewsLimits
  /** Why the existing tables cannot be used; undefined if they can or do not exist. */
  readonly whyUnusable: () => string | undefined | Promise<string | undefined>
  readonly drop: () => void | Promise<void>
  /** Opens the tables, or creates empty ones. */
  readonly open: () => WritableTables | Promise<WritableTables>
  readonly reader: () => EventReader
  readonly readSnapshot: (name: string) => Promise<State | undefined>
  readonly writeSnapshot: (state: State, hash: string) => Promise<void>
  /** Whether an error means that the disk is full. */
  readonly isFull?: (error: unknown) => boolean
  /** Whether an error means that the tables are damaged. */
  readonly isDamage: (error: unknown) => boolean
}

/** Runs this thread as the writer thread of a store. */
export async function runWriter(store: WriterStore): Promise<void> {
  const fail = (error: unknown): void => send({ kind: 'failed', error, damaged: store.isDamage(error) })
  const thread = new WriterLoop(store, send)
  try {
    await thread.open()
    port.on('message', (message: ToWriter) => thread.take(message).catch(fail))
  } catch (error) {
    fail(error)
  }
}

const port = parentPort as MessagePort
const send = (message: FromWriter): void => port.postMessage(message)

/**
 * Writes the tables and takes the snapshots. It reports the state of the existing tables, receives whether to
 * use them, and then follows the durable end of the journal.
 */
class WriterLoop {
  readonly #store: WriterStore
  readonly #send: (message: FromWriter) => void
  #tables: WritableTables | undefined
  #projection = new Projection()
  #writer: Writer | undefined
  #durableHead: Position = { seq: 0, hash: '' }
  #snapshotAt = 0
  #running = false
  #closing = false

  constructor(store: WriterStore, send: (message: FromWriter) => void) {
    this.#store = store
    this.#send = send
  }

  async open(): Promise<void> {
    const reason = await this.#store.whyUnusable()
    if (reason !== undefined) await this.#drop(reason)
    this.#tables = await this.#store.open()
    this.#send({ kind: 'found', tablesState: await this.#tables.tablesState() })
  }

  async take(message: ToWriter): Promise<void> {
    if (message.kind === 'begin') await this.#begin(message)
    else if (message.kind === 'follow') this.#durableHead = message.head
    else this.#closing = true
    await this.#run()
  }

  async #begin({ unusable, snapshot }: Extract<ToWriter, { kind: 'begin' }>): Promise<void> {
    const store = this.#store
    if (unusable !== undefined) {
      await this.#tables!.close()
      await this.#drop(unusable)
      this.#tables = await store.open()
    }
    // The tables accept queries from here on; only updates need the replica.
    this.#send({ kind: 'started' })
    this.#projection = new Projection(snapshot === undefined ? undefined : await store.readSnapshot(snapshot))
    this.#snapshotAt = this.#projection.state.seq
    this.#writer = new Writer({
      tables: this.#tables!,
      projection: this.#projection,
      reader: store.reader(),
      batchEventsMax: store.limits.batchEventsMax,
      isWorthRetrying: (error) => !this.#closing && store.isFull?.(error) === true,
    })
  }

  async #drop(reason: string): Promise<void> {
    this.#send({ kind: 'log', line: `query tables are rebuilt from the journal: ${reason}` })
    await this.#store.drop()
  }

  async #run(): Promise<void> {
    const writer = this.#writer
    if (!writer || this.#running) return
    this.#running = true
    while (this.#hasWork()) await this.#follow(writer, this.#durableHead)
    this.#running = false
    if (this.#closing) await this.#end(writer)
  }

  // On close, a small lag is processed so that the next start has a complete snapshot. A large lag is left to that
  // start.
  #hasWork(): boolean {
    const lag = this.#durableHead.seq - this.#projection.state.seq
    return lag > 0 && !(this.#closing && lag > this.#store.limits.batchEventsMax)
  }

  async #follow(writer: Writer, head: Position): Promise<void> {
    const before = writer.position
    for await (const _ of writer.follow(head)) {
      if (writer.position > before) this.#send({ kind: 'position', seq: writer.position })
      if (!this.#hasWork()) break
    }
    const { seq } = this.#projection.state
    if (seq === head.seq && this.#isSnapshotDue()) await this.#takeSnapshot(head.hash)
  }

  /** Snapshots of a large state are less frequent, so that they stay a small part of the work. */
  #isSnapshotDue(): boolean {
    const { seq, orders } = this.#projection.state
    return seq - this.#snapshotAt >= Math.max(this.#store.limits.snapshotEvents, orders.size)
  }

  /** Makes the tables durable first, because a snapshot ahead of them is unusable. */
  async #takeSnapshot(hash: string): Promise<void> {
    const { state } = this.#projection
    this.#snapshotAt = state.seq
    try {
      this.#tables!.sync()
      await this.#store.writeSnapshot(state, hash)
    } catch (error) {
      this.#send({ kind: 'log', line: `no snapshot was taken at event ${state.seq}: ${error}` })
    }
  }

  async #end(writer: Writer): Promise<void> {
    const { seq } = this.#projection.state
    if (seq > this.#snapshotAt && seq === this.#durableHead.seq)
      await this.#takeSnapshot(this.#durableHead.hash)
    await writer.close()
    port.close()
  }
}
