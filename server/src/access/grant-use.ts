import { HOUR, type Instant } from '@quipu/core'
import { WallClock } from '../clock/wall.ts'
import type { Cause } from '../journal/cause.ts'
import type { World } from '../world/world.ts'
import type { Caller } from './caller.ts'
import type { KeyUses } from './key-uses.ts'

/**
 * Notes that a key was used, or that an app acts for someone, so that they can see when it last did. The use of a grant is
 * an event, once an hour: mostly this is one look into memory. Nobody waits for it, and where the world has no time for
 * it, the next call brings it again.
 */
export function noteUse(caller: Caller, keyUses: Pick<KeyUses, 'note'>, cause: () => Cause): void {
  if (caller.kind !== 'account' || caller.grantId === undefined) return keyUses.note(caller)
  const { world, grantId } = caller
  if (!world.isUp) return
  const grant = world.view.grants.get(grantId)
  const last = grant?.lastUsedAt
  if (!grant || (last !== undefined && isRecent(world, last))) return
  void world.submit({ kind: 'noteGrantUse', grantId }, () => undefined, cause()).catch(() => undefined)
}

const HOUR_MS = 3_600_000
/** What both clocks of the machine may be apart, and more. */
const APART_MS = 1000

/** Mostly the calendar is enough to say so: the clock of a world, to the nanosecond, costs ten times as much. */
function isRecent(world: World, last: Instant): boolean {
  if (world.clock instanceof WallClock && Date.now() - Number(last) / 1e6 < HOUR_MS - APART_MS) return true
  return world.now - last < HOUR
}
