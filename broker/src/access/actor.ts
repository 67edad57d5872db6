import { lookUp } from '@quipu/core/values'
import type { Actor } from '../journal/cause.ts'
import type { AccountCaller, Caller, SignedIn } from './caller.ts'

/** Maximum number of cached key actors. The cache is cleared when it is full. */
const KNOWN_MAX = 10_000
const keyActors = new Map<string, Actor>()

/** The actor of a caller in the audit log. Needed only for requests that cause events. */
export function actorOf(caller: Caller): Actor {
  if (caller.foreign) return caller.foreign
  if (caller.session || caller.machine || (caller.kind === 'account' && caller.grantId))
    return buildActor(caller)
  const known = keyActors.get(caller.credentialId)
  // Two worlds may have a key with the same id, if a user chose it.
  if (known && hasSameOwner(known, caller)) return known
  const actor = buildActor(caller)
  if (keyActors.size >= KNOWN_MAX) keyActors.clear()
  keyActors.set(caller.credentialId, actor)
  return actor
}

const hasSameOwner = ({ account, partner, operator }: Actor, caller: Caller): boolean =>
  caller.kind === 'account'
    ? account === caller.accountId
    : partner === caller.partnerId && (operator ?? false) === caller.operator

function buildActor(caller: Caller): Actor {
  const { credentialId, session } = caller
  const owner = caller.kind === 'account' ? { account: caller.accountId } : partnerOf(caller)
  if (session) return { ...sessionActor(session), ...owner }
  if (caller.machine) return { kind: 'machine', key: credentialId, ...owner }
  if (caller.kind === 'account' && caller.grantId) return { ...appOf(caller), ...owner }
  return { kind: 'key', key: credentialId, ...owner }
}

const partnerOf = ({ partnerId: partner, operator }: Extract<Caller, { kind: 'partner' }>) =>
  operator ? ({ partner, operator } as const) : { partner }

/** An app acts for the user who gave consent, if there is one. */
function appOf({ world: { view }, grantId }: AccountCaller): Actor {
  const grant = lookUp(view.grants, grantId)
  const app = grant && view.apps.get(grant.appId)
  const user = grant?.userId
  return {
    kind: 'app',
    ...(app && { app: app.clientId }),
    ...(grantId && { grant: grantId }),
    ...(user && { user }),
  }
}

type SessionRef = Pick<SignedIn, 'world' | 'digest'>

/** A user in a browser. */
export function sessionActor({ world, digest }: SessionRef): Actor {
  const session = world.status.isUp ? world.view.sessions.get(digest) : undefined
  return { kind: 'user', ...(session && { user: session.userId, session: session.id }) }
}
