import assert from 'node:assert/strict'
import test from 'node:test'
import type { Digest } from '../ids.ts'
import { scopeTextOf } from './bearer.ts'
import type { RefreshToken } from './commands.ts'
import { validToken } from './introspect.ts'
import { GRANT_TOKENS_MAX, REFRESH_SECONDS } from './lifetimes.ts'
import { CHALLENGE, clientIdFor, digest, Office, type Patch } from './testing/oauth.ts'

/** An app whose tokens last a minute, and may be refreshed for five; it has exchanged a code. */
function begun(seconds = { tokenSeconds: 60, refreshSeconds: 300 }) {
  const office = new Office(seconds)
  return { office, ...office.exchange(office.authorize({ scope: 'account:write trading' })) }
}

test('a token that ends comes with one that gets the next', () => {
  const { office, said, token, refresh } = begun()
  assert.equal(said, 'codeExchanged')
  assert.equal(office.bearer(token), 'A account:write,trading')
  assert.equal(office.bearer(refresh), undefined)
  const next = office.refresh(refresh)
  assert.equal(next.said, 'tokenRefreshed')
  assert.equal(office.bearer(next.token), 'A account:write,trading')
  // The older one lasts to its own end: requests may be under way.
  assert.equal(office.bearer(token), 'A account:write,trading')
  assert.equal(office.refresh(next.refresh).said, 'tokenRefreshed')
})

test('who does not want to refresh gets a token that ends, and nothing else', () => {
  const office = new Office({ tokenSeconds: 60 })
  const { token } = office.exchange(office.authorize(), { refresh: undefined })
  assert.equal(office.state.tokens.size, 1)
  office.world.run('wait 60')
  assert.equal(office.bearer(token), undefined)
  assert.deepEqual(office.counts(), [0, 1, 0])
})

for (const [nanos, alive] of [
  [59_999_999_999n, true],
  [60_000_000_000n, false],
] as const)
  test(`a token of a minute, ${nanos} ns after it was issued, ${alive ? 'is good' : 'has ended'}`, () => {
    const { office, token } = begun()
    // Nobody has told the world yet that time has passed.
    office.world.now = (office.world.now + nanos) as never
    assert.equal(office.bearer(token) !== undefined, alive)
    assert.equal(live(office, token), alive)
  })

const live = (office: Office, token: Digest): boolean =>
  validToken(office.state, office.world.now, token, { kind: 'operator' }) !== undefined

for (const [nanos, then] of [
  [299_999_999_998n, 'tokenRefreshed'],
  [299_999_999_999n, 'oauthCodeInvalid'],
] as const)
  test(`a refresh ${nanos + 1n} ns after it was issued: ${then}`, () => {
    const { office, refresh } = begun()
    office.world.now = (office.world.now + nanos) as never
    assert.equal(office.refresh(refresh).said, then)
  })

test('what has ended is gone, and nothing is left on the agenda of it', () => {
  const { office } = begun()
  assert.equal(office.world.run('wait 59'), '')
  assert.equal(office.world.run('wait 1'), 'tokenExpired')
  assert.deepEqual(office.counts(), [1, 1, 1])
  assert.equal(office.world.run('wait 240'), 'tokenExpired')
  assert.deepEqual(office.counts(), [0, 1, 0])
  assert.equal(office.world.run('wait 3600'), '')
})

const two = { clientId: clientIdFor('two'), secret: digest('secret of two') }
for (const [when, patch, then] of [
  ['the secret is wrong', { secret: digest('guess'), scope: 'x' }, 'oauthClientRefused'],
  ['the app is unknown', { clientId: '1'.repeat(32), scope: 'x' }, 'oauthClientRefused'],
  ['another app shows it', { ...two, scope: 'x' }, 'oauthCodeInvalid'],
  ['it is made up', { current: digest('made up'), scope: 'x' }, 'oauthCodeInvalid'],
  ['more is asked for than was allowed', { scope: 'trading data' }, 'oauthScopeInvalid'],
  ['a scope is unknown', { scope: 'everything' }, 'oauthScopeInvalid'],
] as readonly (readonly [string, Patch<RefreshToken>, string])[])
  test(`a refresh when ${when}: ${then}, and it still serves`, () => {
    const { office, refresh } = begun()
    office.register('two', { tokenSeconds: 60 })
    assert.equal(office.refresh(refresh, patch).said, then)
    assert.equal(office.refresh(refresh).said, 'tokenRefreshed')
  })

test('an access token gets no other', () => {
  const { office, token } = begun()
  assert.equal(office.refresh(token).said, 'oauthCodeInvalid')
  assert.equal(office.bearer(token), 'A account:write,trading')
})

