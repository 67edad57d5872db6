import assert from 'node:assert/strict'
import test from 'node:test'
import { found } from '../result.ts'
import { type Introspector, introspectingApp, scopeTextOf, validToken } from './bearer.ts'
import { clientIdFor, digest, OAuthFixture } from './testing/oauth.ts'

const appNamed = (fixture: OAuthFixture, name: string) =>
  found(fixture.state.apps.get(found(fixture.state.clientIds.get(clientIdFor(name)), name)), name)

for (const [who, caller, isVisible] of [
  ['its app', (fixture) => ({ kind: 'app', app: appNamed(fixture, 'one') }), true],
  ['another app', (fixture) => ({ kind: 'app', app: appNamed(fixture, 'two') }), false],
  ['the partner that owns its app', ({ partnerId }) => ({ kind: 'partner', partnerId }), true],
  ['a partner that may not use its app', ({ other }) => ({ kind: 'partner', partnerId: other }), false],
  ['an operator', () => ({ kind: 'operator' }), true],
] as readonly (readonly [string, (fixture: OAuthFixture) => Introspector, boolean])[])
  test(`${who} ${isVisible ? 'sees' : 'does not see'} the scope of a token`, () => {
    const fixture = new OAuthFixture()
    fixture.register('two')
    const token = fixture.token({ scope: 'trading' })
    const live = validToken(fixture.state, fixture.world.now, token, caller(fixture))
    assert.equal(live && scopeTextOf(live), isVisible ? 'trading' : undefined)
    if (live) assert.equal(live.grant.paper, fixture.account('A'))
  })

const scopeOf = (fixture: OAuthFixture, token: Parameters<typeof validToken>[2]) => {
  const live = introspect(fixture, token)
  return live && scopeTextOf(live)
}
const introspect = ({ state, world }: OAuthFixture, token: Parameters<typeof validToken>[2]) =>
  validToken(state, world.now, token, { kind: 'operator' })

test('introspection of narrowed, used, replayed and unknown tokens', () => {
  const fixture = new OAuthFixture({ tokenSeconds: 60 })
  const first = fixture.exchange(fixture.authorize({ scope: 'account:write trading' }))
  assert.equal(introspect(fixture, first.refresh)?.token.refresh, 'fresh')
  const next = fixture.refresh(first.refresh, { scope: 'trading' })
  assert.equal(scopeOf(fixture, next.token), 'trading')
  assert.equal(scopeOf(fixture, first.token), 'account:write trading')
  assert.equal(introspect(fixture, first.refresh), undefined)
  assert.equal(introspect(fixture, digest('unknown')), undefined)
  fixture.refresh(first.refresh)
  assert.ok(introspect(fixture, next.token))
  fixture.refresh(first.refresh)
  assert.equal(introspect(fixture, next.token), undefined)
})

test('no token of a disabled app is valid', () => {
  const fixture = new OAuthFixture()
  const token = fixture.token()
  const { partnerId, clientId } = fixture
  for (const [status, isGood] of [
    ['disabled', false],
    ['active', true],
  ] as const) {
    fixture.submit({ kind: 'changeAppStatus', partnerId, clientId, status })
    assert.equal(introspect(fixture, token) !== undefined, isGood)
  }
})

for (const [when, secret, then] of [
  ['its secret', digest('secret of one'), true],
  ['a wrong secret', digest('a guess'), false],
  ['no secret', undefined, false],
] as const)
  test(`an app that sends ${when} ${then ? 'may' : 'may not'} introspect`, () => {
    const { state, world, clientId } = new OAuthFixture()
    const credentials = secret === undefined ? { clientId } : { clientId, secret }
    assert.equal(introspectingApp(state, world.now, credentials).ok, then)
  })
