import assert from 'node:assert/strict'
import test from 'node:test'
import { decide } from '../decide.ts'
import type { ClientId, Digest, PartnerId, TokenId } from '../ids.ts'
import { Teller } from '../testing.ts'
import type { Instant } from '../time.ts'
import { bearerOf } from './bearer.ts'
import { showApp, steps } from './checks.ts'
import type { PartnerAsk } from './commands.ts'
import { parseScope } from './scopes.ts'

const digest = (text: string): Digest => `digest of ${text}` as Digest

/** A world with two partners, an account of each, and an app of the first. */
function world() {
  const teller = new Teller()
  teller.tell('open A 1000')
  teller.tell('open L 1000 live')
  teller.submit({ kind: 'addPartner', name: 'another' })
  const [partnerId, other] = [...teller.state.partners.keys()] as [PartnerId, PartnerId]
  teller.submit({ kind: 'openAccount', flavour: 'paper', partnerId: other, cash: 0n as never })
  const foreign = [...teller.state.accounts.keys()].at(-1)!
  const app = (name: string): ClientId => {
    const clientId = name.padEnd(32, '0').replaceAll(/[^0-9a-f]/g, 'f') as ClientId
    teller.submit({
      kind: 'registerApp',
      clientId,
      owner: partnerId,
      name,
      description: 'an app',
      url: 'https://app.example',
      termsOfUse: '',
      privacyPolicy: '',
      redirectUris: ['http://localhost', 'https://app.example/back'],
      scopes: ['account:write', 'trading'],
      liveTradingApproved: false,
      secret: digest(`secret of ${name}`),
    })
    return clientId
  }
  const clientId = app('one')
  const ask: PartnerAsk = {
    partnerId,
    clientId,
    secret: digest('secret of one'),
    redirectUri: 'http://localhost',
    scope: 'trading',
    accountId: teller.accounts.get('A')!,
  }
  let count = 0
  const authorize = (patch: Partial<PartnerAsk> = {}): Digest => {
    const code = digest(`code ${count++}`)
    assert.ok(teller.submit({ kind: 'authorizeApp', ...ask, ...patch, code }).ok)
    return code
  }
  const exchange = (code: Digest, patch: Partial<PartnerAsk> = {}) => {
    const { secret, redirectUri } = ask
    const token = digest(`token ${count++}`)
    const command = { kind: 'exchangeCode', clientId, secret, redirectUri, ...patch, code, token } as const
    const decision = teller.submit(command as never)
    return { said: decision.ok ? decision.value.map(({ kind }) => kind).join() : decision.reason.code, token }
  }
  return { teller, state: teller.state, partnerId, other, foreign, app, clientId, ask, authorize, exchange }
}

type Given = { partnerId: PartnerId; other: PartnerId; foreign: string; clientId: ClientId }
type Patch = { readonly [Field in keyof PartnerAsk]?: PartnerAsk[Field] | undefined }

// Each row is wrong in one thing and in everything checked after it: only the order of the steps tells them apart.
const wrong = { redirectUri: 'http://localhost/', scope: 'everything', accountId: 'nobody' }
for (const [when, patch, then] of [
  ['all is right', () => ({}), undefined],
  ['the id is written as a uuid', ({ clientId }) => ({ clientId: spelled(clientId) }), undefined],
  ['the scope is the alias', () => ({ scope: 'general' }), undefined],
  ['no more than reading is asked for', () => ({ scope: '' }), undefined],
  ['two scopes are asked for', () => ({ scope: 'account:write trading' }), undefined],
  ['the other redirect URI is named', () => ({ redirectUri: 'https://app.example/back' }), undefined],
  ['no app is named', () => ({ clientId: undefined, ...wrong }), 'oauthClientRefused'],
  ['the id is no id', () => ({ clientId: 'zz', ...wrong }), 'oauthClientRefused'],
  ['the app is unknown', () => ({ clientId: '0'.repeat(32), ...wrong }), 'oauthClientRefused'],
  ["the app is not the caller's", ({ other }) => ({ partnerId: other, ...wrong }), 'oauthClientRefused'],
  ['the secret is wrong', () => ({ secret: digest('guess'), ...wrong }), 'oauthClientRefused'],
  ['the secret is missing', () => ({ secret: undefined, ...wrong }), 'oauthClientRefused'],
  ['the redirect URI has a slash more', () => wrong, 'oauthRedirectUriInvalid'],
  ['the redirect URI is missing', () => ({ ...wrong, redirectUri: undefined }), 'oauthRedirectUriInvalid'],
  ['the scope is unknown', () => ({ ...wrong, redirectUri: 'http://localhost' }), 'oauthScopeInvalid'],
  ['the scope is missing', () => ({ scope: undefined, accountId: 'nobody' }), 'oauthScopeInvalid'],
  ['the app may not ask for the scope', () => ({ scope: 'trading data' }), 'oauthScopeInvalid'],
  ['the account is unknown', () => ({ accountId: 'nobody' }), 'oauthAccountInvalid'],
  ['the account is missing', () => ({ accountId: undefined }), 'oauthAccountInvalid'],
  ["the account is another partner's", ({ foreign }) => ({ accountId: foreign }), 'oauthAccountInvalid'],
] as readonly (readonly [string, (given: Given) => Patch, string | undefined])[])
  for (const kind of ['authorizeApp', 'issueToken'] as const)
    test(`${kind} when ${when}: ${then ?? 'granted'}`, () => {
      const given = world()
      const { seq } = given.state
      const secrets = { code: digest('c'), token: digest('t') }
      const decision = given.teller.submit({ kind, ...given.ask, ...patch(given), ...secrets } as never)
      assert.equal(decision.ok ? undefined : decision.reason.code, then)
      assert.equal(given.state.seq, then ? seq : seq + 1)
    })

