import assert from 'node:assert/strict'
import test from 'node:test'
import type { UserId } from '../ids.ts'
import type { OfKind } from '../kinds.ts'
import { digest, OAuthFixture } from '../oauth/testing/oauth.ts'
import type { UserCommand } from './commands.ts'
import { LINKS_MAX, SESSIONS_MAX } from './user.ts'

const times = { nowMs: 1000, endsAtMs: 2000 }

const signIn = (
  fixture: OAuthFixture,
  by: OfKind<UserCommand, 'signIn'>['by'],
  session: string,
  at = times,
): string => fixture.submit({ kind: 'signIn', by, session: digest(session), ...at })

const link = (fixture: OAuthFixture, name: string, at = times): string =>
  fixture.submit({ kind: 'issueSignInLink', userId: fixture.ann, link: digest(name), ...at })

const sessions = ({ state }: OAuthFixture): readonly string[] =>
  [...state.sessions.keys()].map((key) => key.slice('digest of '.length))

test('a user can have sessions in several browsers', () => {
  const fixture = new OAuthFixture()
  const { ann, bob, state } = fixture
  const from = { kind: 'signIn', by: { userId: ann }, session: digest('a'), ...times, from: '::1' } as const
  assert.equal(fixture.submit(from), 'signedIn')
  signIn(fixture, { userId: ann }, 'b')
  signIn(fixture, { userId: bob }, 'c')
  assert.deepEqual(sessions(fixture), ['a', 'b', 'c'])
  const { id, createdAt, ...session } = state.sessions.get(digest('a'))!
  assert.deepEqual(session, { userId: ann, endsAtMs: 2000, from: '::1' })
  assert.equal(new Set([...state.sessions.values()].map((one) => one.id)).size, 3)
  const event = fixture.world.events.at(-3)
  assert.deepEqual(event?.kind === 'signedIn' && [event.by, event.at, event.sessionId], [
    'password',
    createdAt,
    id,
  ])
})

for (const [who, then] of [
  ['an unknown user', 'signInRefused'],
  ['a disabled user', 'signInRefused'],
  ['a user enabled again', 'signedIn'],
] as const)
  test(`${who} signs in: ${then}`, () => {
    const fixture = new OAuthFixture()
    if (who !== 'an unknown user') fixture.disable(fixture.ann)
    if (who === 'a user enabled again') fixture.disable(fixture.ann, false)
    const userId = who === 'an unknown user' ? ('x' as UserId) : fixture.ann
    assert.equal(signIn(fixture, { userId }, 's'), then)
  })

for (const [when, at, then] of [
  ['a millisecond before its end', { nowMs: 1999, endsAtMs: 9000 }, 'signedIn'],
  ['at its end', { nowMs: 2000, endsAtMs: 9000 }, 'signInRefused'],
] as const)
  test(`a link ${when}: ${then}`, () => {
    const fixture = new OAuthFixture()
    link(fixture, 'l')
    assert.equal(signIn(fixture, { link: digest('l') }, 's', at), then)
    assert.equal(
      fixture.state.sessions.get(digest('s'))?.userId,
      then === 'signedIn' ? fixture.ann : undefined,
    )
  })

test('a link is valid once; an unknown link is refused', () => {
  const fixture = new OAuthFixture()
  link(fixture, 'l')
  link(fixture, 'm')
  const by = (name: string) => signIn(fixture, { link: digest(name) }, `session of ${name}`)
  assert.deepEqual(
    [by('l'), by('l'), by('x'), by('m')],
    ['signedIn', 'signInRefused', 'signInRefused', 'signedIn'],
  )
  assert.equal(fixture.state.signInLinks.size, 0)
  const event = fixture.world.events.at(-1)
  assert.equal(event?.kind === 'signedIn' && event.by, 'link')
})

test('of fifty sign-ins with one link exactly one succeeds', () => {
  const fixture = new OAuthFixture()
  link(fixture, 'l')
  const outcome = Array.from({ length: 50 }, (_, n) => signIn(fixture, { link: digest('l') }, `${n}`))
  assert.equal(outcome.filter((one) => one === 'signedIn').length, 1)
})

