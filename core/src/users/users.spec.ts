import assert from 'node:assert/strict'
import test from 'node:test'
import type { Command } from '../commands.ts'
import type { UserId } from '../ids.ts'
import { digest, OAuthFixture } from '../oauth/testing/oauth.ts'
import { owns, userByName } from './find-user.ts'

const unknownUser = 'unknown' as UserId

for (const [name, then] of [
  ['carl', 'userAdded'],
  ['Ann ', 'userNameTaken'],
  ['ANN', 'userNameTaken'],
  ['ann b', 'userAdded'],
] as const)
  test(`a user named "${name}" beside "ann": ${then}`, () => {
    const fixture = new OAuthFixture()
    assert.equal(fixture.submit({ kind: 'addUser', name, password: 'p' }), then)
    assert.equal(userByName(fixture.state, name)?.name, then === 'userAdded' ? name : 'ann')
  })

test('a name is the same in composed and decomposed Unicode', () => {
  const fixture = new OAuthFixture()
  fixture.user('Ren\u00e9e')
  assert.equal(fixture.submit({ kind: 'addUser', name: 'rene\u0301e', password: 'p' }), 'userNameTaken')
})

test('a user is an operator only if requested', () => {
  const fixture = new OAuthFixture()
  fixture.submit({ kind: 'addUser', name: 'root', password: 'p', operator: true })
  assert.equal(userByName(fixture.state, 'root')?.operator, true)
  assert.equal(userByName(fixture.state, 'ann')?.operator, undefined)
  assert.equal(userByName(fixture.state, 'nobody'), undefined)
})

for (const [when, change, then] of [
  ['a new name', { name: 'anna' }, 'userChanged'],
  ['the same name in upper case', { name: 'ANN' }, 'userChanged'],
  ['the name of another user', { name: 'Bob' }, 'userNameTaken'],
  ['a password', { password: 'new' }, 'userChanged'],
  ['operator rights', { operator: true }, 'userChanged'],
] as const)
  test(`ann gets ${when}: ${then}`, () => {
    const fixture = new OAuthFixture()
    const { ann, state } = fixture
    assert.equal(fixture.submit({ kind: 'changeUser', userId: ann, ...change }), then)
    const { id: _, createdAt: __, signInEpoch: ___, ...user } = state.users.get(ann)!
    const changed = then === 'userChanged' ? change : {}
    assert.deepEqual(user, { name: 'ann', password: 'slow ann', ...changed })
    assert.equal(userByName(state, user.name)?.id, ann)
    assert.equal(state.userNames.size, 2)
  })

test('commands for an unknown user are refused', () => {
  const fixture = new OAuthFixture()
  const of = { userId: unknownUser }
  const link = { link: digest('l'), nowMs: 1, endsAtMs: 2 }
  for (const command of [
    { kind: 'changeUser', name: 'x', ...of },
    { kind: 'removeUser', ...of },
    { kind: 'assignAccount', accountId: fixture.account('N'), ...of },
    { kind: 'issueSignInLink', ...link, ...of },
    { kind: 'signOut', ...of },
  ] as const)
    assert.equal(fixture.submit(command), 'userNotFound', command.kind)
  assert.equal(fixture.submit({ kind: 'noteFailedSignIn', ...of }), '')
})

test('a user without open accounts can be removed, with sessions and links', () => {
  const fixture = new OAuthFixture()
  const { bob, state } = fixture
  const remove = () => fixture.submit({ kind: 'removeUser', userId: bob })
  assert.equal(remove(), 'userHasAccounts')
  fixture.submit({ kind: 'closeAccount', accountId: fixture.account('B'), empty: false })
  const times = { nowMs: 1, endsAtMs: 9 }
  fixture.submit({ kind: 'signIn', by: { userId: bob }, session: digest('s'), ...times })
  fixture.submit({ kind: 'issueSignInLink', userId: bob, link: digest('l'), ...times })
  const { id } = [...state.sessions.values()][0]!
  assert.equal(remove(), 'accountAssigned userRemoved')
  assert.equal(state.accounts.get(fixture.account('B'))?.userId, undefined, 'the closed account has no owner')
  const event = fixture.world.events.at(-1)
  assert.deepEqual(event?.kind === 'userRemoved' && event.sessions, [id])
  assert.equal(state.sessions.size + state.signInLinks.size, 0)
  assert.equal(remove(), 'userNotFound')
  fixture.user('bob')
})

for (const [account, to, then] of [
  ['N', 'ann', 'accountAssigned'],
  ['A', 'bob', 'accountAssigned'],
  ['A', undefined, 'accountAssigned'],
  ['A', 'ann', ''],
  ['N', undefined, ''],
  ['none', 'ann', 'accountNotFound'],
] as const)
  test(`account ${account} assigned to ${to ?? 'no user'}: ${then || 'no event'}`, () => {
    const fixture = new OAuthFixture()
    const accountId = account === 'none' ? (account as never) : fixture.account(account)
    const userId = to && fixture[to]
    const outcome = fixture.submit({ kind: 'assignAccount', accountId, ...(userId ? { userId } : {}) })
    assert.equal(outcome, then)
    const kept = account === 'none' ? undefined : userId
    assert.equal(fixture.state.accounts.get(accountId)?.userId, kept)
    if (to) assert.equal(owns(fixture.state, fixture[to], accountId), then !== 'accountNotFound')
  })

test('a custody account cannot be assigned to a user', () => {
  const fixture = new OAuthFixture()
  fixture.world.run('open I 0')
  fixture.world.run('issuer I xstocks AAPL')
  const accountId = fixture.account('I')
  assert.equal(fixture.submit({ kind: 'assignAccount', accountId, userId: fixture.ann }), 'accountNotFound')
})

test('a new owner ends the grants of that account only; grants by a partner for an account without owner stay', () => {
  const fixture = new OAuthFixture()
  const clientId = fixture.register('two', {}, { liveTradingApproved: true })
  const two = { clientId, secret: digest('secret of two') }
  const both = fixture.exchange(fixture.consent({ clientId, live: fixture.account('L') }).code, two).token
  const [a, l, n] = ['A', 'L', 'N'].map((name) =>
    fixture.token({ accountId: fixture.account(name), ...(name === 'L' && two) }),
  )
  const give = (name: string) =>
    fixture.submit({ kind: 'assignAccount', accountId: fixture.account(name), userId: fixture.bob })
  give('N')
  assert.equal(fixture.bearer(n!), 'N trading')
  give('A')
  const event = fixture.world.events.at(-1)
  assert.deepEqual(event?.kind === 'accountAssigned' && [event.ended.length, event.revoked.length], [2, 2])
  assert.deepEqual(
    [both, a!, l!].map((token) => fixture.bearer(token)),
    [undefined, undefined, 'L trading'],
  )
})

test('an account can be opened only for an existing user', () => {
  const fixture = new OAuthFixture()
  const command = { kind: 'openAccount', flavour: 'paper', partnerId: fixture.partnerId, cash: 0n } as const
  assert.equal(fixture.submit({ ...command, userId: unknownUser } as Command), 'userNotFound')
  assert.equal(fixture.submit({ ...command, userId: fixture.bob } as Command), 'accountOpened')
})