const spelled = (id: string): string =>
  id.toUpperCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

test('whoever may be granted something passes the same steps, in the same order', () => {
  assert.deepEqual(steps.authorizeApp.slice(0, -1), steps.issueToken.slice(0, -1))
  assert.deepEqual([steps.authorizeApp.at(-1), steps.issueToken.at(-1)], ['challenge', 'direct'])
})

test('an app is shown to its partners, disabled or not, and to nobody else', () => {
  const { teller, state, partnerId, other, clientId } = world()
  teller.submit({ kind: 'changeAppStatus', partnerId, clientId, status: 'disabled' })
  const shown = showApp(state, { partnerId, clientId })
  assert.equal(shown.ok && shown.value.status, 'disabled')
  assert.deepEqual(
    showApp(state, { partnerId: other, clientId }),
    showApp(state, { partnerId, clientId: '0' }),
  )
})

test('only its owner disables an app', () => {
  const { teller, other, clientId } = world()
  const decision = teller.submit({ kind: 'changeAppStatus', partnerId: other, clientId, status: 'disabled' })
  assert.equal(!decision.ok && decision.reason.code, 'oauthClientRefused')
})

test('a code becomes a token that speaks for the account', () => {
  const { state, authorize, exchange, ask, clientId } = world()
  const { said, token } = exchange(authorize({ scope: 'trading general' }))
  assert.equal(said, 'codeExchanged')
  const bearer = bearerOf(state, token, state.lastAt)
  assert.equal(bearer?.grant.paper, ask.accountId)
  assert.equal(bearer?.grant.live, undefined)
  assert.equal(bearer?.app.clientId, clientId)
  assert.deepEqual(bearer?.grant.scopes, ['trading'])
  assert.equal(bearer?.grant.scopeText, 'trading general')
})

test('a token for a live account speaks for that side', () => {
  const { teller, state, authorize, exchange } = world()
  const accountId = teller.accounts.get('L')!
  const bearer = bearerOf(state, exchange(authorize({ accountId })).token, state.lastAt)
  assert.equal(bearer?.grant.live, accountId)
  assert.equal(bearer?.grant.paper, undefined)
})

for (const [when, patch, then] of [
  ['the secret is wrong', () => ({ secret: digest('guess') }), 'oauthClientRefused'],
  ['the app is unknown', () => ({ clientId: '1'.repeat(32) }), 'oauthClientRefused'],
  [
    'the redirect URI is another of the app',
    () => ({ redirectUri: 'https://app.example/back' }),
    'oauthCodeInvalid',
  ],
  ['the redirect URI is missing', () => ({ redirectUri: undefined }), 'oauthCodeInvalid'],
  [
    'another app shows the code',
    ({ app }) => ({ clientId: app('two'), secret: digest('secret of two') }),
    'oauthCodeInvalid',
  ],
] as readonly (readonly [string, (given: ReturnType<typeof world>) => Patch, string])[])
  test(`an exchange when ${when}: ${then}, and the code still serves its app`, () => {
    const given = world()
    const code = given.authorize()
    assert.equal(given.exchange(code, patch(given) as Partial<PartnerAsk>).said, then)
    assert.equal(given.exchange(code).said, 'codeExchanged')
  })

test('an unknown code is refused', () => {
  assert.equal(world().exchange(digest('made up')).said, 'oauthCodeInvalid')
})

for (const [seconds, then] of [
  [59, 'codeExchanged'],
  [60, 'oauthCodeInvalid'],
] as const)
  test(`after ${seconds} s: ${then}`, () => {
    const { teller, authorize, exchange } = world()
    const code = authorize()
    teller.tell(`wait ${seconds}`)
    assert.equal(exchange(code).said, then)
  })