for (const [when, change, left] of [
  ['a new password', { password: 'new' }, ['c']],
  ['disabling the user', { disabled: true }, ['c']],
  ['enabling the user', { disabled: false }, ['a', 'b', 'c']],
  ['a new name', { name: 'new' }, ['a', 'b', 'c']],
  ['removing operator rights that the user does not have', { operator: false }, ['a', 'b', 'c']],
] as readonly (readonly [string, Partial<OfKind<UserCommand, 'changeUser'>>, readonly string[]])[])
  test(`${when} keeps the sessions ${left.join()}, and the links likewise`, () => {
    const fixture = new OAuthFixture()
    const { ann, bob } = fixture
    for (const name of ['a', 'b']) signIn(fixture, { userId: ann }, name)
    signIn(fixture, { userId: bob }, 'c')
    link(fixture, 'l')
    const ids = [...fixture.state.sessions.values()].map(({ id }) => id)
    fixture.submit({ kind: 'changeUser', userId: ann, ...change })
    assert.deepEqual(sessions(fixture), left)
    assert.equal(fixture.state.signInLinks.size, left.length > 1 ? 1 : 0)
    const event = fixture.world.events.at(-1)
    const ended = event?.kind === 'userChanged' ? event.sessions : undefined
    assert.deepEqual(ended, left.length > 1 ? [] : ids.slice(0, 2))
  })

test('a sign-out ends one session; a repeated one has no event', () => {
  const fixture = new OAuthFixture()
  const { ann, bob } = fixture
  for (const name of ['a', 'b', 'c']) signIn(fixture, { userId: ann }, name)
  signIn(fixture, { userId: bob }, 'd')
  link(fixture, 'l')
  const out = (session: string) => fixture.submit({ kind: 'signOut', session: digest(session) })
  assert.deepEqual([out('a'), out('a'), out('x')], ['signedOut', '', ''])
  assert.deepEqual(sessions(fixture), ['b', 'c', 'd'])
  assert.equal(fixture.state.signInLinks.size, 1)
  assert.equal(fixture.state.users.get(ann)?.signInEpoch, undefined)
})

test('a sign-out everywhere ends all sessions and links, also those in copies of the world', () => {
  const fixture = new OAuthFixture()
  const { ann, bob, state } = fixture
  for (const name of ['a', 'b']) signIn(fixture, { userId: ann }, name)
  signIn(fixture, { userId: bob }, 'c')
  link(fixture, 'l')
  const all = () => fixture.submit({ kind: 'signOut', userId: ann })
  assert.equal(all(), 'signedOut')
  assert.deepEqual([sessions(fixture), state.signInLinks.size], [['c'], 0])
  assert.equal(state.users.get(ann)?.signInEpoch, 1)
  assert.equal(all(), 'signedOut', 'recorded also without a session here')
  assert.equal(state.users.get(ann)?.signInEpoch, 2)
})

test('expired sessions and links are deleted at the next sign-in, by real time', () => {
  const fixture = new OAuthFixture()
  const { ann, bob } = fixture
  signIn(fixture, { userId: ann }, 'a')
  link(fixture, 'l')
  fixture.world.run('wait 5000')
  signIn(fixture, { userId: bob }, 'b', { nowMs: 1999, endsAtMs: 9000 })
  assert.deepEqual(sessions(fixture), ['a', 'b'])
  signIn(fixture, { userId: bob }, 'c', { nowMs: 2000, endsAtMs: 9000 })
  assert.deepEqual(sessions(fixture), ['b', 'c'])
  link(fixture, 'm', { nowMs: 2000, endsAtMs: 3000 })
  assert.deepEqual([...fixture.state.signInLinks.keys()], [digest('m')])
})

test('a user has a maximum number of sessions and links; beyond it the oldest end', () => {
  const fixture = new OAuthFixture()
  signIn(fixture, { userId: fixture.bob }, 'kept')
  for (let n = 0; n <= SESSIONS_MAX; n++) signIn(fixture, { userId: fixture.ann }, `${n}`)
  assert.deepEqual(sessions(fixture).slice(0, 2), ['kept', '1'])
  assert.equal(sessions(fixture).length, 1 + SESSIONS_MAX)
  for (let n = 0; n <= LINKS_MAX; n++) link(fixture, `${n}`)
  assert.equal(fixture.state.signInLinks.size, LINKS_MAX)
  assert.equal(signIn(fixture, { link: digest('0') }, 's'), 'signInRefused')
  assert.equal(signIn(fixture, { link: digest(`${LINKS_MAX}`) }, 's'), 'signedIn')
})

