import { isDiskFull } from '../data-folder/disk-space.ts'
import { isConnectionFailure } from '../postgres/connection-failure.ts'

/**
 * Why nothing was applied: too much waits for the disk, it is full, the query tables lag too far, the world is being rebuilt,
 * or the thread that reads history ended.
 */
export type NotAppliedReason =
  | 'queueFull'
  | 'diskFull'
  | 'queryTablesBehind'
  | 'worldRestarting'
  | 'readerStopped'

export class NotApplied extends Error {
  readonly reason: NotAppliedReason

  constructor(reason: NotAppliedReason, cause?: unknown) {
    super(cause === undefined ? reason : `${reason}: ${cause}`)
    this.name = 'NotApplied'
    this.reason = reason
  }
}

/** The error for a request that needs the database before it changes anything. */
export const notAppliedWithoutStore = (error: unknown): unknown =>
  isConnectionFailure(error) ? new NotApplied('worldRestarting', error) : error

/** The cause of a failure that an operator can mend; undefined for any other. It names no address. */
export function mendableCause(failure: unknown): string | undefined {
  if (isDiskFull(failure)) return 'the disk is full'
  for (let at = failure; at instanceof Error; at = at.cause)
    if (isConnectionFailure(at)) return 'the database cannot be reached'
  return undefined
}

/** The error for requests to a world whose journal has failed. */
export const notAppliedBecause = (failure: unknown): NotApplied =>
  new NotApplied(isDiskFull(failure) ? 'diskFull' : 'worldRestarting')
