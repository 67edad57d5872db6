import assert from 'node:assert/strict'
import test from 'node:test'
import type { Command } from '../commands.ts'
import type { UserId } from '../ids.ts'
import { digest, Office } from '../oauth/testing/oauth.ts'
import { owns, userByName } from './find-user.ts'

const nobody = 'nobody' as UserId

for (const [name, then] of [
  ['carl', 'personAdded'],
  ['Ann ', 'userNameTaken'],
  ['ANN', 'userNameTaken'],
  ['ann b', 'personAdded'],
] as const)
  test(`a user called "${name}", beside ann: ${then}`, () => {
    const office = new Office()
    assert.equal(office.say({ kind: 'addUser', name, password: 'p' }), then)
    assert.equal(userByName(office.state, name)?.name, then === 'personAdded' ? name : 'ann')
  })

test('a name is one name however its accents were typed', () => {
  const office = new Office()
  office.user('Ren\u00e9e')
  assert.equal(office.say({ kind: 'addUser', name: 'rene\u0301e', password: 'p' }), 'userNameTaken')
})

test('a user is an operator where that is said', () => {
  const office = new Office()
  office.say({ kind: 'addUser', name: 'root', password: 'p', operator: true })
  assert.equal(userByName(office.state, 'root')?.operator, true)
  assert.equal(userByName(office.state, 'ann')?.operator, undefined)
  assert.equal(userByName(office.state, 'nobody'), undefined)
})

for (const [when, change, then] of [
  ['a new name', { name: 'anna' }, 'personChanged'],
  ['the same name in other letters', { name: 'ANN' }, 'personChanged'],
  ["another's name", { name: 'Bob' }, 'userNameTaken'],
  ['a password', { password: 'new' }, 'personChanged'],
  ['a right', { operator: true }, 'personChanged'],
] as const)
  test(`ann gets ${when}: ${then}`, () => {
    const office = new Office()
    const { ann, state } = office
    assert.equal(office.say({ kind: 'changeUser', userId: ann, ...change }), then)
    const { id: _, createdAt: __, ...user } = state.users.get(ann)!
    const changed = then === 'personChanged' ? change : {}
    assert.deepEqual(user, { name: 'ann', password: 'slow ann', ...changed })
    assert.equal(userByName(state, user.name)?.id, ann)
    assert.equal(state.userNames.size, 2)
  })

test('nobody is changed, removed, or given an account or a link', () => {
  const office = new Office()
  const of = { userId: nobody }
  const link = { link: digest('l'), nowMs: 1, endsAtMs: 2 }
  for (const command of [
    { kind: 'changeUser', name: 'x', ...of },
    { kind: 'removeUser', ...of },
    { kind: 'assignAccount', accountId: office.account('N'), ...of },
    { kind: 'issueSignInLink', ...link, ...of },
  ] as const)
    assert.equal(office.say(command), 'userNotFound', command.kind)
  assert.equal(office.say({ kind: 'noteFailedSignIn', ...of }), '')
  assert.equal(office.say({ kind: 'signOut', ...of }), '')
})

test('a user is removed once they have no open account, with their sessions and links', () => {
  const office = new Office()
  const { bob, state } = office
  const remove = () => office.say({ kind: 'removeUser', userId: bob })
  assert.equal(remove(), 'userHasAccounts')
  office.say({ kind: 'closeAccount', accountId: office.account('B'), empty: false })
  const times = { nowMs: 1, endsAtMs: 9 }
  office.say({ kind: 'signIn', by: { userId: bob }, session: digest('s'), ...times })
  office.say({ kind: 'issueSignInLink', userId: bob, link: digest('l'), ...times })
  const { id } = [...state.sessions.values()][0]!
  assert.equal(remove(), 'personRemoved')
  const event = office.world.events.at(-1)
  assert.deepEqual(event?.kind === 'personRemoved' && event.sessions, [id])
  assert.equal(state.sessions.size + state.signInLinks.size, 0)
  assert.equal(remove(), 'userNotFound')
  office.user('bob')
})

for (const [account, to, then] of [
  ['N', 'ann', 'accountAssigned'],
  ['A', 'bob', 'accountAssigned'],
  ['A', undefined, 'accountAssigned'],
  ['A', 'ann', ''],
  ['N', undefined, ''],
  ['none', 'ann', 'accountNotFound'],
] as const)
  test(`account ${account} becomes ${to ?? 'nobody'}'s: ${then || 'nothing happens'}`, () => {
    const office = new Office()
    const accountId = account === 'none' ? (account as never) : office.account(account)
    const userId = to && office[to]
    const said = office.say({ kind: 'assignAccount', accountId, ...(userId ? { userId } : {}) })
    assert.equal(said, then)
    const kept = account === 'none' ? undefined : userId
    assert.equal(office.state.accounts.get(accountId)?.userId, kept)
    if (to) assert.equal(owns(office.state, office[to], accountId), then !== 'accountNotFound')
  })

test('an account that keeps what tokens stand for is nobody\u2019s', () => {
  const office = new Office()
  office.world.run('open I 0')
  office.world.run('issuer I xstocks AAPL')
  const accountId = office.account('I')
  assert.equal(office.say({ kind: 'assignAccount', accountId, userId: office.ann }), 'accountNotFound')
})

test('what apps were allowed ends with the owner, for that account alone; what a partner allowed for nobody stays', () => {
  const office = new Office()
  const clientId = office.register('two', {}, { liveTradingApproved: true })
  const two = { clientId, secret: digest('secret of two') }
  const both = office.exchange(office.consent({ clientId, live: office.account('L') }).code, two).token
  const [a, l, n] = ['A', 'L', 'N'].map((name) =>
    office.token({ accountId: office.account(name), ...(name === 'L' && two) }),
  )
  const give = (name: string) =>
    office.say({ kind: 'assignAccount', accountId: office.account(name), userId: office.bob })
  give('N')
  assert.equal(office.bearer(n!), 'N trading')
  give('A')
  const event = office.world.events.at(-1)
  assert.deepEqual(event?.kind === 'accountAssigned' && [event.ended.length, event.revoked.length], [2, 2])
  assert.deepEqual(
    [both, a!, l!].map((token) => office.bearer(token)),
    [undefined, undefined, 'L trading'],
  )
})

test('an account is opened for a user there is', () => {
  const office = new Office()
  const command = { kind: 'openAccount', flavour: 'paper', partnerId: office.partnerId, cash: 0n } as const
  assert.equal(office.say({ ...command, userId: nobody } as Command), 'userNotFound')
  assert.equal(office.say({ ...command, userId: office.bob } as Command), 'accountOpened')
})
