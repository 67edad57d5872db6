import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { KeyPair } from '@quipu/broker/access/issue-keys.ts'
import { auditFaults } from '@quipu/core'
import { listedTokens, urlsOf } from './testing/external-issuer.ts'
import { addIssuer, type IssuerSide, link, openTokenStage, plainMint } from './testing/issuers.ts'

const stage = await openTokenStage({ after })
const { accountId, otherId, externalIssuer, world, operatorKey, partnerKey, st0x, ondo } = stage
const sim = '/sim/v1/worlds/lab/tokenization'
const operator = (route: string, body?: unknown) => stage.as(operatorKey, route, { body })
const urls = urlsOf(externalIssuer)
const linkOf = async (id: string, issuer: string) =>
  (await operator(`GET ${sim}/links`)).body.find(
    (one: { account_id: string; issuer: string }) => one.account_id === id && one.issuer === issuer,
  )

test('a new issuer has an account, a key, and an API key or a signing key for calls', async () => {
  const byKey = st0x.made.body
  assert.deepEqual([byKey.mode, byKey.auth, 'public_key' in byKey], ['external', 'api_key', false])
  assert.ok(!JSON.stringify(byKey).includes('the key'), 'the API key is not returned')
  assert.deepEqual(byKey.tokens, listedTokens)
  const signed = ondo.made.body
  assert.equal(signed.auth, 'signature')
  assert.match(signed.public_key, /^-----BEGIN PUBLIC KEY-----\n/)
  assert.match(signed.signing_key_id, /^quipu-issuer-\d{4}-\d\d-[0-9a-f]{8}$/)
  assert.equal(ondo.made.headers.get('cache-control'), 'no-store')
  const all = (await operator(`GET ${sim}/issuers`)).body
  assert.deepEqual(
    all.map(({ issuer, mode }: { issuer: string; mode: string }) => [issuer, mode]),
    [
      ['xstocks', 'builtin'],
      ['st0x', 'external'],
      ['ondo', 'external'],
    ],
  )
  assert.ok(!/secret|private/i.test(JSON.stringify(all)))
})

const readBy = async ({ key }: IssuerSide) =>
  (await stage.as(key, `GET /v1/accounts/${ondo.accountId}/tokenization/requests`)).status
const keyOf = async ({ keyId }: KeyPair) =>
  (await operator('GET /sim/v1/worlds/lab/keys')).body.find((one: { key_id: string }) => one.key_id === keyId)

test('registering an issuer again keeps account and links; its earlier keys end after the grace period', async () => {
  assert.equal((await keyOf(ondo.key)).issuer, 'ondo')
  const again = await addIssuer(stage, { issuer: 'ondo', api_key: 'k2', ...urls, name: 'Ondo' })
  assert.equal(again.accountId, ondo.accountId)
  assert.deepEqual([again.made.body.auth, again.made.body.name], ['api_key', 'Ondo'])
  assert.equal((await linkOf(accountId, 'ondo')).state, 'linked')
  assert.deepEqual([await readBy(ondo), await readBy(again)], [401, 200])
  const third = await addIssuer(stage, { issuer: 'ondo', api_key: 'k2', ...urls, grace_seconds: 60 })
  assert.ok((await keyOf(again.key)).expires_at)
  assert.deepEqual([await readBy(again), await readBy(third)], [200, 200])
  // A later registration does not extend the grace period of older keys.
  const last = await addIssuer(stage, { issuer: 'ondo', api_key: 'k2', ...urls, grace_seconds: 3600 })
  await stage.advance(61)
  assert.deepEqual([await readBy(again), await readBy(third), await readBy(last)], [401, 200, 200])
  assert.deepEqual(auditFaults(world.view), [])
})

