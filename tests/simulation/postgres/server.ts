import type { Random } from '../../support/random.ts'
import { statementOf } from './statements.ts'
import {
  merged,
  noTables,
  type Outcome,
  type ServerNow,
  singleLine,
  sqlError,
  type Tables,
} from './tables.ts'

export type ServerOptions = {
  /** The default of a session. */
  readonly synchronousCommit?: 'on' | 'off'
  /** Delays writes and row locks. */
  readonly pause?: () => Promise<void>
  /** The clock of leases. By default it stands still. */
  readonly nowMs?: () => number
}

type Waiter = { readonly session: Session; readonly resume: () => void }
type Lock = { holder: Session; readonly waiting: Waiter[] }

/** The parts of PostgreSQL that the journal uses: atomic commits, row locks and crashes. */
export class DoubleServer {
  readonly synchronousCommit: 'on' | 'off'
  readonly pause: () => Promise<void>
  readonly nowMs: () => number
  readonly sessions = new Set<Session>()
  readonly locks = new Map<string, Lock>()
  #tables = noTables
  /** The last durable state, followed by later commits that are not durable yet, oldest first. */
  #states: Tables[] = [noTables]

  constructor({
    synchronousCommit = 'on',
    pause = async () => undefined,
    nowMs = () => 0,
  }: ServerOptions = {}) {
    this.synchronousCommit = synchronousCommit
    this.pause = pause
    this.nowMs = nowMs
  }

  get tables(): Tables {
    return this.#tables
  }

  open(onClosed: () => void): Session {
    const session = new Session(this, onClosed)
    this.sessions.add(session)
    return session
  }

  commit(tables: Tables, isSynchronous: boolean): void {
    this.#tables = tables
    if (isSynchronous) this.#states = [tables]
    else this.#states.push(tables)
  }

  /** Closes all sessions and loses some of the newest asynchronous commits. */
  crash(random: Random): void {
    this.#tables = random.pick(this.#states)
    this.#states = [this.#tables]
    for (const session of [...this.sessions]) session.disconnect()
  }
}

type Transaction = { base: Tables; tables: Tables; isFailed: boolean; idleMs?: number }

const IDLE = /^SET LOCAL idle_in_transaction_session_timeout = (\d+)$/

/** The server side of one connection, which runs one statement at a time. */
export class Session {
  readonly #server: DoubleServer
  readonly #onClosed: () => void
  readonly #locked = new Set<string>()
  #transaction: Transaction | undefined
  #synchronousCommit: string
  #uses = 0
  #idle: NodeJS.Timeout | undefined
  #isClosing = false
  isOver = false

  constructor(server: DoubleServer, onClosed: () => void) {
    this.#server = server
    this.#onClosed = onClosed
    this.#synchronousCommit = server.synchronousCommit
  }

  async run(text: string, values: readonly unknown[]): Promise<Outcome> {
    clearTimeout(this.#idle)
    try {
      return await this.#run(singleLine(text), values)
    } finally {
      this.#waitForNext()
    }
  }

  /** The server ends a transaction without a statement after some time, so that its row locks are released. */
  #waitForNext(): void {
    const idleMs = this.#transaction?.idleMs
    if (idleMs !== undefined && !this.isOver) this.#idle = setTimeout(() => this.close(), idleMs)
  }

