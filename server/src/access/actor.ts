import type { Actor } from '../journal/cause.ts'
import type { AccountCaller, Caller, SignedIn } from './caller.ts'

/** Keys whose actors are at hand; all are made again beyond it. */
const KNOWN_MAX = 10_000
const ofKeys = new Map<string, Actor>()

/** A caller as the audit log names it. Needed only for requests that cause events. */
export function actorOf(caller: Caller): Actor {
  if (caller.session || caller.machine || (caller.kind === 'account' && caller.grantId)) return made(caller)
  const known = ofKeys.get(caller.credentialId)
  // Two worlds may have a key of the same id, which someone chose.
  if (known && isOwnedAlike(known, caller)) return known
  const actor = made(caller)
  if (ofKeys.size >= KNOWN_MAX) ofKeys.clear()
  ofKeys.set(caller.credentialId, actor)
  return actor
}

const isOwnedAlike = ({ account, partner, operator }: Actor, caller: Caller): boolean =>
  caller.kind === 'account'
    ? account === caller.accountId
    : partner === caller.partnerId && (operator ?? false) === caller.operator

function made(caller: Caller): Actor {
  const { credentialId, session } = caller
  const whose = caller.kind === 'account' ? { account: caller.accountId } : partnerOf(caller)
  if (session) return { ...sessionActor(session), ...whose }
  if (caller.machine) return { kind: 'machine', key: credentialId, ...whose }
  if (caller.kind === 'account' && caller.grantId) return { ...appOf(caller), ...whose }
  return { kind: 'key', key: credentialId, ...whose }
}

const partnerOf = ({ partnerId: partner, operator }: Extract<Caller, { kind: 'partner' }>) =>
  operator ? ({ partner, operator } as const) : { partner }

/** An app acts for the person who allowed it, where it was a person. */
function appOf({ world: { view }, grantId }: AccountCaller): Actor {
  const grant = view.grants.get(grantId!)
  const app = grant && view.apps.get(grant.appId)
  const person = grant?.personId
  return {
    kind: 'app',
    ...(app && { app: app.clientId }),
    ...(grantId && { grant: grantId }),
    ...(person && { person }),
  }
}

type OfSession = Pick<SignedIn, 'world' | 'digest'>

/** A person at a browser. */
export function sessionActor({ world, digest }: OfSession): Actor {
  const session = world.isUp ? world.view.sessions.get(digest) : undefined
  return { kind: 'person', ...(session && { person: session.personId, session: session.id }) }
}
