import type { State } from '@quipu/core'
import type { JournalPosition } from '../journal/journal.ts'
import { portOfThread } from '../threads/thread.ts'
import type { FromWriter, QueryTablesLimits, ToWriter } from './messages.ts'
import {
  type MadeSnapshot,
  makeInThread,
  makeSnapshot,
  type SnapshotStore,
  type SnapshotThread,
} from './snapshot/make-snapshot.ts'
import { stateWithoutOrders } from './snapshot/state-reader.ts'
import { TableProjection } from './table-projection.ts'
import { TablesWriter, type WritableTables } from './writer.ts'

/** The store functions that the writer thread uses. */
export type WriterStore = SnapshotStore & {
  readonly limits: QueryTablesLimits
  /** The thread for snapshots of large worlds. */
  readonly snapshotThread: SnapshotThread
  /** Why the existing tables cannot be used; undefined if they can or do not exist. */
  readonly whyUnusable: () => string | undefined | Promise<string | undefined>
  readonly drop: () => void | Promise<void>
  /** Opens the tables, or creates empty ones. */
  readonly open: () => WritableTables | Promise<WritableTables>
  /** Whether an error means that the disk is full. */
  readonly isFull?: (error: unknown) => boolean
  /** Whether an error means that the tables are damaged. */
  readonly isDamage: (error: unknown) => boolean
}

/** Runs the writer of a store in this thread. It ends when the port is closed. */
export async function runWriter(store: WriterStore, port = portOfThread()): Promise<void> {
  const send = (message: FromWriter): void => port.postMessage(message)
  const fail = (error: unknown): void => send({ kind: 'failed', error, damaged: store.isDamage(error) })
  const loop = new WriterLoop(store, send)
  const opening = loop.open()
  port.once('close', () => opening.then(() => loop.abandon()).catch(() => {}))
  try {
    await opening
    port.on('message', (message: ToWriter) =>
      loop.take(message).then((isOver) => isOver && port.close(), fail),
    )
  } catch (error) {
    fail(error)
  }
}

/**
 * Writes the tables and takes the snapshots. It reports the state of the existing tables, receives whether to
 * use them, and then follows the durable end of the journal.
 */
class WriterLoop {
  readonly #store: WriterStore
  readonly #send: (message: FromWriter) => void
  #tables: WritableTables | undefined
  #projection: TableProjection | undefined
  #writer: TablesWriter | undefined
  #durableHead: JournalPosition = { seq: 0, hash: '' }
  /** The newest snapshot, and the number of orders in it; 0 if another run made it. */
  #newest: Pick<MadeSnapshot, 'seq' | 'orders'> & { readonly name?: string } = { seq: 0, orders: 0 }
  #snapshot: Promise<void> | undefined
  #awaitsState = false
  #running = false
  #closing = false
  #withoutSnapshot = false

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