  async #run(words: string, values: readonly unknown[]): Promise<Outcome> {
    if (words === 'BEGIN') return this.#begin()
    if (words === 'COMMIT') return this.#end(this.#transaction?.isFailed !== true)
    if (words === 'ROLLBACK') return this.#end(false)
    if (this.#transaction?.isFailed)
      throw sqlError(
        '25P02',
        'current transaction is aborted, commands ignored until end of transaction block',
      )
    if (words.startsWith('SELECT count(set_config(')) return this.#commitDurably(words)
    const idle = IDLE.exec(words)
    if (idle && this.#transaction) this.#transaction.idleMs = Number(idle[1])
    const statement = statementOf(words)
    const lock = statement.locks?.(values)
    if (lock !== undefined) await this.#lock(lock)
    if (this.isOver) return new Promise(() => undefined)
    try {
      return this.#apply((tables) => statement.run(tables, values, this.#now()))
    } catch (error) {
      if (this.#transaction) this.#transaction.isFailed = true
      throw error
    } finally {
      if (!this.#transaction) this.#unlock()
    }
  }

  /** Keeps the session open while a statement is in flight, because it is executed even if the client is gone. */
  async during<Value>(use: () => Promise<Value>): Promise<Value> {
    this.#uses += 1
    try {
      return await use()
    } finally {
      this.#uses -= 1
      if (this.#isClosing && this.#uses === 0) this.close()
    }
  }

  /** The client closed the connection; the server notices after the last statement in flight. */
  closeWhenIdle(): void {
    this.#isClosing = true
    if (this.#uses === 0) this.close()
  }

  /** Rolls back and closes the session. */
  close(): void {
    clearTimeout(this.#idle)
    this.isOver = true
    this.#transaction = undefined
    this.#server.sessions.delete(this)
    this.#unlock()
  }

  disconnect(): void {
    this.close()
    this.#onClosed()
  }

  #begin(): Outcome {
    const { tables } = this.#server
    this.#transaction = { base: tables, tables, isFailed: false }
    return { rows: [], rowCount: null }
  }

  async #end(isCommitted: boolean): Promise<Outcome> {
    const transaction = this.#transaction
    if (transaction && isCommitted) {
      await this.#server.pause()
      if (this.isOver) return new Promise(() => undefined)
      const { base, tables } = transaction
      this.#server.commit(merged(this.#server.tables, base, tables), this.#isSynchronous)
    }
    this.#transaction = undefined
    this.#unlock()
    return { rows: [], rowCount: null }
  }

  #apply(run: (tables: Tables) => Outcome): Outcome {
    const transaction = this.#transaction
    if (transaction) this.#readCommitted(transaction)
    const outcome = run(transaction?.tables ?? this.#server.tables)
    if (!outcome.tables) return outcome
    if (transaction) transaction.tables = outcome.tables
    else if (outcome.tables !== this.#server.tables) this.#server.commit(outcome.tables, this.#isSynchronous)
    return outcome
  }

  /** Each statement of a transaction sees what others have committed before it. */
  #readCommitted(transaction: Transaction): void {
    const { tables } = this.#server
    transaction.tables = merged(tables, transaction.base, transaction.tables)
    transaction.base = tables
  }

  #now(): ServerNow {
    const { nowMs, locks } = this.#server
    return { nowMs: nowMs(), isLocked: (row) => (locks.get(row)?.holder ?? this) !== this }
  }

  get #isSynchronous(): boolean {
    return this.#synchronousCommit === 'on'
  }

  #commitDurably(words: string): Outcome {
    if (!words.includes(DURABLY))
      throw new Error(`bug: the double of PostgreSQL does not support this statement: ${words}`)
    this.#synchronousCommit = 'on'
    return { rows: [{ done: true }], rowCount: 1 }
  }

  /** Waits for earlier holders of the row lock, and then for the disk. */
  async #lock(name: string): Promise<void> {
    const { locks } = this.#server
    const held = locks.get(name)
    if (!held) locks.set(name, { holder: this, waiting: [] })
    else if (held.holder !== this)
      await new Promise<void>((resume) => held.waiting.push({ session: this, resume }))
    this.#locked.add(name)
    if (this.isOver) this.#unlock()
    else await this.#server.pause()
  }

  #unlock(): void {
    for (const name of this.#locked) {
      const lock = this.#server.locks.get(name)!
      const next = lock.waiting.shift()
      if (!next) this.#server.locks.delete(name)
      else {
        lock.holder = next.session
        next.resume()
      }
    }
    this.#locked.clear()
  }
}

/** The double has no other settings. */
const DURABLY = singleLine(
  "('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END)",
)
