import { ATTEMPT_WINDOW_MS, nameOf, type Trip } from '@quipu/broker/access/failed-attempts.ts'
import { RateLimiter } from '@quipu/broker/access/rate-limits.ts'
import { Cause, currentCause, NOBODY } from '@quipu/broker/journal/cause.ts'
import type { Log } from '@quipu/broker/log/log.ts'
import { MAIN, type Worlds } from '@quipu/broker/registry/worlds.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { definedFields, type UserId, userByName } from '@quipu/core'
import { nextRequestId } from '../http/exchange.ts'

/** Maximum notices per minute in total, so that attempts with many names cannot fill the journal. */
const NOTICES_MAX = 60

/**
 * Records an event when an address makes too many failed attempts: once per address and subject while the attempts
 * continue. It never stores the input, and names only subjects that exist.
 */
export function recordFailedAttempts(
  worlds: Worlds,
  log: Log,
  now: () => number = Date.now,
): (trip: Trip) => void {
  const each = new RateLimiter(1, now, ATTEMPT_WINDOW_MS)
  const all = new RateLimiter(NOTICES_MAX, now)
  return (trip) => {
    const { address: from, subject } = trip
    if (
      !each.take(`${from} ${subject ? `${subject.kind} ${nameOf(subject)}` : ''}`).allowed ||
      !all.take('').allowed
    )
      return
    const { world, ...who } = subjectOf(worlds, trip)
    // A restarting world cannot store the event; the log has it.
    const { requestId = nextRequestId(), operation = 'openStream' } = currentCause() ?? {}
    // The claimed caller did not act, so the actor is unknown.
    const actor = () => NOBODY
    const cause = new Cause({ requestId, operation, actor, from: () => worlds.access.addresses.refOf(from) })
    world?.commands
      .submit({ kind: 'recordFailedAttemptLimit', ...who }, () => undefined, cause)
      .catch(() => undefined)
    log.warn('too many wrong credentials', { world: world?.id, where: who.where, from })
  }
}

/** Without a world, the node of a cluster does not hold `main`: only the log has the attempts. */
type AttemptSubject = { readonly world: World | undefined } & (
  | { readonly where: 'app'; readonly clientId: string }
  | { readonly where: 'signIn'; readonly userId?: UserId }
  | { readonly where: 'machine' }
)

function subjectOf(worlds: Worlds, { subject }: Trip): AttemptSubject {
  const { credentials } = worlds.access
  const main = worlds.get(MAIN)
  switch (subject?.kind) {
    case 'app':
      return {
        world: credentials.worlds.ofApp(subject.clientId) ?? main,
        where: 'app',
        clientId: subject.clientId,
      }
    case 'user': {
      const userId = userOf(subject.world, subject.name)
      return { world: subject.world, where: 'signIn', ...definedFields({ userId }) }
    }
    case 'factor':
      return { world: subject.world, where: 'signIn', userId: subject.userId }
    case 'machine':
    case 'key':
      return { world: credentials.key(subject.keyId)?.world ?? main, where: 'machine' }
    case undefined:
      return { world: main, where: 'machine' }
  }
}

const userOf = (world: World, name: string): UserId | undefined =>
  world.status.isUp ? userByName(world.view, name)?.id : undefined
