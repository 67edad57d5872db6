import { definedFields } from '../defined-fields.ts'
import type { Deciders } from '../handlers.ts'
import type { AccountId, SessionId, UserId } from '../ids.ts'
import { grantsOn, revocationOf } from '../oauth/revoke.ts'
import { fail, ok } from '../result.ts'
import type { View } from '../state/state.ts'
import { freeNumber } from '../state/world-id.ts'
import type { Instant } from '../time.ts'
import type { AccountAssigned, SignedIn } from './events.ts'
import { hasServerRole, nameKey, roleOf } from './user.ts'

export type UserRefusal =
  | { readonly code: 'userNotFound' }
  | { readonly code: 'userNameTaken'; readonly name: string }
  | { readonly code: 'userHasAccounts' }
  | { readonly code: 'accountNotFound' }
  | { readonly code: 'signInRefused' }
  | { readonly code: 'userNotOperator' }
  | { readonly code: 'userHasOneRole' }

export const userDeciders = {
  addUser(view, moment, { name, password, operator, auditor }) {
    if (view.userNames.has(nameKey(name))) return fail({ code: 'userNameTaken', name })
    if (operator && auditor) return fail({ code: 'userHasOneRole' })
    const { at, id } = moment
    const userId = id('world', view.seq, freeNumber(view, moment))
    const rights = definedFields({ operator: operator || undefined, auditor: auditor || undefined })
    return ok([{ kind: 'userAdded', at, userId, name, ...rights, sealed: { password } }])
  },

  changeUser(view, { at }, { kind: _, userId, password, ...fields }) {
    const user = view.users.get(userId)
    if (!user) return fail({ code: 'userNotFound' })
    const changed = { ...user, ...fields }
    if (changed.operator && changed.auditor) return fail({ code: 'userHasOneRole' })
    const holder = fields.name === undefined ? undefined : view.userNames.get(nameKey(fields.name))
    if (holder !== undefined && holder !== userId)
      return fail({ code: 'userNameTaken', name: fields.name ?? '' })
    const isDemoted = hasServerRole(user) && roleOf(changed) !== roleOf(user)
    const endsSessions = password !== undefined || fields.disabled === true || isDemoted
    const sessions = endsSessions ? sessionsOf(view, userId) : []
    const sealed = definedFields({ sealed: password === undefined ? undefined : { password } })
    return ok([{ kind: 'userChanged', at, userId, ...fields, endsSessions, sessions, ...sealed }])
  },

  removeUser(view, { at }, { userId }) {
    if (!view.users.has(userId)) return fail({ code: 'userNotFound' })
    const owned = [...view.accounts.values()].filter((account) => account.userId === userId)
    if (owned.some(({ closedAt }) => closedAt === undefined)) return fail({ code: 'userHasAccounts' })
    // A reset opens closed accounts again, so they must not name somebody who does not exist.
    const left = owned.map(({ id }) => withoutOwner(id, at))
    return ok([...left, { kind: 'userRemoved', at, userId, sessions: sessionsOf(view, userId) }])
  },

  assignAccount(view, { at }, { accountId, userId }) {
    const account = view.accounts.get(accountId)
    if (!account || account.issuer) return fail({ code: 'accountNotFound' })
    if (userId && !view.users.has(userId)) return fail({ code: 'userNotFound' })
    if (account.userId === userId) return ok([])
    // Without an owner, the partner granted access to apps, and those grants stay.
    const grants = account.userId ? grantsOn(view, accountId) : []
    const { grants: ended, revoked } = revocationOf(grants)
    return ok([{ kind: 'accountAssigned', at, accountId, ...definedFields({ userId }), ended, revoked }])
  },

  issueSignInLink(view, { at }, { userId, link, nowMs, endsAtMs, operator = false, mainEpoch }) {
    const user = view.users.get(userId)
    if (!user) return fail({ code: 'userNotFound' })
    if (operator && !hasServerRole(user)) return fail({ code: 'userNotOperator' })
    const sealed = { link, nowMs, endsAtMs, ...definedFields({ mainEpoch }) }
    return ok([{ kind: 'signInLinkIssued', at, userId, operator, sealed }])
  },

  /** A link is valid once; a disabled user cannot sign in. */
  signIn(view, { at, id }, { by, session, nowMs, endsAtMs, operatorUntilMs, from }) {
    const link = 'link' in by ? view.signInLinks.get(by.link) : undefined
    const { userId, mainEpoch } = 'link' in by ? { ...link } : by
    const user = userId && view.users.get(userId)
    if (!user || user.disabled || (link && link.endsAtMs <= nowMs)) return fail({ code: 'signInRefused' })
    const sessionId = id('world', view.seq, 0)
    const signedIn: SignedIn = {
      kind: 'signedIn',
      at,
      userId: user.id,
      sessionId,
      by: 'link' in by ? 'link' : 'password',
      sealed: {
        session,
        nowMs,
        endsAtMs,
        ...definedFields({ link: 'link' in by ? by.link : undefined, from, mainEpoch }),
      },
    }
    if (!link?.operator || !hasServerRole(user) || operatorUntilMs === undefined) return ok([signedIn])
    const sealed = { session, untilMs: operatorUntilMs }
    return ok([
      signedIn,
      { kind: 'operatorRightsRaised', at, userId: user.id, sessionId, by: 'link', sealed },
    ])
  },

  /** Only an operator or an auditor can raise rights. */
  raiseOperatorRights(view, { at }, { session, nowMs, untilMs }) {
    const known = view.sessions.get(session)
    const user = known && view.users.get(known.userId)
    if (!known || !user || known.endsAtMs <= nowMs) return fail({ code: 'signInRefused' })
    if (!hasServerRole(user)) return fail({ code: 'userNotOperator' })
    const { id: userId } = user
    const sealed = { session, untilMs }
    return ok([{ kind: 'operatorRightsRaised', at, userId, sessionId: known.id, by: 'password', sealed }])
  },

  dropOperatorRights(view, { at }, { session }) {
    const known = view.sessions.get(session)
    if (known?.operatorUntilMs === undefined) return ok([])
    const { userId, id: sessionId } = known
    return ok([{ kind: 'operatorRightsDropped', at, userId, sessionId, sealed: { session } }])
  },

  noteFailedSignIn(view, { at }, { userId }) {
    if (!view.users.has(userId)) return ok([])
    return ok([{ kind: 'signInFailed', at, userId }])
  },

  noteErasure(_, { at }, { before }) {
    return ok([{ kind: 'addressesErased', at, ...definedFields({ before }) }])
  },

  /** An unknown session has already ended. */
  signOut(view, { at }, request) {
    if ('session' in request) {
      const known = view.sessions.get(request.session)
      return ok(known ? [{ kind: 'signedOut', at, userId: known.userId, sessions: [known.id] }] : [])
    }
    const { userId } = request
    if (!view.users.has(userId)) return fail({ code: 'userNotFound' })
    const sessions = sessionsOf(view, userId)
    return ok([{ kind: 'signedOut', at, userId, sessions, endsSessions: true }])
  },
} satisfies Deciders<UserRefusal>

/** A closed account, which no app may use. */
const withoutOwner = (accountId: AccountId, at: Instant): AccountAssigned => ({
  kind: 'accountAssigned',
  at,
  accountId,
  ended: [],
  revoked: [],
})

const sessionsOf = (view: View, owner: UserId): SessionId[] =>
  [...view.sessions.values()].filter(({ userId }) => userId === owner).map(({ id }) => id)
