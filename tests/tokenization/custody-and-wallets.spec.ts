import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, callAsOperator, newWorld, startBroker } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { CONFIRM, type IssuerServerResponse, openIssuerServer } from './issuer-server.ts'
import {
  addIssuer,
  assertSound,
  callback,
  jobs,
  keyFor,
  legs,
  mint,
  openStage,
  request,
  sharesOf,
} from './stage.ts'
import { signatureFault } from './verify-signature.ts'

const custodyResponse = (response: IssuerServerResponse) => (call: { readonly path: string }) =>
  call.path === '/custody/AAPL' ? response : undefined

async function openCustody(t: Parameters<typeof openStage>[0]) {
  const stage = await openStage(t)
  const { broker, issuer } = stage
  const settings = {
    issuer: 'st0x',
    api_key: 'shared',
    ...issuer.urls,
    custody_url: `${issuer.url}/custody/{underlying_symbol}`,
  }
  const { side } = await addIssuer(broker, 'main', settings)
  // The credential of an issuer opens no accounts.
  const { body: keys } = await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/keys')
  const { partner_id } = keys.find(({ key_id }: Body) => key_id === side.keyId)
  const opened = await callAsOperator(broker, 'POST', '/v1/accounts', { partner_id })
  assert.equal(opened.status, 200, JSON.stringify(opened.body))
  return { ...stage, side, custodyAccount: opened.body.id as string }
}

test('shares move to the custody account that the issuer names, and redemptions return them; the account is requested once', async (t) => {
  const { broker, issuer, side, custodyAccount } = await openCustody(t)
  issuer.respond = custodyResponse({
    status: 200,
    body: { account_id: custodyAccount, underlying_symbol: 'AAPL' },
  })
  const ids: string[] = []
  for (const qty of ['2', '1']) {
    ids.push((await mint(broker, { qty })).body.tokenization_request_id)
    await waitUntil('the mint is confirmed', () => issuer.to(CONFIRM).length === ids.length)
  }
  assert.equal(issuer.to('/custody/AAPL').length, 1, 'the custody account is cached for a day')
  const reader = await keyFor(broker, custodyAccount)
  assert.equal(await sharesOf(reader), '3')
  assert.deepEqual(await legs(reader, ids[0]!), ['2'])
  for (const id of ids) assert.equal((await callback(broker, side, id)).body.status, 'completed')
  const { accountId, ...key } = side
  const redeem = {
    issuer_request_id: 'r-1',
    underlying_symbol: 'AAPL',
    token_symbol: 'tAAPL',
    qty: '2.5',
    network: 'base',
    wallet_address: '0x52908400098527886e0f7030069857d2e4169ee7',
    tx_hash: '0x77',
    client_account_id: broker.accountId,
  }
  const route = `/v1/accounts/${accountId}/tokenization/callback/redeem`
  assert.equal((await call({ url: broker.url, ...key }, 'POST', route, redeem)).status, 200)
  await waitUntil('the shares are returned', async () => (await sharesOf(broker)) === '9.5')
  assert.equal(await sharesOf(reader), '0.5')
  const issuers = await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/tokenization/issuers')
  const st0x = issuers.body.find((one: { issuer: string }) => one.issuer === 'st0x')
  assert.deepEqual(st0x.custody_account_ids, [custodyAccount])
  // Shares in custody back tokens and cannot be sold.
  const order = { symbol: 'AAPL', qty: '0.5', side: 'sell', type: 'market', time_in_force: 'day' }
  assert.equal((await call(reader, 'POST', '/v2/orders', order)).status, 403)
  await assertSound(broker)
})

test('a custody account that is missing or not of the issuer: the mint is rejected, the issuer is informed, and no shares move', async (t) => {
  const { broker, issuer } = await openCustody(t)
  for (const response of [
    { status: 200, body: { account_id: broker.accountId, underlying_symbol: 'AAPL' } },
    { status: 200, body: { account_id: '00000000-0000-4000-8000-000000000000', underlying_symbol: 'AAPL' } },
    { status: 404, body: { error: 'no custody for AAPL' } },
  ]) {
    issuer.respond = custodyResponse(response)
    const { tokenization_request_id: id } = (await mint(broker)).body
    await waitUntil('the request is rejected', async () => (await request(broker, id)).status === 'rejected')
    assert.deepEqual([await sharesOf(broker), await legs(broker, id)], ['10', []])
    await waitUntil('no job is left', async () => (await jobs(broker)).length === 0)
    const confirm = issuer.to(CONFIRM).at(-1)
    assert.deepEqual([confirm?.json.tokenization_request_id, confirm?.json.status], [id, 'rejected'])
  }
  issuer.respond = custodyResponse({ status: 200, body: 'no JSON' })
  const { tokenization_request_id: id } = (await mint(broker)).body
  await waitUntil('the job has failed', async () => {
    return (await jobs(broker))[0]?.problem?.endsWith('answered without account_id')
  })
  const [job] = await jobs(broker)
  assert.deepEqual([job.kind, (await request(broker, id)).status], ['custody', 'pending'])
  await assertSound(broker)
})

// The account has no shares: 400 means that the address was accepted and the position was refused.
for (const [rule, env, wallet, status] of [
  ['no rule', {}, 'my-wallet', 400],
  ['no rule', {}, `0x${'0'.repeat(40)}`, 422],
  ['lenient', { QUIPU_WALLETS: 'lenient' }, 'my-wallet', 400],
  ['strict', { QUIPU_WALLETS: 'strict' }, 'my-wallet', 422],
  ['strict', { QUIPU_WALLETS: 'strict' }, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 400],
] as const)
  test(`with ${rule} a mint to ${wallet} returns ${status}`, async (t) => {
    const broker = await startBroker(['--data', 'memory'], env)
    t.after(() => broker.stop())
    const response = await fetch(`${broker.url}/v2/tokenization/mint`, {
      method: 'POST',
      headers: { 'apca-api-key-id': broker.keyId, 'apca-api-secret-key': broker.secretKey },
      body: JSON.stringify({
        underlying_symbol: 'AAPL',
        qty: '1',
        issuer: 'xstocks',
        network: 'base',
        wallet_address: wallet,
      }),
    })
    const { message } = (await response.json()) as { message: string }
    assert.equal(response.status, status, message)
    assert.equal(/^invalid wallet address/.test(message), status === 422)
  })

test('an issuer that checks signatures verifies the very first call', async (t) => {
  const { world } = await newWorld(broker)
  const issuer = await openIssuerServer()
  t.after(() => issuer.close())
  const path = `/sim/v1/worlds/${world}/tokenization`
  const { status, body: key } = await callAsOperator(broker, 'POST', `${path}/signing-key`)
  assert.equal(status, 200)
  const trust = { keyId: key.signing_key_id, publicKey: key.public_key }
  issuer.respond = (made) => {
    const fault = signatureFault(made, { ...trust, nowSeconds: Date.now() / 1000 })
    return fault === undefined ? undefined : { status: 401, body: { error: fault } }
  }
  const created = await callAsOperator(broker, 'POST', `${path}/issuers`, { issuer: 'st0x', ...issuer.urls })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  assert.deepEqual(
    issuer.calls.map(({ method, path }) => `${method} ${path}`),
    ['GET /tokenized-assets'],
  )
  assert.equal(created.body.public_key, key.public_key)
  assert.deepEqual((await callAsOperator(broker, 'POST', `${path}/signing-key`)).body, key)
})
