import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AccountId,
  type Flavour,
  type Instant,
  type KeyId,
  MACHINE_TOKEN_LIFETIME,
  SECOND,
  type TokenId,
  type WorldId,
} from '@quipu/core'
import { REDIRECT } from '@quipu/server/http/oauth/testing/apps.ts'
import { decided } from '../world/testing/world.ts'
import type { AccountCaller, Caller } from './caller.ts'
import { digestOf } from './credentials.ts'
import { execute, issueKey } from './issue-keys.ts'
import { ENDS_AT_MS, NOW_MS, type Scene, scene, signInUser } from './testing/credentials.ts'

const accountOf = (caller: Caller | undefined): AccountId | undefined =>
  caller?.kind === 'account' ? caller.accountId : undefined

const requestOf = ({ partnerId, app, paper }: Scene, accountId: AccountId = paper) => ({
  partnerId,
  clientId: app.clientId,
  secret: digestOf(app.secret),
  redirectUri: REDIRECT,
  scope: 'trading',
  accountId,
})

async function issue(
  made: Scene,
  token: string,
  accountId?: AccountId,
  world = made.world,
): Promise<TokenId> {
  const command = { kind: 'issueToken', ...requestOf(made, accountId), token: digestOf(token) } as const
  assert.ok((await decided(world, command)).ok)
  return world.view.tokenDigests.get(digestOf(token))!
}

for (const [holds, requested, then] of [
  ['paper', 'paper', 'paper'],
  ['paper', 'live', undefined],
  ['live', 'live', 'live'],
  ['live', 'paper', 'live'],
] as const satisfies readonly (readonly [Flavour, Flavour, Flavour | undefined])[])
  test(`a token of a ${holds} account, with ${requested} requested: ${then ?? 'no caller'}`, async (t) => {
    const made = await scene(t)
    const tokenId = await issue(made, 'secret', made[holds])
    const caller = made.worlds.access.credentials.byToken('secret', requested) as AccountCaller | undefined
    assert.equal(caller?.accountId, then && made[then])
    if (!caller) return
    assert.equal(caller.world, made.world)
    assert.equal(caller.credentialId, tokenId)
    assert.deepEqual([...caller.scopes!], ['trading'])
  })

test('an unknown token, a digest and an empty token have no caller', async (t) => {
  const made = await scene(t)
  await issue(made, 'secret')
  for (const token of ['other', digestOf('secret'), ''])
    assert.equal(made.worlds.access.credentials.byToken(token, 'paper'), undefined)
})

test('a revoked token has no caller; tokens of a disabled app have none until it is enabled', async (t) => {
  const made = await scene(t)
  const { world, partnerId, worlds } = made
  const { clientId } = made.app
  const tokenId = await issue(made, 'one')
  await issue(made, 'two')
  const ownerOf = (token: string) => accountOf(worlds.access.credentials.byToken(token, 'paper'))
  await decided(world, { kind: 'revokeToken', partnerId, tokenId })
  assert.deepEqual([ownerOf('one'), ownerOf('two')], [undefined, made.paper])
  await decided(world, { kind: 'changeAppStatus', partnerId, clientId, status: 'disabled' })
  assert.equal(ownerOf('two'), undefined)
  await decided(world, { kind: 'changeAppStatus', partnerId, clientId, status: 'active' })
  assert.equal(ownerOf('two'), made.paper)
})

test('an app and a code lead to their world, in any spelling of the id', async (t) => {
  const made = await scene(t)
  const { credentials } = made.worlds.access
  const { clientId } = made.app
  const spelled = clientId.toUpperCase().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  assert.equal(credentials.worlds.ofApp(clientId), made.world)
  assert.equal(credentials.worlds.ofApp(spelled), made.world)
  assert.equal(credentials.worlds.ofApp('0'.repeat(32)), undefined)
  await decided(made.world, { kind: 'authorizeApp', ...requestOf(made), code: digestOf('code') })
  assert.equal(credentials.worlds.ofCode(digestOf('code')), made.world)
  assert.equal(credentials.worlds.ofCode(digestOf('another')), undefined)
})

