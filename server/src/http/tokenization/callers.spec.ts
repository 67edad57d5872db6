import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { CallOptions } from '../testing/server.ts'
import { openTokenStage, plainMint, WALLET } from './testing/issuers.ts'

const stage = await openTokenStage({ after })
const { accountId, st0x, ondo, partnerKey, foreignKey, operatorKey, key, tokenHeaders, world } = stage

const first = await stage.mint({ client_request_id: 'label', qty: '3' })
await world.commands.quiet()
const id = first.body.tokenization_request_id
const participant = `/v1/accounts/${accountId}/tokenization`
const issuer = `/v1/accounts/${st0x.accountId}/tokenization`

const callers: Readonly<Record<string, CallOptions>> = {
  'its partner': { key: partnerKey },
  'another partner': { key: foreignKey },
  'a trading key': { key },
  'an OAuth token': { headers: tokenHeaders },
  'a caller without credentials': {},
  'a wrong secret': { key: { ...partnerKey, secretKey: 'guess' } },
  'its issuer': { key: st0x.key },
  'another issuer': { key: ondo.key },
  'an operator': { key: operatorKey },
}
const [OF_PARTNER, OF_ISSUER, OF_AFFILIATED] = [
  [200, 403, 403, 403, 401, 401, 403, 403, 200],
  [403, 403, 403, 403, 401, 401, 200, 403, 200],
  // The other issuer is affiliated too, but has no such request.
  [200, 403, 403, 403, 401, 401, 200, 404, 200],
] as const

const reasonFor = (route: string, caller: string): string =>
  route.endsWith('/mint') && route.includes(accountId) && caller.endsWith('issuer')
    ? 'issuerCallbacksOnly'
    : 'forbidden'

let redeemCount = 0
const redeem = () => ({
  issuer_request_id: `r-${++redeemCount}`,
  underlying_symbol: 'AAPL',
  token_symbol: 'tAAPL',
  qty: '0.5',
  network: 'base',
  wallet_address: WALLET,
  tx_hash: `0x${redeemCount}`,
  client_account_id: accountId,
})

for (const [route, body, statuses] of [
  [`POST ${participant}/mint`, () => ({ ...plainMint, qty: '1' }), OF_PARTNER],
  [`GET ${participant}/requests`, undefined, OF_PARTNER],
  [`GET ${participant}/requests/${id}`, undefined, OF_PARTNER],
  [`GET ${participant}/requests:by_client_request_id?client_request_id=label`, undefined, OF_AFFILIATED],
  [`GET ${issuer}/requests`, undefined, OF_ISSUER],
  [`GET ${issuer}/requests/${id}`, undefined, OF_ISSUER],
  [`GET ${issuer}/requests:by_issuer_request_id?issuer_request_id=iss-${id}`, undefined, OF_ISSUER],
  [
    `POST ${issuer}/callback/mint`,
    () => ({ tokenization_request_id: id, tx_hash: '0xabc', client_account_id: accountId }),
    OF_ISSUER,
  ],
  [`POST ${issuer}/callback/redeem`, redeem, OF_ISSUER],
  [`POST ${issuer}/redeem`, redeem, OF_ISSUER],
] as const)
  for (const [index, [caller, options]] of Object.entries(callers).entries())
    test(`${route.replaceAll(/[0-9a-f-]{36}/g, '{id}')} by ${caller}: ${statuses[index]}`, async () => {
      const before = world.view.seq
      const { status, body: response } = await stage.as(undefined, route, { ...options, body: body?.() })
      assert.equal(status, statuses[index], JSON.stringify(response))
      await world.commands.quiet()
      if (status === 401) assert.deepEqual([response.code, response.message], [40110000, 'unauthorized'])
      if (status === 403)
        assert.deepEqual([response.code, response.reason], [40310000, reasonFor(route, caller)])
      if (status !== 200) assert.equal(world.view.seq, before, 'a refused call changes nothing')
    })

test('operations of participants are forbidden on the account of an issuer, and vice versa', async () => {
  for (const [caller, route, body] of [
    [st0x.key, `POST ${issuer}/mint`, plainMint],
    [st0x.key, `GET ${issuer}/requests:by_client_request_id?client_request_id=label`, undefined],
    [partnerKey, `GET ${participant}/requests:by_issuer_request_id?issuer_request_id=r-1`, undefined],
    [partnerKey, `POST ${participant}/callback/mint`, { tokenization_request_id: id, tx_hash: '0xabc' }],
    [partnerKey, `POST ${participant}/callback/redeem`, redeem()],
  ] as const)
    assert.equal((await stage.as(caller, route, { body })).status, 403, route)
})

test('an unknown account is forbidden like a foreign one; a malformed id is 422', async () => {
  const unknown = '/v1/accounts/00000000-0000-4000-8000-000000000000/tokenization/requests'
  assert.equal((await stage.as(partnerKey, `GET ${unknown}`)).status, 403)
  const { status, body } = await stage.as(partnerKey, 'GET /v1/accounts/7/tokenization/requests')
  assert.deepEqual([status, body.code], [422, 42210001])
})

test('a machine token has the rights of its key, for participants and issuers', async () => {
  const tokenFor = async ({ keyId, secretKey }: typeof partnerKey) => {
    const form = { grant_type: 'client_credentials', client_id: keyId, client_secret: secretKey }
    const { status, body } = await stage.as(undefined, 'POST /v1/oauth2/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    })
    assert.equal(status, 200, JSON.stringify(body))
    return { authorization: `Bearer ${body.access_token}` }
  }
  const participantToken = await tokenFor(partnerKey)
  const body = { ...plainMint, qty: '0.25', client_request_id: 'by machine' }
  const made = await stage.as(undefined, `POST ${participant}/mint`, { headers: participantToken, body })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  await world.commands.quiet()
  const mintId = made.body.tokenization_request_id
  const byLabel = `GET ${participant}/requests:by_client_request_id?client_request_id=by%20machine`
  for (const route of [`GET ${participant}/requests/${mintId}`, byLabel])
    assert.equal(
      (await stage.as(undefined, route, { headers: participantToken })).body.tokenization_request_id,
      mintId,
    )
  const listed = await stage.as(undefined, `GET ${participant}/requests`, { headers: participantToken })
  assert.equal(listed.body[0].tokenization_request_id, mintId)

  const issuerToken = await tokenFor(st0x.key)
  const callback = { tokenization_request_id: mintId, tx_hash: '0xdef' }
  const [foreign, right] = [await tokenFor(ondo.key), issuerToken]
  for (const [headers, status] of [
    [participantToken, 403],
    [foreign, 403],
    [right, 200],
  ] as const)
    assert.equal(
      (await stage.as(undefined, `POST ${issuer}/callback/mint`, { headers, body: callback })).status,
      status,
    )
  assert.equal(
    (await stage.as(undefined, `POST ${issuer}/callback/redeem`, { headers: issuerToken, body: redeem() }))
      .status,
    200,
  )
  assert.equal(
    (await stage.as(undefined, `GET ${participant}/requests`, { headers: issuerToken })).status,
    403,
  )
})
