import assert from 'node:assert/strict'
import test from 'node:test'
import type { UserId } from '../ids.ts'
import { digest, Office } from '../oauth/testing/oauth.ts'
import type { ChangeUser, SignIn } from './commands.ts'
import { LINKS_MAX, SESSIONS_MAX } from './user.ts'

const times = { nowMs: 1000, endsAtMs: 2000 }

const signIn = (office: Office, by: SignIn['by'], session: string, at = times): string =>
  office.say({ kind: 'signIn', by, session: digest(session), ...at })

const link = (office: Office, name: string, at = times): string =>
  office.say({ kind: 'issueSignInLink', userId: office.ann, link: digest(name), ...at })

const sessions = ({ state }: Office): readonly string[] =>
  [...state.sessions.keys()].map((key) => key.slice('digest of '.length))

test('a user signs in, in several browsers, each with a session of its own', () => {
  const office = new Office()
  const { ann, bob, state } = office
  const from = { kind: 'signIn', by: { userId: ann }, session: digest('a'), ...times, from: '::1' } as const
  assert.equal(office.say(from), 'signedIn')
  signIn(office, { userId: ann }, 'b')
  signIn(office, { userId: bob }, 'c')
  assert.deepEqual(sessions(office), ['a', 'b', 'c'])
  const { id, createdAt, ...session } = state.sessions.get(digest('a'))!
  assert.deepEqual(session, { userId: ann, endsAtMs: 2000, from: '::1' })
  assert.equal(new Set([...state.sessions.values()].map((one) => one.id)).size, 3)
  const event = office.world.events.at(-3)
  assert.deepEqual(event?.kind === 'signedIn' && [event.by, event.at, event.sessionId], [
    'password',
    createdAt,
    id,
  ])
})

for (const [who, then] of [
  ['nobody', 'signInRefused'],
  ['someone disabled', 'signInRefused'],
  ['someone enabled again', 'signedIn'],
] as const)
  test(`${who} signs in: ${then}`, () => {
    const office = new Office()
    if (who !== 'nobody') office.disable(office.ann)
    if (who === 'someone enabled again') office.disable(office.ann, false)
    const userId = who === 'nobody' ? ('x' as UserId) : office.ann
    assert.equal(signIn(office, { userId }, 's'), then)
  })

for (const [when, at, then] of [
  ['a millisecond before its end', { nowMs: 1999, endsAtMs: 9000 }, 'signedIn'],
  ['at its end', { nowMs: 2000, endsAtMs: 9000 }, 'signInRefused'],
] as const)
  test(`a link ${when}: ${then}`, () => {
    const office = new Office()
    link(office, 'l')
    assert.equal(signIn(office, { link: digest('l') }, 's', at), then)
    assert.equal(office.state.sessions.get(digest('s'))?.userId, then === 'signedIn' ? office.ann : undefined)
  })

test('a link serves once; one nobody made serves never', () => {
  const office = new Office()
  link(office, 'l')
  link(office, 'm')
  const by = (name: string) => signIn(office, { link: digest(name) }, `session of ${name}`)
  assert.deepEqual(
    [by('l'), by('l'), by('x'), by('m')],
    ['signedIn', 'signInRefused', 'signInRefused', 'signedIn'],
  )
  assert.equal(office.state.signInLinks.size, 0)
  const event = office.world.events.at(-1)
  assert.equal(event?.kind === 'signedIn' && event.by, 'link')
})

test('of fifty who come with one link exactly one is let in', () => {
  const office = new Office()
  link(office, 'l')
  const said = Array.from({ length: 50 }, (_, n) => signIn(office, { link: digest('l') }, `${n}`))
  assert.equal(said.filter((one) => one === 'signedIn').length, 1)
})

for (const [when, change, left] of [
  ['a new password', { password: 'new' }, ['c']],
  ['being disabled', { disabled: true }, ['c']],
  ['being enabled', { disabled: false }, ['a', 'b', 'c']],
  ['a new name', { name: 'new' }, ['a', 'b', 'c']],
  ['losing a right', { operator: false }, ['a', 'b', 'c']],
] as readonly (readonly [string, Partial<ChangeUser>, readonly string[]])[])
  test(`${when} leaves the sessions ${left.join()}, and links as sessions`, () => {
    const office = new Office()
    const { ann, bob } = office
    for (const name of ['a', 'b']) signIn(office, { userId: ann }, name)
    signIn(office, { userId: bob }, 'c')
    link(office, 'l')
    const ids = [...office.state.sessions.values()].map(({ id }) => id)
    office.say({ kind: 'changeUser', userId: ann, ...change })
    assert.deepEqual(sessions(office), left)
    assert.equal(office.state.signInLinks.size, left.length > 1 ? 1 : 0)
    const event = office.world.events.at(-1)
    const ended = event?.kind === 'personChanged' ? event.sessions : undefined
    assert.deepEqual(ended, left.length > 1 ? [] : ids.slice(0, 2))
  })

