import { MARKET_MODEL } from '@quipu/core/values'
import { JournalClosed, type Successor } from '../../journal/journal.ts'
import { endLease, type Fence, type Holder, takeLease } from '../../journal/postgres/lease.ts'
import type { LeasedJournal } from '../../journal/postgres/leased-journal.ts'
import type { PostgresConnection, Queries } from '../../postgres/connection.ts'
import type { PostgresServer } from './postgres-server.ts'

/** The lease of one journal: who holds it, and the journal that is open under it. Only that journal is renewed. */
export class WorldLease {
  readonly #server: Pick<PostgresServer, 'holder' | 'address'>
  readonly #name: string
  /** The journal is that of a stored world. Others, such as that of a new world, may be created. */
  readonly isStored: boolean
  #holder: Holder | undefined
  #journal: LeasedJournal | undefined
  /** This process has forgotten the journal: nobody would end its renewals. */
  #isForgotten = false

  constructor(server: Pick<PostgresServer, 'holder' | 'address'>, name: string, isStored = false) {
    this.#server = server
    this.#name = name
    this.isStored = isStored
  }

  /** Opens the journal, again after a failure: it gets the lease unless another process took it. */
  async open(open: (holder: Holder) => Promise<LeasedJournal>): Promise<LeasedJournal> {
    const { holder: name, address } = this.#server
    this.#holder ??= { name, address, fence: 0 }
    await this.#journal?.endRenewals()
    this.#checkKnown()
    const journal = await open(this.#holder)
    this.#journal = journal
    // The lease ends by itself, because it is not renewed.
    if (this.#isForgotten) await journal.endRenewals()
    this.#checkKnown()
    return journal
  }

  /** From now on the journal is not opened under this lease any more, also by a call that is under way. */
  forget(): void {
    this.#isForgotten = true
  }

  #checkKnown(): void {
    if (this.#isForgotten)
      throw new JournalClosed(`the journal ${this.#name} was released while it was opened`)
  }

  /** The fencing number with which this process holds the journal; 0 if it has not held it. */
  get fence(): number {
    return this.#holder?.fence ?? 0
  }

  /** Takes the lease without opening the journal, which may be damaged, to delete it. */
  async take(connection: PostgresConnection, address: string): Promise<Fence> {
    const { holder: name, address: nodeUrl } = this.#server
    const [world, onlyFree] = [this.#name, nodeUrl !== undefined]
    if (this.fence === 0) {
      const { rows } = await connection.query('SELECT market FROM quipu_journals WHERE world = $1', [world])
      const request = { address, world, marketModel: rows[0]?.market ?? MARKET_MODEL }
      this.#holder = { name, address: nodeUrl, fence: 0 }
      await takeLease(connection, request, this.#holder, { onlyFree })
    }
    return { journal: world, fence: this.fence }
  }

  /** Only this node may take the journal when it is released. */
  handOver(to: Successor): void {
    if (this.#holder) this.#holder.successor = to
  }

  get isHandedOver(): boolean {
    return this.#holder?.successor !== undefined
  }

  /** Ends the lease, and the journal and the renewals under it, also if nobody has closed them. */
  async release(queries: Queries): Promise<void> {
    const { fence = 0, successor } = this.#holder ?? {}
    this.#holder = undefined
    await this.#journal?.endRenewals()
    if (fence > 0) await endLease(queries, this.#name, fence, successor)
  }
}