test('a built-in issuer can be restored', async () => {
  const mode = async () => {
    const { body } = await operator(`GET ${sim}/issuers`)
    return body.find((one: { issuer: string }) => one.issuer === 'xstocks').mode
  }
  const before = (await operator(`GET ${sim}/issuers`)).body[0]
  const replaced = await addIssuer(stage, { issuer: 'xstocks', api_key: 'k', ...urls })
  assert.equal(await mode(), 'external')
  const restored = await operator(`POST ${sim}/issuers/xstocks/restore`)
  assert.deepEqual([restored.status, restored.body], [200, before])
  const route = `GET /v1/accounts/${replaced.accountId}/tokenization/requests`
  assert.equal((await stage.as(replaced.key, route)).status, 401)
  await link(stage, { account_id: accountId, issuer: 'xstocks' })
  const minted = await stage.mint({ issuer: 'xstocks', qty: '0.1' })
  await world.commands.quiet()
  const requests = await operator(`GET ${sim}/requests?status=all&limit=1`)
  assert.deepEqual([minted.status, requests.body[0].status], [200, 'completed'])
})

test('an issuer may have any name; an unregistered name is 422', async () => {
  const acme = await addIssuer(stage, { issuer: 'Acme.Tokens-2', api_key: 'k', ...urls })
  await link(stage, { account_id: accountId, issuer: 'Acme.Tokens-2' })
  const { status, body } = await stage.mint({ issuer: 'Acme.Tokens-2', qty: '0.5' })
  assert.deepEqual([status, body.issuer], [200, 'Acme.Tokens-2'])
  const route = `GET /v1/accounts/${acme.accountId}/tokenization/requests?issuer=`
  assert.equal((await stage.as(acme.key, `${route}Acme.Tokens-2`)).body.length, 1)
  for (const refused of [
    await stage.mint({ issuer: 'acme.tokens-2' }),
    await stage.as(acme.key, `${route}acme.tokens-2`),
  ])
    assert.deepEqual([refused.status, refused.body.message], [422, 'invalid issuer'])
})

test('a refresh reads the tokens of an issuer again; a removed token cannot be minted', async () => {
  externalIssuer.respond = ({ route }) =>
    route === 'GET /tokens' ? { status: 200, body: { tokens: listedTokens.slice(0, 1) } } : undefined
  const { status, body } = await operator(`POST ${sim}/issuers/st0x/tokens`)
  assert.deepEqual([status, body.tokens], [200, listedTokens.slice(0, 1)])
  externalIssuer.respond = () => undefined
  assert.equal((await stage.mint({ underlying_symbol: 'MSFT' })).status, 422)
  const again = await operator(`POST ${sim}/issuers/st0x/tokens`)
  assert.deepEqual(again.body.tokens, listedTokens, JSON.stringify(again.body))
})

for (const [when, response] of [
  ['a server error', { status: 500 }],
  ['a refusal', { status: 401, body: { error: 'who are you' } }],
  ['no JSON', { status: 200, body: 'tokens' }],
  ['no list', { status: 200, body: { tokens: {} } }],
  ['a token without a name', { status: 200, body: { tokens: [{ underlying: 'AAPL', networks: [] }] } }],
  ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }],
] as const)
  test(`an issuer whose token list is ${when} is not registered`, async () => {
    externalIssuer.respond = () => response
    const { seq } = world.view
    const made = await operator(`POST ${sim}/issuers`, { issuer: 'coinbase', api_key: 'k', ...urls })
    externalIssuer.respond = () => undefined
    assert.deepEqual([made.status, made.body.code, world.view.seq], [422, 42210001, seq])
    assert.match(made.body.message, /^coinbase did not return its tokens: /)
  })

test('unknown networks in the token list of an issuer are ignored', async () => {
  externalIssuer.respond = ({ route }) =>
    route === 'GET /tokens'
      ? {
          status: 200,
          body: { tokens: [{ underlying: 'AAPL', token: 'bAAPL', networks: ['base', 'polygon'] }] },
        }
      : undefined
  const { made } = await addIssuer(stage, { issuer: 'binance', api_key: 'k', ...urls })
  externalIssuer.respond = () => undefined
  assert.deepEqual(made.body.tokens, [{ underlying: 'AAPL', token: 'bAAPL', networks: ['base'] }])
})

