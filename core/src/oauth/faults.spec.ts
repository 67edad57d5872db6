import assert from 'node:assert/strict'
import test from 'node:test'
import { schedule, unschedule } from '../agenda.ts'
import { auditFaults } from '../audit.ts'
import type { ClientId, GrantId, KeyId, TokenId, UserId } from '../ids.ts'
import type { State } from '../state/state.ts'
import type { Instant } from '../time.ts'
import type { App, Grant, Token } from './app.ts'
import { digest, OAuthFixture } from './testing/oauth.ts'

/** A grant with two tokens, a grant with a code, a machine token and a session. */
function createFixture(): OAuthFixture {
  const fixture = new OAuthFixture({ tokenSeconds: 60 })
  fixture.exchange(fixture.consent().code)
  fixture.consent()
  const owner = { kind: 'partner', partnerId: fixture.partnerId, operator: false } as const
  fixture.submit({ kind: 'issueKey', keyId: 'CK1' as KeyId, owner, digest: digest('key') })
  fixture.submit({ kind: 'issueMachineToken', keyId: 'CK1' as KeyId, token: digest('machine') })
  fixture.submit({ kind: 'signIn', by: { userId: fixture.ann }, session: digest('s'), nowMs: 1, endsAtMs: 2 })
  return fixture
}

const app = (state: State, patch: Partial<App>) => {
  const [one] = state.apps.values()
  state.apps.set(one!.id, { ...one!, ...patch })
}
const grant = (state: State, patch: Partial<Grant>) => {
  const [one] = state.grants.values()
  state.grants.set(one!.id, { ...one!, ...patch })
}
const token = (state: State, patch: Partial<Token>) => {
  const [one] = state.tokens.values()
  state.tokens.set(one!.id, { ...one!, ...patch })
}
const expire = (state: State, change: typeof schedule, at = 0n) => {
  const [{ id, expiresAt }] = [...state.tokens.values()] as unknown as [Token & { expiresAt: Instant }]
  change(state.agenda, (expiresAt + at) as Instant, { kind: 'expireToken', tokenId: id })
}
/** Adds a third fresh refresh token to the two that one refresh token may return. */
const third = (fixture: OAuthFixture) => {
  const [, original] = [...fixture.state.tokenDigests.keys()]
  const { refresh } = fixture.refresh(original!)
  fixture.refresh(original!)
  token(fixture.state, { ...fixture.state.tokens.get(fixture.tokenId(refresh))! })
}
const none = 'none'

for (const [what, tamper, then] of [
  ['nothing', () => undefined, /^$/],
  ['a lost client id', ({ state }) => state.clientIds.clear(), /not found by its client id/],
  [
    'a client id too many',
    ({ state }) => state.clientIds.set('x' as ClientId, none as never),
    /2 client ids/,
  ],
  [
    'an unknown partner',
    ({ state, partnerId }) => app(state, { partners: [partnerId, none as never] }),
    /has an unknown partner/,
  ],
  [
    'an owner who may not use it',
    ({ state, other }) => app(state, { owner: other }),
    /cannot be used by its owner/,
  ],
  ['a secret of a public app', ({ state }) => app(state, { isPublic: true }), /has 1 secrets/],
  ['a grant without its app', ({ state }) => grant(state, { appId: none as never }), /which does not exist/],
  ['a grant without code and tokens', ({ state }) => state.codes.clear(), /has 0 tokens beside its code/],
  ['a grant without its tokens', ({ state }) => grant(state, { tokens: [] }), /is missing in its grant/],
  ['a token twice', ({ state }) => grant(state, twice(state)), /has a token twice/],
  ['a grant without accounts', ({ state }) => grant(state, { paper: undefined } as never), /for no account/],
  [
    'a grant for an account of the wrong kind',
    (fixture) => grant(fixture.state, { live: fixture.account('A') }),
    /wrong kind/,
  ],
  [
    'a grant for two users',
    (fixture) => grant(fixture.state, { live: fixture.account('N') }),
    /several users/,
  ],
  ['a grant of another user', ({ state, bob }) => grant(state, { userId: bob }), /for another/],
  ['a closed account', (fixture) => close(fixture), /for a closed account/],
  ['a second code', ({ state }) => state.codes.set(digest('x'), [...state.codes.values()][1]!), /two codes/],
  ['codes in the wrong order', ({ state }) => swap(state.codes), /is listed before an older one/],
  ['a code of another app', ({ state }) => recode(state), /a code for \S+ is of none/],
  [
    'a token of no grant',
    ({ state }) => token(state, { grantId: none as GrantId }),
    /is missing in its grant/,
  ],
  ['a lost digest', ({ state }) => state.tokenDigests.clear(), /not found by its digest/],
  ['a digest too many', ({ state }) => state.tokenDigests.set(digest('x'), none as TokenId), /3 digests/],
  ['a third fresh refresh token', (fixture) => third(fixture), /has 3 fresh refresh tokens/],
  [
    'a used refresh token without time of use',
    ({ state }) => token(state, { refresh: 'used' }),
    /has no time of use/,
  ],
  ['a token with more scopes than its grant', ({ state }) => token(state, wider), /has more scopes than/],
  [
    'an expiry missing on the agenda',
    ({ state }) => expire(state, unschedule),
    /is not on the agenda at its expiry/,
  ],
  [
    'an expiry twice on the agenda',
    ({ state }) => expire(state, schedule, 1n),
    /expires twice on the agenda/,
  ],
  ['a deleted key', ({ state }) => state.keys.clear(), /has no partner's key/],
  ['a user without a name', ({ state }) => state.userNames.delete('ann'), /not found by name/],
  ['a name of another user', ({ state, bob }) => state.userNames.set('ann', bob), /does not have that name/],
  [
    'a session of a deleted user',
    ({ state, ann }) => state.users.delete(ann),
    /sessions of \S+, who does not exist/,
  ],
  [
    'an account of a deleted user',
    ({ state, bob }) => state.users.delete(bob),
    /account \S+ belongs to \S+, who does not exist/,
  ],
  ['a session of a disabled user', ({ state, ann }) => disable(state, ann), /who is disabled/],
  [
    'a session twice',
    ({ state }) => state.sessions.set(digest('x'), [...state.sessions.values()][0]!),
    /one id/,
  ],
] as readonly (readonly [string, (fixture: OAuthFixture) => unknown, RegExp])[])
  test(`the audit reports ${what}`, () => {
    const fixture = createFixture()
    tamper(fixture)
    const faults = auditFaults(fixture.state)
    assert.match(faults.join('; '), then)
    assert.ok(!/digest of/.test(faults.join()), 'a fault contains no digest')
  })

const wider = { narrowed: { scopes: ['data'], scopeText: 'data' } } as const

function twice(state: State): Partial<Grant> {
  const { tokens } = [...state.grants.values()][0]!
  return { tokens: [...tokens, tokens[0]!] }
}

function close(fixture: OAuthFixture): void {
  const account = fixture.state.accounts.get(fixture.account('A'))!
  fixture.state.accounts.set(account.id, { ...account, closedAt: 1n as Instant })
}

function swap<Key, Value>(map: Map<Key, Value>): void {
  const entries = [...map].reverse()
  map.clear()
  for (const [key, value] of entries) map.set(key, value)
}

function recode(state: State): void {
  const [[key, code]] = [...state.codes] as unknown as [[never, never]]
  state.codes.set(key, { ...(code as object), appId: none } as never)
}

function disable(state: State, id: UserId): void {
  state.users.set(id, { ...state.users.get(id)!, disabled: true })
}
