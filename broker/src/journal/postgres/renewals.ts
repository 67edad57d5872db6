import { type ClientClass, connect, disconnect, type PostgresConnection } from '../../postgres/connection.ts'
import { Fenced } from '../journal.ts'
import { RENEW_MS, STATEMENT_TIMEOUT_MS } from '../lease.ts'
import { isLatest, leaseHolder, renewLeases } from './lease.ts'

/** A journal whose lease must be renewed. */
export type Renewed = {
  readonly world: string
  readonly fence: number
  /** Whether the lease is over. */
  isOver(): boolean
  /** The lease was extended by a statement that was sent at this time of the monotonic clock. */
  renewed(sentMs: number): void
  /** Another engine holds the world, or the database does not respond. */
  failed(error: unknown): void
}

/** Renews the leases of all journals in a process, with one statement per second on one connection. */
export class Renewals {
  readonly #url: string
  readonly #Client: ClientClass | undefined
  readonly #nowMs: () => number
  readonly #held = new Set<Renewed>()
  #connection: PostgresConnection | undefined
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  constructor(url: string, Client?: ClientClass, nowMs = () => performance.now()) {
    this.#url = url
    this.#Client = Client
    this.#nowMs = nowMs
  }

  add(journal: Renewed): void {
    this.#held.add(journal)
    this.#timer ??= setInterval(() => this.#start(), RENEW_MS).unref()
  }

  /** Resolves when no more renewal of this journal is under way. The connection is closed with the last journal. */
  async remove(journal: Renewed): Promise<void> {
    this.#held.delete(journal)
    await this.#running
    if (this.#held.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#disconnect()
  }

  #start(): void {
    this.#running ??= this.#renewAll().finally(() => {
      this.#running = undefined
    })
  }

  async #renewAll(): Promise<void> {
    try {
      await this.#renew(await this.#connected())
    } catch (error) {
      // After a reset the next renewal connects again, until a lease is over. Silence also concerns the connections of
      // the journals.
      const isSilent = this.#connection !== undefined
      this.#disconnect()
      for (const journal of [...this.#held]) if (isSilent || journal.isOver()) journal.failed(error)
    }
  }

  async #renew(connection: PostgresConnection): Promise<void> {
    const held = [...this.#held]
    if (held.length === 0) return
    const sentMs = this.#nowMs()
    const renewed = await renewLeases(connection, held)
    for (const journal of held) {
      const { world, fence } = journal
      if (renewed.has(world)) journal.renewed(sentMs)
      else if (this.#held.has(journal) && !(await isLatest(connection, world, fence)))
        journal.failed(new Fenced(world, await leaseHolder(connection, world).catch(() => 'another')))
    }
  }

  async #connected(): Promise<PostgresConnection> {
    if (this.#connection) return this.#connection
    let opened: PostgresConnection | undefined
    let isLost = false
    // Also while its first statements run.
    const onLost = () => {
      isLost = true
      if (this.#connection === opened) this.#connection = undefined
    }
    const settings = { Client: this.#Client, timeoutMs: STATEMENT_TIMEOUT_MS }
    opened = await connect(this.#url, { ...settings, onLost })
    if (!isLost) this.#connection = opened
    return opened
  }

  #disconnect(): void {
    if (this.#connection) void disconnect(this.#connection)
    this.#connection = undefined
  }
}