test('a code that comes again takes its token back, once', () => {
  const { state, authorize, exchange } = world()
  const code = authorize()
  const { token } = exchange(code)
  assert.ok(bearerOf(state, token, state.lastAt))
  assert.equal(exchange(code).said, 'codeReplayed')
  assert.equal(bearerOf(state, token, state.lastAt), undefined)
  assert.equal(exchange(code).said, 'oauthCodeInvalid')
  assert.equal(state.grants.size, 0)
})

test('of fifty exchanges of one code exactly one yields a token', () => {
  const { authorize, exchange } = world()
  const code = authorize()
  const said = Array.from({ length: 50 }, () => exchange(code).said)
  assert.equal(said.filter((one) => one === 'codeExchanged').length, 1)
})

test('a disabled app gets nothing, and its tokens are silent until it is enabled', () => {
  const { teller, state, partnerId, clientId, ask, authorize, exchange } = world()
  const { token } = exchange(authorize())
  const code = authorize()
  teller.submit({ kind: 'changeAppStatus', partnerId, clientId, status: 'disabled' })
  assert.equal(bearerOf(state, token, state.lastAt), undefined)
  assert.equal(exchange(code).said, 'oauthClientRefused')
  const decision = teller.submit({ kind: 'issueToken', ...ask, token: digest('t') })
  assert.equal(!decision.ok && decision.reason.code, 'oauthClientRefused')
  teller.submit({ kind: 'changeAppStatus', partnerId, clientId, status: 'active' })
  assert.ok(bearerOf(state, token, state.lastAt))
})

test('a revoked token is gone, and only a partner of its app can revoke it', () => {
  const { teller, state, partnerId, other, ask } = world()
  teller.submit({ kind: 'issueToken', ...ask, token: digest('t') })
  const tokenId = state.tokenDigests.get(digest('t'))!
  const asOther = teller.submit({ kind: 'revokeToken', partnerId: other, tokenId })
  assert.deepEqual(asOther.ok && asOther.value, [])
  assert.ok(bearerOf(state, digest('t'), state.lastAt))
  teller.submit({ kind: 'revokeToken', partnerId, tokenId })
  assert.equal(bearerOf(state, digest('t'), state.lastAt), undefined)
  assert.equal(state.tokens.size + state.grants.size, 0)
  const again = teller.submit({ kind: 'revokeToken', partnerId, tokenId: tokenId as TokenId })
  assert.deepEqual(again.ok && again.value, [])
})

test('codes nobody used do not pile up, and grants with them', () => {
  const { teller, state, authorize } = world()
  for (let round = 0; round < 10; round++) {
    authorize()
    authorize()
    teller.tell('wait 330')
  }
  assert.ok(state.codes.size <= 6, `${state.codes.size} codes`)
  assert.equal(state.grants.size, state.codes.size)
})

test('an exchanged code that is let go leaves its token alone', () => {
  const { teller, state, authorize, exchange } = world()
  const { token } = exchange(authorize())
  teller.tell('wait 661')
  authorize()
  assert.equal(state.codes.size, 1)
  assert.ok(bearerOf(state, token, state.lastAt))
})

test('client ids, secrets, codes and tokens stand in the sealed part of events alone', () => {
  const { teller, clientId, authorize, exchange } = world()
  exchange(authorize())
  const written = JSON.stringify(
    teller.events.map((event) => ({ ...event, sealed: undefined })),
    (_, value) => (typeof value === 'bigint' ? String(value) : value),
  )
  assert.ok(!written.includes('digest of') && !written.includes(clientId))
})

test('a partner that is unknown registers nothing', () => {
  const { teller, state } = world()
  const [app] = state.apps.values()
  const moment = { at: teller.now as Instant, prices: {} as never, asset: () => undefined, id: () => '' }
  const decision = decide(state, moment, {
    ...app!,
    kind: 'registerApp',
    clientId: 'c' as ClientId,
    owner: 'nobody' as PartnerId,
    secret: digest('x'),
  })
  assert.equal(!decision.ok && decision.reason.code, 'partnerNotFound')
})

for (const [text, then] of [
  ['', ''],
  ['general', ''],
  ['trading', 'trading'],
  ['data trading data', 'data,trading'],
  ['tokenization', 'tokenization'],
  ['general data', 'data'],
  ['Trading', 'unknownScope'],
  ['trading,data', 'unknownScope'],
  ['constructor', 'unknownScope'],
] as const)
  test(`the scope "${text}" is ${then || 'reading only'}`, () => {
    const parsed = parseScope(text)
    assert.equal(parsed.ok ? parsed.value.join() : parsed.reason, then)
  })
