import type { PersonId, SessionId } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { grantsOn, revocationOf } from '../oauth/revoke.ts'
import { fail, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import type {
  AddPerson,
  AssignAccount,
  ChangePerson,
  DropOperatorRights,
  IssueSignInLink,
  NoteErasure,
  NoteFailedSignIn,
  RaiseOperatorRights,
  RemovePerson,
  SignIn,
  SignOut,
} from './commands.ts'
import type {
  AccountAssigned,
  AddressesErased,
  OperatorRightsDropped,
  OperatorRightsRaised,
  PersonAdded,
  PersonChanged,
  PersonRemoved,
  SignedIn,
  SignedOut,
  SignInFailed,
  SignInLinkIssued,
} from './events.ts'
import { nameKey } from './person.ts'

export type PeopleRefusal =
  | { readonly code: 'userNotFound' }
  | { readonly code: 'userNameTaken'; readonly name: string }
  | { readonly code: 'userHasAccounts' }
  | { readonly code: 'accountNotFound' }
  | { readonly code: 'signInRefused' }
  | { readonly code: 'userNotOperator' }

export function addPerson(
  view: View,
  { at, id }: Moment,
  { name, password, operator }: AddPerson,
): Result<[PersonAdded], PeopleRefusal> {
  if (view.personNames.has(nameKey(name))) return fail({ code: 'userNameTaken', name })
  const personId = id('world', view.seq, 0) as PersonId
  const may = operator ? { operator } : {}
  return ok([{ kind: 'personAdded', at, personId, name, ...may, sealed: { password } }])
}

export function changePerson(
  view: View,
  { at }: Moment,
  { kind: _, personId, password, ...told }: ChangePerson,
): Result<[PersonChanged], PeopleRefusal> {
  if (!view.people.has(personId)) return fail({ code: 'userNotFound' })
  const holder = told.name === undefined ? undefined : view.personNames.get(nameKey(told.name))
  if (holder !== undefined && holder !== personId)
    return fail({ code: 'userNameTaken', name: told.name ?? '' })
  const endsSessions = password !== undefined || told.disabled === true
  const sessions = endsSessions ? sessionsOf(view, personId) : []
  const sealed = password === undefined ? {} : { sealed: { password } }
  return ok([{ kind: 'personChanged', at, personId, ...told, endsSessions, sessions, ...sealed }])
}

export function removePerson(
  view: View,
  { at }: Moment,
  { personId }: RemovePerson,
): Result<[PersonRemoved], PeopleRefusal> {
  if (!view.people.has(personId)) return fail({ code: 'userNotFound' })
  for (const account of view.accounts.values())
    if (account.personId === personId && account.closedAt === undefined)
      return fail({ code: 'userHasAccounts' })
  return ok([{ kind: 'personRemoved', at, personId, sessions: sessionsOf(view, personId) }])
}

export function assignAccount(
  view: View,
  { at }: Moment,
  { accountId, personId }: AssignAccount,
): Result<AccountAssigned[], PeopleRefusal> {
  const account = view.accounts.get(accountId)
  if (!account || account.issuer) return fail({ code: 'accountNotFound' })
  if (personId && !view.people.has(personId)) return fail({ code: 'userNotFound' })
  if (account.personId === personId) return ok([])
  // Without an owner, the partner granted access to apps, and those grants stay.
  const grants = account.personId ? grantsOn(view, accountId) : []
  const { grants: ended, revoked } = revocationOf(grants)
  return ok([{ kind: 'accountAssigned', at, accountId, ...(personId ? { personId } : {}), ended, revoked }])
}

export function issueSignInLink(
  view: View,
  { at }: Moment,
  { personId, link, nowMs, endsAtMs, operator }: IssueSignInLink,
): Result<[SignInLinkIssued], PeopleRefusal> {
  const person = view.people.get(personId)
  if (!person) return fail({ code: 'userNotFound' })
  if (operator && !person.operator) return fail({ code: 'userNotOperator' })
  const may = operator ? { operator } : {}
  return ok([{ kind: 'signInLinkIssued', at, personId, ...may, sealed: { link, nowMs, endsAtMs } }])
}

/** A link is valid once; a disabled person cannot sign in. */
export function signIn(
  view: View,
  { at, id }: Moment,
  { by, session, nowMs, endsAtMs, operatorUntilMs, from }: SignIn,
): Result<(SignedIn | OperatorRightsRaised)[], PeopleRefusal> {
  const link = 'link' in by ? view.signInLinks.get(by.link) : undefined
  const personId = 'link' in by ? link?.personId : by.personId
  const person = personId && view.people.get(personId)
  if (!person || person.disabled || (link && link.endsAtMs <= nowMs)) return fail({ code: 'signInRefused' })
  const sessionId = id('world', view.seq, 0) as SessionId
  const signedIn: SignedIn = {
    kind: 'signedIn',
    at,
    personId: person.id,
    sessionId,
    by: 'link' in by ? 'link' : 'password',
    sealed: {
      session,
      ...('link' in by ? { link: by.link } : {}),
      nowMs,
      endsAtMs,
      ...(from === undefined ? {} : { from }),
    },
  }
  if (!link?.operator || !person.operator || operatorUntilMs === undefined) return ok([signedIn])
  const sealed = { session, untilMs: operatorUntilMs }
  return ok([
    signedIn,
    { kind: 'operatorRightsRaised', at, personId: person.id, sessionId, by: 'link', sealed },
  ])
}

/** Only an operator can raise rights. */
export function raiseOperatorRights(
  view: View,
  { at }: Moment,
  { session, nowMs, untilMs }: RaiseOperatorRights,
): Result<[OperatorRightsRaised], PeopleRefusal> {
  const known = view.sessions.get(session)
  const person = known && view.people.get(known.personId)
  if (!known || !person || known.endsAtMs <= nowMs) return fail({ code: 'signInRefused' })
  if (!person.operator) return fail({ code: 'userNotOperator' })
  const { id: personId } = person
  const sealed = { session, untilMs }
  return ok([{ kind: 'operatorRightsRaised', at, personId, sessionId: known.id, by: 'password', sealed }])
}

export function dropOperatorRights(
  view: View,
  { at }: Moment,
  { session }: DropOperatorRights,
): Result<OperatorRightsDropped[], never> {
  const known = view.sessions.get(session)
  if (known?.operatorUntilMs === undefined) return ok([])
  const { personId, id: sessionId } = known
  return ok([{ kind: 'operatorRightsDropped', at, personId, sessionId, sealed: { session } }])
}

export function noteFailedSignIn(
  view: View,
  { at }: Moment,
  { personId }: NoteFailedSignIn,
): Result<SignInFailed[], never> {
  if (!view.people.has(personId)) return ok([])
  return ok([{ kind: 'signInFailed', at, personId }])
}

export function noteErasure(
  _: View,
  { at }: Moment,
  { before }: NoteErasure,
): Result<[AddressesErased], never> {
  return ok([{ kind: 'addressesErased', at, ...(before === undefined ? {} : { before }) }])
}

/** An unknown session has already ended. */
export function signOut(view: View, { at }: Moment, ask: SignOut): Result<SignedOut[], never> {
  if ('session' in ask) {
    const known = view.sessions.get(ask.session)
    return ok(known ? [{ kind: 'signedOut', at, personId: known.personId, sessions: [known.id] }] : [])
  }
  const { personId } = ask
  const sessions = sessionsOf(view, personId)
  return ok(sessions.length === 0 ? [] : [{ kind: 'signedOut', at, personId, sessions }])
}

const sessionsOf = (view: View, whose: PersonId): SessionId[] =>
  [...view.sessions.values()].filter(({ personId }) => personId === whose).map(({ id }) => id)
