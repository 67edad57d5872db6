import type { ClientClass, Pool } from '../../postgres/connection.ts'
import type { Journal } from '../journal.ts'
import type { KnownChain } from './chain.ts'
import type { Holder } from './lease.ts'
import type { Renewals } from './renewals.ts'

export type PostgresOptions = {
  readonly url: string
  readonly world: string
  /** The market model of a new journal. An existing journal must have the same one. */
  readonly marketModel: number
  /** The holder of the lease. A reused holder gets the world again only if no other holder took it meanwhile. */
  readonly holder?: Holder
  /** Called when the journal becomes unusable outside an append: it was taken over, or its connection broke. */
  readonly onLost?: (error: unknown) => void
  /** The connections for reads from `url`, if several journals share them. */
  readonly pool?: Pool
  /** The renewals of all journals at `url`, if several share them. */
  readonly renewals?: Pick<Renewals, 'add' | 'remove'> | undefined
  /**
   * In a cluster: open the journal only if nobody holds it, else fail with `LeaseHeld`; and renew the lease of the closed
   * journal until `endRenewals`, such as while the world is reset or deleted.
   */
  readonly onlyFree?: boolean | undefined
  /** The journal is that of a stored world: it is not created, but fails with `JournalDeleted` if it does not exist. */
  readonly isStored?: boolean | undefined
  /** The tables exist: they are not migrated, and tables of a newer version are refused. */
  readonly isMigrated?: boolean | undefined
  /** Called after the takeover, before events are read. If it throws, the journal is not opened. */
  readonly onTaken?: (() => Promise<void>) | undefined
  /** The chain as this process has computed it before the takeover. */
  readonly known?: KnownChain | undefined
  /** For tests only; the default is part of the format. */
  readonly segmentEvents?: number
  /** For tests only: false does not wait until an earlier engine's lease ends. */
  readonly waits?: boolean
  /** For tests only: the monotonic clock. */
  readonly nowMs?: () => number
  readonly Client?: ClientClass | undefined
}

export type LeasedJournal = Journal & {
  /** Its fencing number. */
  readonly fence: number
  /** Closes the journal and ends the renewals of its lease, which then ends by itself. */
  endRenewals(): Promise<void>
}