test('a failed attempt of a known user is recorded', () => {
  const fixture = new OAuthFixture()
  const note = { kind: 'noteFailedSignIn', userId: fixture.ann } as const
  assert.equal(fixture.submit(note), 'signInFailed')
})

const raised = ({ state }: OAuthFixture, session: string) =>
  state.sessions.get(digest(session))?.operatorUntilMs
const makeOperator = (fixture: OAuthFixture, operator = true) =>
  fixture.submit({ kind: 'changeUser', userId: fixture.ann, operator })
const raise = (fixture: OAuthFixture, session: string, at = { nowMs: 1000, untilMs: 1500 }) =>
  fixture.submit({ kind: 'raiseOperatorRights', session: digest(session), ...at })

test('a session of an operator has no operator rights until they are raised, and can drop them', () => {
  const fixture = new OAuthFixture()
  makeOperator(fixture)
  signIn(fixture, { userId: fixture.ann }, 'a')
  assert.equal(raised(fixture, 'a'), undefined)
  assert.equal(raise(fixture, 'a'), 'operatorRightsRaised')
  assert.equal(raised(fixture, 'a'), 1500)
  const drop = () => fixture.submit({ kind: 'dropOperatorRights', session: digest('a') })
  assert.deepEqual([drop(), drop()], ['operatorRightsDropped', ''])
  assert.equal(raised(fixture, 'a'), undefined)
})

test('the end of operator rights ends the sessions and links of the user', () => {
  const fixture = new OAuthFixture()
  makeOperator(fixture)
  signIn(fixture, { userId: fixture.ann }, 'a')
  signIn(fixture, { userId: fixture.bob }, 'b')
  link(fixture, 'l')
  makeOperator(fixture, false)
  assert.deepEqual([sessions(fixture), fixture.state.signInLinks.size], [['b'], 0])
  assert.equal(fixture.state.users.get(fixture.ann)?.signInEpoch, 1)
})

for (const [who, operator, session, at, then] of [
  ['a user who is no operator', false, 'a', undefined, 'userNotOperator'],
  ['an unknown session', true, 'x', undefined, 'signInRefused'],
  ['an expired session', true, 'a', { nowMs: 2000, untilMs: 2500 }, 'signInRefused'],
] as const)
  test(`rights raised for ${who}: ${then}`, () => {
    const fixture = new OAuthFixture()
    makeOperator(fixture, operator)
    signIn(fixture, { userId: fixture.ann }, 'a')
    assert.equal(raise(fixture, session, at), then)
    assert.equal(raised(fixture, 'a'), undefined)
  })

test('a user who becomes an operator again must raise the rights again', () => {
  const fixture = new OAuthFixture()
  makeOperator(fixture)
  signIn(fixture, { userId: fixture.ann }, 'a')
  raise(fixture, 'a')
  makeOperator(fixture, false)
  makeOperator(fixture)
  assert.equal(raised(fixture, 'a'), undefined)
})

for (const [kind, operator, then] of [
  ["an operator's link", true, 1700],
  ['an ordinary link', false, undefined],
] as const)
  test(`${kind} starts a session with operator rights until ${then}`, () => {
    const fixture = new OAuthFixture()
    makeOperator(fixture)
    const link = digest('l')
    fixture.submit({ kind: 'issueSignInLink', userId: fixture.ann, link, operator, ...times })
    fixture.submit({ kind: 'signIn', by: { link }, session: digest('s'), ...times, operatorUntilMs: 1700 })
    assert.equal(fixture.state.sessions.has(digest('s')), true)
    assert.equal(raised(fixture, 's'), then)
  })

test("an operator's link for a user who is no operator is refused", () => {
  const fixture = new OAuthFixture()
  const request = { kind: 'issueSignInLink', userId: fixture.ann, link: digest('l'), operator: true } as const
  assert.equal(fixture.submit({ ...request, ...times }), 'userNotOperator')
})