for (const [scope, then, text] of [
  [undefined, 'A account:write,trading', 'account:write trading'],
  ['account:write trading', 'A account:write,trading', 'account:write trading'],
  ['trading account:write', 'A trading,account:write', 'trading account:write'],
  ['trading', 'A trading', 'trading'],
  ['general', 'A', 'general'],
  ['', 'A', ''],
] as const)
  test(`a refresh for "${scope}" speaks for "${then}", and the next for all again`, () => {
    const { office, refresh } = begun()
    const less = office.refresh(refresh, { scope })
    assert.equal(office.bearer(less.token), then)
    const told = validToken(office.state, office.world.now, less.token, { kind: 'operator' })
    assert.equal(told && scopeTextOf(told), text)
    assert.equal(office.bearer(office.refresh(less.refresh).token), 'A account:write,trading')
  })

const after = (office: Office, nanos: bigint) => {
  office.world.now = (office.world.now + nanos) as never
}
const IN_TIME = 9_999_999_998n
const TOO_LATE = 9_999_999_999n

test('the previous refresh token yields one more pair within ten seconds, and no third', () => {
  const { office, token, refresh } = begun()
  const first = office.refresh(refresh)
  after(office, IN_TIME)
  const second = office.refresh(refresh)
  assert.equal(second.said, 'tokenRefreshed')
  for (const one of [token, first.token, second.token]) assert.ok(office.bearer(one))
  assert.ok(live(office, first.refresh) && live(office, second.refresh) && !live(office, refresh))
  assert.equal(office.refresh(refresh).said, 'refreshReplayed')
  for (const one of [token, first.token, second.token]) assert.equal(office.bearer(one), undefined)
  assert.deepEqual(office.counts(), [0, 1, 0])
})

test('a refresh token that is reused after ten seconds revokes everything', () => {
  const { office, token, refresh } = begun()
  const next = office.refresh(refresh)
  after(office, TOO_LATE)
  assert.equal(office.refresh(refresh).said, 'refreshReplayed')
  for (const one of [token, next.token]) assert.equal(office.bearer(one), undefined)
  assert.equal(office.refresh(next.refresh).said, 'oauthCodeInvalid')
  assert.equal(office.refresh(refresh).said, 'oauthCodeInvalid')
  assert.deepEqual(office.counts(), [0, 1, 0])
})

test('a refresh token before the previous one revokes everything at once', () => {
  const { office, refresh } = begun()
  const next = office.refresh(refresh)
  assert.equal(office.refresh(next.refresh).said, 'tokenRefreshed')
  assert.equal(office.refresh(refresh).said, 'refreshReplayed')
})

for (const [when, nanos, then] of [
  ['in time', IN_TIME, 'tokenRefreshed'],
  ['too late', TOO_LATE, 'refreshReplayed'],
] as const)
  test(`of two pairs of one refresh token the second is refreshed ${when} after the first: ${then}`, () => {
    const { office, refresh } = begun()
    const pairs = [office.refresh(refresh), office.refresh(refresh)] as const
    after(office, 30_000_000_000n)
    const next = office.refresh(pairs[0].refresh)
    assert.equal(next.said, 'tokenRefreshed')
    assert.ok(!live(office, pairs[1].refresh))
    after(office, nanos)
    const other = office.refresh(pairs[1].refresh)
    assert.equal(other.said, then)
    assert.equal(live(office, next.refresh) && live(office, other.refresh), then === 'tokenRefreshed')
    // Whichever it was, the two together have had their one more pair.
    assert.notEqual(office.refresh(pairs[0].refresh).said, 'tokenRefreshed')
  })

test('the one more pair is narrowed, refused and bound like the first', () => {
  const { office, token, refresh } = begun()
  office.register('two', { tokenSeconds: 60 })
  office.refresh(refresh)
  assert.equal(office.refresh(refresh, two).said, 'oauthCodeInvalid')
  assert.equal(office.refresh(refresh, { scope: 'data' }).said, 'oauthScopeInvalid')
  office.disable(office.ann)
  assert.equal(office.refresh(refresh).said, 'oauthCodeInvalid')
  office.disable(office.ann, false)
  assert.equal(office.bearer(office.refresh(refresh, { scope: 'trading' }).token), 'A trading')
  assert.ok(office.bearer(token))
})

test('another app, or a stranger, ends nothing with a token that has served', () => {
  const { office, refresh } = begun()
  office.register('two', { tokenSeconds: 60 })
  const next = office.refresh(refresh)
  assert.equal(office.refresh(refresh, two).said, 'oauthCodeInvalid')
  assert.equal(office.refresh(refresh, { secret: digest('guess') }).said, 'oauthClientRefused')
  assert.ok(office.bearer(next.token))
})