test('a handshake sends e-mail and account number; the external id of the issuer then names the account', async () => {
  const requested = await link(stage, { account_id: otherId, issuer: 'ondo', email: 'ap@example.org' })
  assert.deepEqual([requested.body.kind, requested.body.state], ['handshake', 'asked'])
  await world.commands.quiet()
  const { number } = world.view.accounts.get(otherId)!
  const { route, body } = externalIssuer.requests.at(-1)!
  assert.deepEqual(
    [route, body],
    ['POST /connect', { email: 'ap@example.org', client_account_number: number, account: number }],
  )
  assert.deepEqual(await linkOf(otherId, 'ondo'), {
    account_id: otherId,
    issuer: 'ondo',
    kind: 'handshake',
    state: 'linked',
    email: 'ap@example.org',
    external_id: 'of ap@example.org',
  })
})

test('an older issuer returns client_id; a refused handshake does not link the account', async () => {
  const account = otherId
  externalIssuer.respond = ({ route }) =>
    route === 'POST /connect' ? { status: 200, body: { client_id: 'older' } } : undefined
  await link(stage, { account_id: account, issuer: 'st0x', email: 'ap@example.org' })
  await world.commands.quiet()
  assert.equal((await linkOf(account, 'st0x')).external_id, 'older')
  externalIssuer.respond = () => ({ status: 404, body: { error: 'email unknown' } })
  await link(stage, { account_id: account, issuer: 'st0x', email: 'nobody@example.org' })
  await world.commands.quiet()
  externalIssuer.respond = () => undefined
  const refused = await linkOf(account, 'st0x')
  assert.deepEqual([refused.state, refused.reason], ['refused', 'email unknown'])
  const route = `POST /v1/accounts/${account}/tokenization/mint`
  assert.equal((await stage.as(partnerKey, route, { body: plainMint })).status, 400)
})

test('an unlinked account cannot mint; pending mints still complete', async () => {
  const { body: made } = await stage.mint({ qty: '1' })
  await world.commands.quiet()
  assert.equal((await operator(`DELETE ${sim}/links/${accountId}/st0x`)).status, 204)
  assert.equal((await stage.mint({ qty: '1' })).status, 400)
  assert.equal((await operator(`DELETE ${sim}/links/${accountId}/st0x`)).status, 404)
  const callback = { tokenization_request_id: made.tokenization_request_id, tx_hash: '0x1' }
  const route = `POST /v1/accounts/${st0x.accountId}/tokenization/callback/mint`
  assert.equal((await stage.as(st0x.key, route, { body: callback })).body.status, 'completed')
})

for (const [route, body, status] of [
  [`POST ${sim}/issuers`, {}, 422],
  [`POST ${sim}/issuers`, { issuer: 'no body', ...urls }, 422],
  [`POST ${sim}/issuers`, { issuer: 'a/b', ...urls }, 422],
  [`POST ${sim}/issuers`, { issuer: 'coinbase', ...urls, mint_url: 'file:///etc/passwd' }, 422],
  [
    `POST ${sim}/issuers`,
    { issuer: 'coinbase', mint_url: urls.mint_url, confirm_url: urls.confirm_url },
    422,
  ],
  [`POST ${sim}/issuers/ondo/restore`, {}, 409],
  [`POST ${sim}/issuers/coinbase/restore`, {}, 404],
  [`POST ${sim}/issuers/st0x/restore`, { grace_seconds: -1 }, 422],
  [`PATCH ${sim}/issuers/st0x`, {}, 409],
  [`PATCH ${sim}/issuers/coinbase`, {}, 404],
  [`PATCH ${sim}/issuers/xstocks`, { outcome: 'maybe' }, 422],
  [`POST ${sim}/issuers/xstocks/tokens`, undefined, 422],
  [`POST ${sim}/issuers/coinbase/tokens`, undefined, 404],
  [`POST ${sim}/links`, { account_id: st0x.accountId, issuer: 'ondo' }, 409],
  [`POST ${sim}/links`, { account_id: accountId, issuer: 'coinbase' }, 404],
  [`POST ${sim}/links`, { account_id: accountId, issuer: 'xstocks', email: 'ap@example.org' }, 422],
  [`POST ${sim}/links`, { account_id: accountId, issuer: 'ondo', email: 'a@b', external_id: 'x' }, 422],
  [`POST ${sim}/links`, { account_id: accountId, issuer: 'ondo', email: 'nobody' }, 422],
  [`POST ${sim}/links`, { account_id: '00000000-0000-4000-8000-000000000000', issuer: 'ondo' }, 404],
  ['GET /sim/v1/worlds/nowhere/tokenization/issuers', undefined, 404],
] as const)
  test(`${route.replaceAll(/[0-9a-f-]{36}/g, '{id}')} ${JSON.stringify(body ?? '').slice(0, 60)}: ${status}`, async () => {
    const { seq } = world.view
    const made = await operator(route, body)
    assert.equal(made.status, status, JSON.stringify(made.body))
    assert.equal(world.view.seq, seq)
  })

