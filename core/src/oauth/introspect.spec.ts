import assert from 'node:assert/strict'
import test from 'node:test'
import { found } from '../result.ts'
import { scopeTextOf } from './bearer.ts'
import { type Introspector, introspectingApp, validToken } from './introspect.ts'
import { clientIdFor, digest, Office } from './testing/oauth.ts'

const appCalled = (office: Office, name: string) =>
  found(office.state.apps.get(found(office.state.clientIds.get(clientIdFor(name)), name)), name)

for (const [who, asker, knows] of [
  ['its app', (office) => ({ kind: 'app', app: appCalled(office, 'one') }), true],
  ['another app', (office) => ({ kind: 'app', app: appCalled(office, 'two') }), false],
  ['the partner that owns its app', ({ partnerId }) => ({ kind: 'partner', partnerId }), true],
  ['a partner that may not use its app', ({ other }) => ({ kind: 'partner', partnerId: other }), false],
  ['an operator', () => ({ kind: 'operator' }), true],
] as readonly (readonly [string, (office: Office) => Introspector, boolean])[])
  test(`${who} ${knows ? 'is told' : 'is not told'} what a token is good for`, () => {
    const office = new Office()
    office.register('two')
    const token = office.token({ scope: 'trading' })
    const live = validToken(office.state, office.world.now, token, asker(office))
    assert.equal(live && scopeTextOf(live), knows ? 'trading' : undefined)
    if (live) assert.equal(live.grant.paper, office.account('A'))
  })

const scopeOf = (office: Office, token: Parameters<typeof validToken>[2]) => {
  const live = ask(office, token)
  return live && scopeTextOf(live)
}
const ask = ({ state, world }: Office, token: Parameters<typeof validToken>[2]) =>
  validToken(state, world.now, token, { kind: 'operator' })

test('what was narrowed, used, replayed or never issued is told as it is', () => {
  const office = new Office({ tokenSeconds: 60 })
  const first = office.exchange(office.authorize({ scope: 'account:write trading' }))
  assert.equal(ask(office, first.refresh)?.token.refresh, 'fresh')
  const next = office.refresh(first.refresh, { scope: 'trading' })
  assert.equal(scopeOf(office, next.token), 'trading')
  assert.equal(scopeOf(office, first.token), 'account:write trading')
  assert.equal(ask(office, first.refresh), undefined)
  assert.equal(ask(office, digest('nobodys')), undefined)
  office.refresh(first.refresh)
  assert.ok(ask(office, next.token))
  office.refresh(first.refresh)
  assert.equal(ask(office, next.token), undefined)
})

test('of an app that is disabled no token is good, whoever asks', () => {
  const office = new Office()
  const token = office.token()
  const { partnerId, clientId } = office
  for (const [status, isGood] of [
    ['disabled', false],
    ['active', true],
  ] as const) {
    office.say({ kind: 'changeAppStatus', partnerId, clientId, status })
    assert.equal(ask(office, token) !== undefined, isGood)
  }
})

for (const [when, secret, then] of [
  ['its secret', digest('secret of one'), true],
  ['a wrong one', digest('a guess'), false],
  ['none', undefined, false],
] as const)
  test(`an app that shows ${when} ${then ? 'acts' : 'does not act'} in its own name`, () => {
    const { state, world, clientId } = new Office()
    const shown = secret === undefined ? { clientId } : { clientId, secret }
    assert.equal(introspectingApp(state, world.now, shown).ok, then)
  })