test('who signs out ends one session, or all; what has ended ends no more', () => {
  const office = new Office()
  const { ann, bob } = office
  for (const name of ['a', 'b', 'c']) signIn(office, { userId: ann }, name)
  signIn(office, { userId: bob }, 'd')
  const out = (session: string) => office.say({ kind: 'signOut', session: digest(session) })
  assert.deepEqual([out('a'), out('a'), out('x')], ['signedOut', '', ''])
  assert.deepEqual(sessions(office), ['b', 'c', 'd'])
  const all = () => office.say({ kind: 'signOut', userId: ann })
  assert.deepEqual([all(), all()], ['signedOut', ''])
  assert.deepEqual(sessions(office), ['d'])
})

test('what has ended is let go when the next begins, by the clock of the machine alone', () => {
  const office = new Office()
  const { ann, bob } = office
  signIn(office, { userId: ann }, 'a')
  link(office, 'l')
  office.world.run('wait 5000')
  signIn(office, { userId: bob }, 'b', { nowMs: 1999, endsAtMs: 9000 })
  assert.deepEqual(sessions(office), ['a', 'b'])
  signIn(office, { userId: bob }, 'c', { nowMs: 2000, endsAtMs: 9000 })
  assert.deepEqual(sessions(office), ['b', 'c'])
  link(office, 'm', { nowMs: 2000, endsAtMs: 3000 })
  assert.deepEqual([...office.state.signInLinks.keys()], [digest('m')])
})

test('one user has so many sessions and links; the oldest end, and nobody else\u2019s do', () => {
  const office = new Office()
  signIn(office, { userId: office.bob }, 'kept')
  for (let n = 0; n <= SESSIONS_MAX; n++) signIn(office, { userId: office.ann }, `${n}`)
  assert.deepEqual(sessions(office).slice(0, 2), ['kept', '1'])
  assert.equal(sessions(office).length, 1 + SESSIONS_MAX)
  for (let n = 0; n <= LINKS_MAX; n++) link(office, `${n}`)
  assert.equal(office.state.signInLinks.size, LINKS_MAX)
  assert.equal(signIn(office, { link: digest('0') }, 's'), 'signInRefused')
  assert.equal(signIn(office, { link: digest(`${LINKS_MAX}`) }, 's'), 'signedIn')
})

test('a failed attempt of someone known is noted, and changes nothing', () => {
  const office = new Office()
  const note = { kind: 'noteFailedSignIn', userId: office.ann } as const
  assert.equal(office.say(note), 'signInFailed')
})

const raised = ({ state }: Office, session: string) => state.sessions.get(digest(session))?.operatorUntilMs
const makeOperator = (office: Office, operator = true) =>
  office.say({ kind: 'changeUser', userId: office.ann, operator })
const raise = (office: Office, session: string, at = { nowMs: 1000, untilMs: 1500 }) =>
  office.say({ kind: 'raiseOperatorRights', session: digest(session), ...at })

test('a session of an operator has no operator rights until they are raised, and can drop them', () => {
  const office = new Office()
  makeOperator(office)
  signIn(office, { userId: office.ann }, 'a')
  assert.equal(raised(office, 'a'), undefined)
  assert.equal(raise(office, 'a'), 'operatorRightsRaised')
  assert.equal(raised(office, 'a'), 1500)
  const drop = () => office.say({ kind: 'dropOperatorRights', session: digest('a') })
  assert.deepEqual([drop(), drop()], ['operatorRightsDropped', ''])
  assert.equal(raised(office, 'a'), undefined)
})

for (const [who, operator, session, at, then] of [
  ['nobody who is an operator', false, 'a', undefined, 'userNotOperator'],
  ['a session nobody knows', true, 'x', undefined, 'signInRefused'],
  ['a session that has ended', true, 'a', { nowMs: 2000, untilMs: 2500 }, 'signInRefused'],
] as const)
  test(`rights raised for ${who}: ${then}`, () => {
    const office = new Office()
    makeOperator(office, operator)
    signIn(office, { userId: office.ann }, 'a')
    assert.equal(raise(office, session, at), then)
    assert.equal(raised(office, 'a'), undefined)
  })

test('whoever is no operator for a while raises the rights again', () => {
  const office = new Office()
  makeOperator(office)
  signIn(office, { userId: office.ann }, 'a')
  raise(office, 'a')
  makeOperator(office, false)
  makeOperator(office)
  assert.equal(raised(office, 'a'), undefined)
})

for (const [kind, operator, isStill, then] of [
  ["an operator's link", true, true, 1700],
  ['a link of another kind', false, true, undefined],
  ['a link of someone who is no operator any more', true, false, undefined],
] as const)
  test(`${kind} begins a session with operator rights until ${then}`, () => {
    const office = new Office()
    makeOperator(office)
    const link = digest('l')
    office.say({ kind: 'issueSignInLink', userId: office.ann, link, operator, ...times })
    if (!isStill) makeOperator(office, false)
    office.say({ kind: 'signIn', by: { link }, session: digest('s'), ...times, operatorUntilMs: 1700 })
    assert.equal(office.state.sessions.has(digest('s')), true)
    assert.equal(raised(office, 's'), then)
  })

test("there is no operator's link for someone who is none", () => {
  const office = new Office()
  const ask = { kind: 'issueSignInLink', userId: office.ann, link: digest('l'), operator: true } as const
  assert.equal(office.say({ ...ask, ...times }), 'userNotOperator')
})
