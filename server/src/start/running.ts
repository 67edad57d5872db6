import type { Duplex } from 'node:stream'
import type { FileOperations } from '@quipu/broker/data-folder/file-operations.ts'
import type { OwnerCredentials } from '@quipu/broker/data-folder/owner-file.ts'

/** A running broker. */
export type RunningQuipu = {
  /** The server's own address, for programs on this machine. */
  readonly url: string
  /** Credentials of the owner: all after the first start, later those in the owner's file. */
  readonly credentials: OwnerCredentials
  readonly isFirstStart: boolean
  /** One-time sign-in link of the owner. Only at the first start. */
  readonly signInUrl?: string | undefined
  /** A warning about the clock for the operator. */
  readonly warning?: string | undefined
  readonly recovered: { readonly events: number; readonly openOrders: number; readonly cutBytes: number }
  /** Resolves when another process has taken a world over, or a journal has lost events: this one must close. */
  readonly takenOver: Promise<Error>
  /** Opens a connection to the server inside this process. */
  readonly connect: () => Duplex
  /** Stops accepting requests, completes and stores pending ones, and releases the folder. */
  close(): Promise<void>
}

export type StartOptions = {
  /** File operations of the journal. Default: the disk of this machine. */
  readonly disk?: FileOperations
  /** Continue with the rest of a journal that lost its end. */
  readonly acceptJournalLoss?: boolean
}