test('partners, issuers and trading keys cannot use operator routes', async () => {
  for (const key of [partnerKey, st0x.key, stage.key])
    for (const [route, body] of [
      [`GET ${sim}/issuers`, undefined],
      [`POST ${sim}/issuers`, { issuer: 'st0x', ...urls }],
      [`GET ${sim}/links`, undefined],
      [`POST ${sim}/links`, { account_id: accountId, issuer: 'st0x' }],
      [`GET ${sim}/requests`, undefined],
      ['GET /sim/v1/worlds/lab/jobs', undefined],
    ] as const)
      assert.equal((await stage.as(key, route, { body })).status, 403, route)
})

test('an external id names one account; a second account is refused, by operator and by handshake', async () => {
  await link(stage, { account_id: accountId, issuer: 'ondo', external_id: 'one' })
  const body = { account_id: otherId, issuer: 'ondo' }
  const refused = await operator(`POST ${sim}/links`, { ...body, external_id: 'one' })
  assert.deepEqual([refused.status, refused.body.reason], [409, 'externalIdTaken'])
  externalIssuer.respond = () => ({ status: 200, body: { client_external_account_id: 'one' } })
  await link(stage, { ...body, email: 'twice@example.org' })
  await world.commands.quiet()
  externalIssuer.respond = () => undefined
  const { state, reason } = await linkOf(otherId, 'ondo')
  assert.deepEqual([state, reason], ['refused', 'the issuer uses this id for another account'])
  // Repeating the same link is allowed.
  assert.equal((await link(stage, { account_id: accountId, issuer: 'ondo', external_id: 'one' })).status, 201)
})

test('a participant reads the tokens of the issuers it is linked to, with their redemption wallets', async () => {
  const acme = await addIssuer(stage, {
    issuer: 'acme',
    api_key: 'k',
    ...urls,
    redemption_wallets: { base: '0x1111111111111111111111111111111111111111' },
  })
  const tokens = async (key: KeyPair, route: string) => (await stage.as(key, `GET ${route}`)).body
  assert.deepEqual(await tokens(stage.key, '/v2/tokenization/tokens?issuer=acme'), [])
  await link(stage, { account_id: accountId, issuer: 'acme' })
  const filters = 'issuer=acme&network=base&underlying_symbol=AAPL'
  const expected = {
    issuer: 'acme',
    underlying_symbol: 'AAPL',
    token_symbol: 'tAAPL',
    network: 'base',
    shares_per_token: '1/1',
    redemption_wallet: '0x1111111111111111111111111111111111111111',
    contract_address: null,
    decimals: null,
  }
  assert.deepEqual(await tokens(stage.key, `/v2/tokenization/tokens?${filters}`), [expected])
  const own = `/v1/accounts/${acme.accountId}/tokenization/tokens`
  assert.deepEqual((await tokens(stage.operatorKey, own)).length, 3)
  assert.deepEqual(await tokens(partnerKey, `/v1/accounts/${accountId}/tokenization/tokens?${filters}`), [
    expected,
  ])
  assert.equal((await stage.as(acme.key, `GET ${own}`)).body.reason, 'issuerCallbacksOnly')
  assert.equal((await stage.as(stage.key, 'GET /v2/tokenization/tokens?issuer=nobody')).status, 422)
})
