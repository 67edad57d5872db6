import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { Position } from '../journal/journal.ts'
import { dropTables, isDamage } from './database.ts'
import type { FromWriter, ToWriter, WriterData } from './messages.ts'
import { Projection } from './projection.ts'
import { readSnapshot, writeSnapshot } from './snapshot.ts'
import { Tables, unfitness } from './tables.ts'
import { Writer } from './writer.ts'

/**
 * The thread that writes the tables and takes the snapshots. It tells what it found, is told whether that can be
 * used, and from then on goes where the journal is said to be durable.
 */
class WriterThread {
  readonly #data: WriterData
  readonly #tell: (message: FromWriter) => void
  #tables: Tables
  #projection = new Projection()
  #writer: Writer | undefined
  #told: Position = { seq: 0, hash: '' }
  #snapshotAt = 0
  #running = false
  #closing = false

  constructor(data: WriterData, tell: (message: FromWriter) => void) {
    this.#data = data
    this.#tell = tell
    const reason = unfitness(data.file)
    if (reason !== undefined) this.#drop(reason)
    this.#tables = new Tables(data.file, data.world)
    tell({ kind: 'found', standing: this.#tables.standing() })
  }

  async take(message: ToWriter): Promise<void> {
    if (message.kind === 'begin') await this.#begin(message)
    else if (message.kind === 'follow') this.#told = message.head
    else this.#closing = true
    await this.#run()
  }

  async #begin({ unfit, snapshot }: Extract<ToWriter, { kind: 'begin' }>): Promise<void> {
    const { file, world, journalFolder, limits } = this.#data
    if (unfit !== undefined) {
      this.#tables.close()
      this.#drop(unfit)
      this.#tables = new Tables(file, world)
    }
    this.#projection = new Projection(snapshot === undefined ? undefined : await readSnapshot(snapshot))
    this.#snapshotAt = this.#projection.state.seq
    const { batchEventsMax } = limits
    this.#writer = new Writer({
      tables: this.#tables,
      projection: this.#projection,
      journalFolder,
      batchEventsMax,
    })
    this.#tell({ kind: 'begun' })
  }

  #drop(reason: string): void {
    this.#tell({ kind: 'log', line: `query tables are made anew from the journal: ${reason}` })
    dropTables(this.#data.file)
  }

  async #run(): Promise<void> {
    const writer = this.#writer
    if (!writer || this.#running) return
    this.#running = true
    while (this.#hasWork()) await this.#follow(writer, this.#told)
    this.#running = false
    if (this.#closing) await this.#end(writer)
  }

  // At the end a little lag is made up for, so that the next start has a snapshot of everything; much is left.
  #hasWork(): boolean {
    const lag = this.#told.seq - this.#projection.state.seq
    return lag > 0 && !(this.#closing && lag > this.#data.limits.batchEventsMax)
  }

  async #follow(writer: Writer, head: Position): Promise<void> {
    const before = writer.position
    for await (const _ of writer.follow(head)) {
      if (writer.position > before) this.#tell({ kind: 'position', seq: writer.position })
      if (!this.#hasWork()) break
    }
    const { seq } = this.#projection.state
    if (seq === head.seq && seq - this.#snapshotAt >= this.#data.limits.snapshotEvents)
      await this.#takeSnapshot(head.hash)
  }

  /** The tables first: a snapshot that is ahead of them is of no use to the replica. */
  async #takeSnapshot(hash: string): Promise<void> {
    const { snapshots, limits } = this.#data
    const { state } = this.#projection
    this.#snapshotAt = state.seq
    try {
      this.#tables.sync()
      await writeSnapshot(snapshots, state, { hash, keep: limits.snapshotsKept })
    } catch (error) {
      this.#tell({ kind: 'log', line: `no snapshot was taken at event ${state.seq}: ${error}` })
    }
  }

  async #end(writer: Writer): Promise<void> {
    const { seq } = this.#projection.state
    if (seq > this.#snapshotAt && seq === this.#told.seq) await this.#takeSnapshot(this.#told.hash)
    await writer.close()
    port.close()
  }
}

const port = parentPort as MessagePort
const tell = (message: FromWriter): void => port.postMessage(message)
const fail = (error: unknown): void => tell({ kind: 'failed', error, damaged: isDamage(error) })

try {
  const thread = new WriterThread(workerData as WriterData, tell)
  port.on('message', (message: ToWriter) => thread.take(message).catch(fail))
} catch (error) {
  fail(error)
}