test('of fifty refreshes with one token exactly two yield another', () => {
  const { office, refresh } = begun()
  const said = Array.from({ length: 50 }, () => office.refresh(refresh).said)
  assert.equal(said.filter((one) => one === 'tokenRefreshed').length, 2)
})

test('an app that refreshes again and again keeps so many tokens; the latest work, one just used is known', () => {
  const { office, token, refresh } = begun({ tokenSeconds: 1000, refreshSeconds: 1000 })
  let last = { said: '', token, refresh }
  let before = last
  for (let round = 0; round < 3 * GRANT_TOKENS_MAX; round++) {
    before = last
    last = office.refresh(last.refresh)
    assert.equal(last.said, 'tokenRefreshed')
  }
  assert.equal(office.state.tokens.size, GRANT_TOKENS_MAX)
  assert.equal(office.bearer(token), undefined)
  assert.ok(office.bearer(last.token) && office.bearer(before.token))
  // One that was forgotten is as good as made up.
  assert.equal(office.refresh(refresh).said, 'oauthCodeInvalid')
  after(office, TOO_LATE)
  assert.equal(office.refresh(before.refresh).said, 'refreshReplayed')
  assert.equal(office.state.tokens.size, 0)
})

test('whoever loses old tokens by it is told which', () => {
  const { office, refresh } = begun({ tokenSeconds: 1000, refreshSeconds: 1000 })
  const [first, second] = [...office.state.tokens.keys()]
  let last = refresh
  for (let round = 0; round < GRANT_TOKENS_MAX / 2; round++) last = office.refresh(last).refresh
  const event = office.world.events.at(-1)
  assert.deepEqual(event?.kind === 'tokenRefreshed' && event.dropped, [first, second])
})

test('a public app refreshes without a secret', () => {
  const office = new Office({ isPublic: true, tokenSeconds: 60 })
  const { code } = office.consent({ challenge: CHALLENGE })
  const { refresh } = office.exchange(code, { challenge: CHALLENGE, secret: undefined })
  assert.equal(office.refresh(refresh).said, 'oauthClientRefused')
  assert.equal(office.refresh(refresh, { secret: undefined }).said, 'tokenRefreshed')
})

test('an app whose tokens last from now on gets one that lasts, and nothing to refresh it', () => {
  const { office, refresh } = begun()
  const { partnerId, clientId } = office
  office.say({ kind: 'changeApp', partnerId, clientId, change: { cleared: ['tokenSeconds'] } })
  const next = office.refresh(refresh)
  assert.equal(next.said, 'tokenRefreshed')
  assert.equal(office.state.tokenDigests.has(next.refresh), false)
  office.world.run('wait 100000')
  assert.equal(office.bearer(next.token), 'A account:write,trading')
  assert.equal(office.state.tokens.size, 1)
})

for (const [when, end, then] of [
  ['the app is disabled', (office) => appStatus(office, 'disabled'), 'oauthClientRefused'],
  ['the user is disabled', ({ ann }) => disabled(ann, true), 'oauthCodeInvalid'],
] as readonly (readonly [string, (office: Office) => Parameters<Office['say']>[0], string])[])
  test(`while ${when} nothing is refreshed, and nothing is lost by it`, () => {
    const { office, token, refresh } = begun()
    office.say(end(office))
    assert.equal(office.refresh(refresh).said, then)
    assert.equal(office.bearer(token), undefined)
    assert.equal(live(office, token) || live(office, refresh), false)
    office.say(appStatus(office, 'active'))
    office.say(disabled(office.ann, false))
    assert.ok(office.bearer(token) && live(office, refresh))
    assert.equal(office.refresh(refresh).said, 'tokenRefreshed')
  })

const disabled = (userId: Office['ann'], is: boolean) =>
  ({ kind: 'changeUser', userId, disabled: is }) as const
const appStatus = ({ partnerId, clientId }: Office, status: 'active' | 'disabled') =>
  ({ kind: 'changeAppStatus', partnerId, clientId, status }) as const

test('where the app does not say how long, a refresh token lasts thirty days', () => {
  const office = new Office({ tokenSeconds: 60 })
  const { refresh } = office.exchange(office.authorize())
  const { expiresAt, createdAt } = office.state.tokens.get(office.tokenId(refresh))!
  assert.equal(expiresAt! - createdAt, BigInt(REFRESH_SECONDS) * 1_000_000_000n)
})
