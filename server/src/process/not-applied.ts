import { isDiskFull } from './disk-space.ts'

/** Why nothing was applied: too much waits for the disk, it is full, the views lag too far, or the world is being rebuilt. */
export type NotAppliedReason = 'queueFull' | 'diskFull' | 'viewsBehind' | 'worldRestarting'

export class NotApplied extends Error {
  readonly reason: NotAppliedReason

  constructor(reason: NotAppliedReason) {
    super(reason)
    this.name = 'NotApplied'
    this.reason = reason
  }
}

/** For whoever meets a world that a failure of its journal ended. */
export const notAppliedBy = (failure: unknown): NotApplied =>
  new NotApplied(isDiskFull(failure) ? 'diskFull' : 'worldRestarting')
