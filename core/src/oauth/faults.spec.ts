import assert from 'node:assert/strict'
import test from 'node:test'
import { schedule, unschedule } from '../agenda.ts'
import { faultsOf } from '../audit.ts'
import type { ClientId, GrantId, KeyId, TokenId, UserId } from '../ids.ts'
import type { State } from '../state.ts'
import type { Instant } from '../time.ts'
import type { App, Grant, Token } from './app.ts'
import { digest, Office } from './testing/oauth.ts'

/** A grant with a pair of tokens, one with a code, a machine's token, a session. */
function office(): Office {
  const made = new Office({ tokenSeconds: 60 })
  made.exchange(made.consent().code)
  made.consent()
  const owner = { kind: 'partner', partnerId: made.partnerId, operator: false } as const
  made.say({ kind: 'issueKey', keyId: 'CK1' as KeyId, owner, digest: digest('key') })
  made.say({ kind: 'issueMachineToken', keyId: 'CK1' as KeyId, token: digest('machine') })
  made.say({ kind: 'signIn', by: { userId: made.ann }, session: digest('s'), nowMs: 1, endsAtMs: 2 })
  return made
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
/** Beside the two pairs that one refresh token may yield. */
const third = (made: Office) => {
  const [, given] = [...made.state.tokenDigests.keys()]
  const { refresh } = made.refresh(given!)
  made.refresh(given!)
  token(made.state, { ...made.state.tokens.get(made.tokenId(refresh))! })
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
  ['a grant with neither', ({ state }) => state.codes.clear(), /has 0 tokens beside its code/],
  [
    'a grant whose tokens are forgotten',
    ({ state }) => grant(state, { tokens: [] }),
    /is missing in its grant/,
  ],
  ['a token twice', ({ state }) => grant(state, twice(state)), /has a token twice/],
  ['a grant for nothing', ({ state }) => grant(state, { paper: undefined } as never), /for no account/],
  ['a grant for a wrong kind', (made) => grant(made.state, { live: made.account('A') }), /wrong kind/],
  ['a grant for two users', (made) => grant(made.state, { live: made.account('N') }), /several users/],
  ['a grant of another', ({ state, bob }) => grant(state, { personId: bob }), /for another/],
  ['a closed account', (made) => close(made), /for a closed account/],
  ['a second code', ({ state }) => state.codes.set(digest('x'), [...state.codes.values()][1]!), /two codes/],
  ['codes in disorder', ({ state }) => swap(state.codes), /is listed before an older one/],
  ['a code of another app', ({ state }) => recode(state), /a code for \S+ is of none/],
  [
    'a token of no grant',
    ({ state }) => token(state, { grantId: none as GrantId }),
    /is missing in its grant/,
  ],
  ['a lost digest', ({ state }) => state.tokenDigests.clear(), /not found by its digest/],
  ['a digest too many', ({ state }) => state.tokenDigests.set(digest('x'), none as TokenId), /3 digests/],
  ['a third to refresh', (made) => third(made), /has 3 fresh refresh tokens/],
  ['a use without its time', ({ state }) => token(state, { refresh: 'used' }), /has no time of use/],
  ['a token that may more', ({ state }) => token(state, wider), /has more scopes than/],
  ['an end nobody waits for', ({ state }) => expire(state, unschedule), /is not on the agenda at its expiry/],
  ['an end that comes twice', ({ state }) => expire(state, schedule, 1n), /expires twice on the agenda/],
  ['a key that is gone', ({ state }) => state.keys.clear(), /has no partner's key/],
  ['a user without a name', ({ state }) => state.userNames.delete('ann'), /not found by name/],
  ['a name of another', ({ state, bob }) => state.userNames.set('ann', bob), /does not have it/],
  ['a session of nobody', ({ state, ann }) => state.users.delete(ann), /sessions of \S+, who does not exist/],
  [
    'an account of nobody',
    ({ state, bob }) => state.users.delete(bob),
    /account \S+ belongs to \S+, who does not exist/,
  ],
  ['a session of who is disabled', ({ state, ann }) => disable(state, ann), /who is disabled/],
  [
    'a session twice',
    ({ state }) => state.sessions.set(digest('x'), [...state.sessions.values()][0]!),
    /one id/,
  ],
] as readonly (readonly [string, (made: Office) => unknown, RegExp])[])
  test(`the audit notices ${what}`, () => {
    const made = office()
    tamper(made)
    const faults = faultsOf(made.state)
    assert.match(faults.join('; '), then)
    assert.ok(!/digest of/.test(faults.join()), 'a fault names no digest')
  })

const wider = { narrowed: { scopes: ['data'], scopeText: 'data' } } as const

function twice(state: State): Partial<Grant> {
  const { tokens } = [...state.grants.values()][0]!
  return { tokens: [...tokens, tokens[0]!] }
}

function close(made: Office): void {
  const account = made.state.accounts.get(made.account('A'))!
  made.state.accounts.set(account.id, { ...account, closedAt: 1n as Instant })
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
