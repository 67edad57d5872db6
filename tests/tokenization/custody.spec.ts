import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, callAsOperator } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { CONFIRM, type IssuerServerResponse } from './issuer-server.ts'
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
