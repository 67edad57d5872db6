import type { Instant } from '@quipu/core'
import { HOUR } from '@quipu/core/values'
import { WallClock } from '../clock/wall.ts'
import type { Cause } from '../journal/cause.ts'
import type { World } from '../world/world.ts'
import type { Caller } from './caller.ts'
import type { KeyUses } from './key-uses.ts'

/**
 * Records that a key was used, or that an app acted for a user, so that users can see the last use. The use of a grant
 * is an event, at most once an hour; usually this only reads memory. Callers do not wait for it. If the world cannot
 * store it now, the next call records it.
 */
export function recordUse(caller: Caller, keyUses: Pick<KeyUses, 'record'>, cause: () => Cause): void {
  if (caller.kind !== 'account' || caller.grantId === undefined) return keyUses.record(caller)
  const { world, grantId } = caller
  if (!world.status.isUp) return
  const grant = world.view.grants.get(grantId)
  const last = grant?.lastUsedAt
  if (!grant || (last !== undefined && isRecent(world, last))) return
  void world.commands
    .submit({ kind: 'noteGrantUse', grantId }, () => undefined, cause())
    .catch(() => undefined)
}

const HOUR_MS = 3_600_000
/** Upper bound of the difference between the two clocks of the machine. */
const CLOCK_DIFFERENCE_MS = 1000

/** Usually the system time is enough: the nanosecond clock of a world costs ten times as much. */
function isRecent(world: World, last: Instant): boolean {
  if (world.clock instanceof WallClock && Date.now() - Number(last) / 1e6 < HOUR_MS - CLOCK_DIFFERENCE_MS)
    return true
  return world.engine.now - last < HOUR
}
