import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command, UserId, WorldId } from '@quipu/core'
import { decided } from '../world/testing/world.ts'
import type { Caller } from './caller.ts'
import { digestOf } from './credentials.ts'
import {
  SESSION_TOKEN_MS,
  SESSION_TOKENS_MAX,
  SessionTokens,
  TOKENS_OF_SESSION_MAX,
} from './session-tokens.ts'
import { ENDS_AT_MS, NOW_MS, RIGHTS_UNTIL_MS, type Scene, scene, signInUser } from './testing/credentials.ts'

type Opened = Scene & {
  readonly userId: UserId
  readonly tokens: SessionTokens
  readonly caller: Caller
  readonly operator: Caller
  readonly issue: (token: string, caller?: Caller, nowMs?: number, cookie?: string) => void
  readonly who: (token: string, nowMs?: number) => Caller | undefined
}

/** A user who signed in with the cookie `first`. */
async function opened(t: Parameters<typeof scene>[0]): Promise<Opened> {
  const made = await scene(t)
  const { worlds, world, paper, partnerId } = made
  const userId = await signInUser(made, 'first', { operator: true })
  const tokens = new SessionTokens(worlds.access.credentials.people)
  const caller: Caller = { kind: 'account', world, accountId: paper, credentialId: 'of the page' }
  const operator: Caller = {
    kind: 'partner',
    world,
    partnerId,
    operator: true,
    auditor: false,
    credentialId: 'of the desk',
  }
  const issue: Opened['issue'] = (token, as = caller, nowMs = NOW_MS, cookie = 'first') =>
    tokens.issue(digestOf(token), worlds.access.credentials.bySession(cookie, nowMs)!, as, nowMs)
  const who: Opened['who'] = (token, nowMs = NOW_MS) => tokens.caller(digestOf(token), nowMs)
  return { ...made, userId, tokens, caller, operator, issue, who }
}

test('a token is valid for five minutes of the machine, to the millisecond', async (t) => {
  const { issue, who, caller } = await opened(t)
  issue('t')
  assert.equal(who('t'), caller)
  assert.equal(who('t', NOW_MS + SESSION_TOKEN_MS - 1), caller)
  assert.equal(who('t', NOW_MS + SESSION_TOKEN_MS), undefined)
  assert.equal(who('another'), undefined)
})

test('a token never outlives its session', async (t) => {
  const { issue, who, caller } = await opened(t)
  const late = ENDS_AT_MS - 1000
  issue('t', caller, late)
  assert.equal(who('t', ENDS_AT_MS - 1), caller)
  assert.equal(who('t', ENDS_AT_MS), undefined)
})

test('a token never has operator rights for longer than its session, also for an account', async (t) => {
  const { issue, who, operator, caller } = await opened(t)
  for (const by of [operator, { ...caller, isByOperator: true }]) {
    issue('t', by, RIGHTS_UNTIL_MS - 1000)
    assert.equal(who('t', RIGHTS_UNTIL_MS - 1), by)
    assert.equal(who('t', RIGHTS_UNTIL_MS), undefined)
  }
})

const close = (accountId: Scene['paper']): Command => ({ kind: 'closeAccount', accountId, empty: true })

for (const [when, command, accountEnds, deskEnds] of [
  ['signs out', () => ({ kind: 'signOut', session: digestOf('first') }), true, true],
  ['is signed out everywhere', ({ userId }) => ({ kind: 'signOut', userId }), true, true],
  ['is disabled', ({ userId }) => ({ kind: 'changeUser', userId, disabled: true }), true, true],
  ['gets a password', ({ userId }) => ({ kind: 'changeUser', userId, password: 'p' }), true, true],
  ['is renamed', ({ userId }) => ({ kind: 'changeUser', userId, name: 'n' }), false, false],
  ['is no operator any more', ({ userId }) => ({ kind: 'changeUser', userId, operator: false }), true, true],
  ['loses the account', ({ paper }) => ({ kind: 'assignAccount', accountId: paper }), true, false],
  ['loses another account', ({ live }) => ({ kind: 'assignAccount', accountId: live }), false, false],
  ['closes the account', ({ paper }) => close(paper), true, false],
] as readonly (readonly [string, (made: Opened) => Command, boolean, boolean])[])
  test(`a token of a user who ${when}`, async (t) => {
    const made = await opened(t)
    made.issue('page')
    made.issue('desk', made.operator)
    assert.ok((await decided(made.world, command(made))).ok)
    assert.equal(made.who('page') === undefined, accountEnds)
    assert.equal(made.who('desk') === undefined, deskEnds)
  })

test('a session has a limited number of tokens, and takes none from another session', async (t) => {
  const { world, userId, caller, issue, who } = await opened(t)
  const again = { kind: 'signIn', by: { userId }, nowMs: NOW_MS, endsAtMs: ENDS_AT_MS } as const
  await decided(world, { ...again, session: digestOf('second') })
  issue('kept', caller, NOW_MS, 'second')
  for (let n = 0; n <= TOKENS_OF_SESSION_MAX; n++) issue(`${n}`)
  assert.equal(who('0'), undefined)
  assert.deepEqual([who('1'), who(`${TOKENS_OF_SESSION_MAX}`), who('kept')], [caller, caller, caller])
})

test('all sessions have a limited number of tokens; the oldest are dropped first', async (t) => {
  const { world, worlds, tokens, caller } = await opened(t)
  const { digest, session } = worlds.access.credentials.bySession('first', NOW_MS)!
  const one = (n: number) =>
    tokens.issue(
      digestOf(`${n}`),
      { world, digest, session: { ...session, id: `${n}` as never } },
      caller,
      NOW_MS,
    )
  for (let n = 0; n <= SESSION_TOKENS_MAX; n += 1) one(n)
  assert.equal(tokens.caller(digestOf('0'), NOW_MS), undefined)
  assert.equal(tokens.caller(digestOf('1'), NOW_MS), caller)
  assert.equal(tokens.caller(digestOf(`${SESSION_TOKENS_MAX}`), NOW_MS), caller)
})

test('a token gives access until its world is deleted', async (t) => {
  const { worlds, world, userId, paper } = await opened(t)
  const { credentials } = worlds.access
  const nowMs = Date.now()
  const endsAtMs = nowMs + 3_600_000
  await decided(world, { kind: 'signIn', by: { userId }, session: digestOf('now'), nowMs, endsAtMs })
  const caller: Caller = { kind: 'account', world, accountId: paper, credentialId: 'now' }
  credentials.sessionTokens.issue(digestOf('t'), credentials.bySession('now', nowMs)!, caller, nowMs)
  assert.equal(credentials.byToken('t', 'paper'), caller)
  await worlds.lifecycle.delete('lab' as WorldId)
  assert.equal(credentials.byToken('t', 'paper'), undefined)
})