  /** Returns true after the last message. */
  async take(message: ToWriter): Promise<boolean> {
    if (message.kind === 'begin') await this.#begin(message)
    else if (message.kind === 'state') this.#startWriter(message.lines && stateWithoutOrders(message.lines))
    else if (message.kind === 'follow') this.#durableHead = message.head
    else {
      this.#closing = true
      this.#withoutSnapshot = message.withoutSnapshot === true
      if (this.#awaitsState) this.#startWriter(undefined)
    }
    return this.#run()
  }

  /** Closes everything without a snapshot. */
  async abandon(): Promise<void> {
    this.#closing = true
    this.#withoutSnapshot = true
    await (this.#writer ?? this.#tables)?.close()
  }

  async #begin({ unusable, snapshot, awaitsState }: Extract<ToWriter, { kind: 'begin' }>): Promise<void> {
    const store = this.#store
    if (unusable !== undefined) {
      await this.#opened().close()
      await this.#drop(unusable)
      this.#tables = await store.open()
    }
    // The tables accept queries from here on; only updates need the state.
    this.#send({ kind: 'started' })
    this.#awaitsState = awaitsState === true
    if (this.#awaitsState) return
    const state = snapshot === undefined ? undefined : await store.readSnapshot(snapshot, 'withoutOrders')
    if (snapshot !== undefined && state) this.#newest = { name: snapshot, seq: state.seq, orders: 0 }
    this.#startWriter(state)
  }

  /** `state` is that of a snapshot, or at the position of the tables. Without one, the journal is replayed. */
  #startWriter(state: State | undefined): void {
    const store = this.#store
    this.#awaitsState = false
    this.#projection = new TableProjection(this.#opened(), state)
    this.#writer = new TablesWriter({
      tables: this.#opened(),
      projection: this.#projection,
      reader: store.reader(),
      batchEventsMax: store.limits.batchEventsMax,
      isWorthRetrying: (error) => !this.#closing && store.isFull?.(error) === true,
      onRetry: () => this.#send({ kind: 'full' }),
    })
  }

  async #drop(reason: string): Promise<void> {
    this.#send({ kind: 'log', line: `query tables are rebuilt from the journal: ${reason}` })
    await this.#store.drop()
  }

  async #run(): Promise<boolean> {
    const writer = this.#writer
    if (!writer || this.#running) return false
    this.#running = true
    while (this.#hasWork()) await this.#follow(writer, this.#durableHead)
    this.#running = false
    if (this.#closing) await this.#end(writer)
    return this.#closing
  }

  // On close, a small lag is processed so that the next start has a complete snapshot. A large lag is left to that
  // start.
  #hasWork(): boolean {
    const lag = this.#durableHead.seq - this.#seq
    return lag > 0 && !(this.#closing && lag > this.#store.limits.batchEventsMax)
  }

  async #follow(writer: TablesWriter, head: JournalPosition): Promise<void> {
    const before = writer.position
    for await (const _ of writer.follow(head)) {
      if (writer.position > before) this.#send({ kind: 'position', seq: writer.position })
      if (!this.#hasWork()) break
    }
    if (this.#seq === head.seq && !this.#snapshot && this.#isSnapshotDue()) await this.#startSnapshot(head)
  }

  /** The tables need not wait for a thread. */
  async #startSnapshot(head: JournalPosition): Promise<void> {
    const isLarge = this.#isLarge(head)
    this.#snapshot = this.#takeSnapshot(head).finally(() => (this.#snapshot = undefined))
    if (!isLarge) await this.#snapshot
  }

  get #seq(): number {
    return this.#projection?.seq ?? 0
  }

  /** Snapshots of a large state are less frequent, so that they stay a small part of the work. */
  #isSnapshotDue(): boolean {
    const { seq, orders } = this.#newest
    return this.#seq - seq >= Math.max(this.#store.limits.snapshotEvents, orders)
  }

  #isLarge(head: JournalPosition): boolean {
    return head.seq - this.#newest.seq + this.#newest.orders >= this.#store.limits.snapshotThreadMin
  }

  /** Makes the tables durable first, because a snapshot ahead of them is unusable. */
  async #takeSnapshot(head: JournalPosition): Promise<void> {
    try {
      this.#opened().sync()
      const task = { base: this.#newest.name, head }
      this.#newest = this.#isLarge(head)
        ? await makeInThread(this.#store.snapshotThread, task)
        : await makeSnapshot(this.#store, task)
    } catch (error) {
      // The next attempt is after as many events as after a snapshot.
      this.#newest = { ...this.#newest, seq: head.seq }
      this.#send({ kind: 'log', line: `no snapshot was taken at event ${head.seq}: ${error}` })
    }
  }

  #opened(): WritableTables {
    if (!this.#tables) throw new Error('bug: the tables are not open')
    return this.#tables
  }

  async #end(writer: TablesWriter): Promise<void> {
    await this.#snapshot
    const isBehind = this.#seq > this.#newest.seq && this.#seq === this.#durableHead.seq
    if (isBehind && !this.#withoutSnapshot) await this.#takeSnapshot(this.#durableHead)
    await writer.close()
  }
}