test('a fork has its own credentials: those of the parent keep leading to the parent', async (t) => {
  const made = await scene(t)
  const { worlds, world, paper } = made
  const { credentials } = worlds.access
  const key = await issueKey(world, { kind: 'account', accountId: paper })
  const tokenId = await issue(made, 'before')
  await decided(world, { kind: 'authorizeApp', ...requestOf(made), code: digestOf('before') })
  const fork = (await worlds.lifecycle.fork(worlds.entry('lab')!, 'fork' as WorldId)).world
  await issue(made, 'in the fork', paper, fork)
  await decided(fork, { kind: 'authorizeApp', ...requestOf(made), code: digestOf('in the fork') })
  const worldsOf = () => [
    credentials.byKey(key.keyId, key.secretKey)?.world,
    credentials.byToken('before', 'paper')?.world,
    credentials.worlds.ofCode(digestOf('before')),
    credentials.worlds.ofApp(made.app.clientId),
    credentials.byToken('in the fork', 'paper')?.world,
    credentials.worlds.ofCode(digestOf('in the fork')),
  ]
  assert.deepEqual(worldsOf(), [world, world, world, world, fork, fork])
  // A credential that the parent revokes is invalid, though the fork still has it.
  await decided(world, { kind: 'revokeToken', partnerId: made.partnerId, tokenId })
  await decided(world, { kind: 'revokeKey', keyId: key.keyId as KeyId })
  assert.equal(credentials.byToken('before', 'paper'), undefined)
  assert.equal(credentials.byKey(key.keyId, key.secretKey), undefined)
  await worlds.lifecycle.delete('fork' as WorldId)
  assert.deepEqual(worldsOf().slice(2), [world, world, undefined, undefined])
})

test('a token is found whatever other tokens are issued and revoked', async (t) => {
  const made = await scene(t)
  const { worlds, world, partnerId, paper } = made
  await issue(made, 'kept')
  for (let round = 0; round < 200; round++) {
    const tokenId = await issue(made, `${round}`)
    await decided(world, { kind: 'revokeToken', partnerId, tokenId })
    assert.equal(worlds.access.credentials.byToken(`${round}`, 'paper'), undefined)
  }
  assert.equal(accountOf(worlds.access.credentials.byToken('kept', 'paper')), paper)
})

test('a machine token leads to its partner until it expires, is revoked, or its key is revoked', async (t) => {
  const made = await scene(t)
  const { worlds, world, partnerId } = made
  const { credentials } = worlds.access
  const { keyId } = await issueKey(world, { kind: 'partner', partnerId, operator: true })
  const machine = (token: string) =>
    decided(world, { kind: 'issueMachineToken', keyId: keyId as KeyId, token: digestOf(token) })
  await machine('one')
  await machine('two')
  const ownerOf = (token: string) => credentials.byToken(token, 'live')
  const caller = (token: string) => {
    const rights = { operator: true, auditor: false, isIssuer: false }
    return { kind: 'partner', world, partnerId, ...rights, credentialId: keyId, machine: digestOf(token) }
  }
  assert.deepEqual([ownerOf('one'), ownerOf('two')], [caller('one'), caller('two')])
  assert.equal(credentials.worlds.ofToken(digestOf('one')), undefined)
  await decided(world, { kind: 'revokeMachineToken', keyId: keyId as KeyId, token: digestOf('one') })
  assert.deepEqual([ownerOf('one'), ownerOf('two')], [undefined, caller('two')])
  await decided(world, { kind: 'revokeKey', keyId: keyId as KeyId })
  assert.equal(ownerOf('two'), undefined)
})

test('a machine token expires by the clock of its world', async (t) => {
  const made = await scene(t)
  const { worlds, world, partnerId } = made
  const { keyId } = await issueKey(world, { kind: 'partner', partnerId, operator: false })
  await decided(world, { kind: 'issueMachineToken', keyId: keyId as KeyId, token: digestOf('m') })
  const { clock } = worlds.entry('lab')!
  await clock!.advance((world.engine.latest + MACHINE_TOKEN_LIFETIME - SECOND) as Instant)
  assert.ok(worlds.access.credentials.byToken('m', 'paper'))
  await clock!.advance((world.engine.latest + 2n * SECOND) as Instant)
  assert.equal(worlds.access.credentials.byToken('m', 'paper'), undefined)
})

test('access tokens expire by the clock; a refresh token gives no access and leads to its world', async (t) => {
  const made = await scene(t)
  const { worlds, world, partnerId, app } = made
  const { credentials } = worlds.access
  const change = { settings: { tokenSeconds: 60, refreshSeconds: 120 } }
  await decided(world, { kind: 'changeApp', partnerId, clientId: app.clientId, change })
  const request = requestOf(made)
  await decided(world, { kind: 'authorizeApp', ...request, code: digestOf('code') })
  const pair = { token: digestOf('a1'), refresh: digestOf('r1') }
  await decided(world, { kind: 'exchangeCode', ...request, code: digestOf('code'), ...pair })
  const next = { token: digestOf('a2'), refresh: digestOf('r2') }
  const { clock } = worlds.entry('lab')!
  await clock!.advance((world.engine.latest + 59n * SECOND) as Instant)
  assert.equal(accountOf(credentials.byToken('a1', 'paper')), made.paper)
  assert.equal(credentials.byToken('r1', 'paper'), undefined)
  await decided(world, { kind: 'refreshToken', ...request, current: digestOf('r1'), scope: '', ...next })
  const narrowed = credentials.byToken('a2', 'paper') as AccountCaller
  assert.deepEqual([narrowed.accountId, narrowed.scopes], [made.paper, new Set()])
  assert.deepEqual(
    ['r1', 'r2', 'a2', 'a1'].map((token) => credentials.worlds.ofToken(digestOf(token))),
    Array(4).fill(world),
  )
  await clock!.advance((world.engine.latest + 2n * SECOND) as Instant)
  assert.equal(credentials.byToken('a1', 'paper'), undefined)
  assert.ok(credentials.byToken('a2', 'paper'))
})

test('a cookie leads to the signed-in user, until the session expires or is ended', async (t) => {
  const made = await scene(t)
  const { worlds, world } = made
  const { credentials } = worlds.access
  const userId = await signInUser(made, 'cookie')
  const at = (nowMs: number) => credentials.bySession('cookie', nowMs)
  assert.deepEqual(
    [at(NOW_MS)?.world, at(NOW_MS)?.user.id, at(NOW_MS)?.digest],
    [world, userId, digestOf('cookie')],
  )
  assert.ok(at(ENDS_AT_MS - 1))
  assert.equal(at(ENDS_AT_MS), undefined)
  assert.equal(credentials.bySession('another', NOW_MS), undefined)
  assert.equal(credentials.bySession(digestOf('cookie'), NOW_MS), undefined)
  await decided(world, { kind: 'changeUser', userId, disabled: true })
  await decided(world, { kind: 'changeUser', userId, disabled: false })
  assert.equal(at(NOW_MS), undefined)
})

test('a sign-in link leads to its world until it is used', async (t) => {
  const made = await scene(t)
  const { worlds, world } = made
  const userId = await signInUser(made, 'cookie')
  const times = { nowMs: NOW_MS, endsAtMs: ENDS_AT_MS }
  await execute(
    world,
    { kind: 'issueSignInLink', userId, link: digestOf('link'), ...times },
    'signInLinkIssued',
  )
  assert.equal(worlds.access.credentials.worlds.ofLink(digestOf('link')), world)
  const by = { link: digestOf('link') }
  assert.ok((await decided(world, { kind: 'signIn', by, session: digestOf('s'), ...times })).ok)
  const again = await decided(world, { kind: 'signIn', by, session: digestOf('s2'), ...times })
  assert.equal(!again.ok && again.reason.code, 'signInRefused')
})

test('a fork has the people of its parent without their sessions; credentials of each lead to its world', async (t) => {
  const made = await scene(t)
  const { worlds, world, partnerId } = made
  const { credentials } = worlds.access
  const userId = await signInUser(made, 'cookie')
  const { keyId } = await issueKey(world, { kind: 'partner', partnerId, operator: false })
  const machine = { kind: 'issueMachineToken', keyId: keyId as KeyId } as const
  await decided(world, { ...machine, token: digestOf('m') })
  const fork = (await worlds.lifecycle.fork(worlds.entry('lab')!, 'fork' as WorldId)).world
  const { users, sessions, keys, machineTokens } = fork.view
  assert.equal(users.get(userId)?.password, '')
  assert.deepEqual([sessions.size, keys.size, machineTokens.size], [0, 0, 0])
  const own = (await issueKey(fork, { kind: 'partner', partnerId, operator: false })).keyId as KeyId
  await decided(fork, { ...machine, keyId: own, token: digestOf('m in the fork') })
  const session = { session: digestOf('in the fork'), nowMs: NOW_MS, endsAtMs: ENDS_AT_MS }
  await decided(fork, { kind: 'signIn', by: { userId }, ...session })
  const worldsOf = () => [
    credentials.bySession('cookie', NOW_MS)?.world,
    credentials.byToken('m', 'paper')?.world,
    credentials.bySession('in the fork', NOW_MS)?.world,
    credentials.byToken('m in the fork', 'paper')?.world,
  ]
  assert.deepEqual(worldsOf(), [world, world, fork, fork])
  // A user who is disabled in the parent is not disabled in the fork.
  await decided(world, { kind: 'changeUser', userId, disabled: true })
  assert.deepEqual(worldsOf(), [undefined, world, fork, fork])
  await worlds.lifecycle.delete('lab' as WorldId)
  assert.deepEqual(worldsOf(), [undefined, undefined, fork, fork])
})
