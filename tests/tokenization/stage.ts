import assert from 'node:assert/strict'
import { type Body, type Broker, call, callAsOperator, type Started, startBroker } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { openIssuerServer } from './issuer-server.ts'

export const WALLET = '0x52908400098527886e0f7030069857d2e4169ee7'
export const mintBody = {
  underlying_symbol: 'AAPL',
  qty: '1.5',
  issuer: 'st0x',
  network: 'base',
  wallet_address: WALLET,
} as const

export type Side = { readonly accountId: string; readonly keyId: string; readonly secretKey: string }
type Account = Pick<Started, 'url' | 'keyId' | 'secretKey'>

type Test = { after(run: () => Promise<unknown>): void }

/** Starts a broker and a test issuer, and buys ten shares to mint. */
export async function openStage(
  t: Test,
  flags?: readonly string[],
  settings: object = { api_key: 'shared' },
) {
  const issuer = await openIssuerServer()
  t.after(() => issuer.close())
  const broker = await startBroker(flags)
  t.after(() => broker.kill())
  const made = await addIssuer(broker, 'main', { issuer: 'st0x', ...issuer.urls, ...settings })
  await buyShares(broker)
  return { issuer, broker, ...made }
}

export async function addIssuer(broker: Started, world: string, body: object) {
  const made = await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world}/tokenization/issuers`, body)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { account_id: accountId, key_id: keyId, secret_key: secretKey } = made.body
  return { side: { accountId, keyId, secretKey } as Side, created: made.body as Body }
}

async function buyShares(broker: Account): Promise<void> {
  const order = { symbol: 'AAPL', qty: '10', side: 'buy', type: 'market', time_in_force: 'day' }
  assert.equal((await call(broker, 'POST', '/v2/orders', order)).status, 200)
  await waitUntil('the shares are bought', async () => (await sharesOf(broker)) === '10')
}

export const sharesOf = async (broker: Account): Promise<string | undefined> =>
  (await call(broker, 'GET', '/v2/positions/AAPL')).body.qty

export const mint = (broker: Account, patch: object = {}, headers = {}) =>
  call(broker, 'POST', '/v2/tokenization/mint', { ...mintBody, ...patch }, headers)

export const request = async (broker: Account, id: string): Promise<Body> =>
  (await call(broker, 'GET', `/v2/tokenization/requests/${id}`)).body

export const callback = (
  broker: Pick<Broker, 'url'>,
  { accountId, ...key }: Side,
  id: string,
  txHash = '0xabc',
) =>
  call({ url: broker.url, ...key }, 'POST', `/v1/accounts/${accountId}/tokenization/callback/mint`, {
    tokenization_request_id: id,
    tx_hash: txHash,
  })

export const jobs = async (broker: Started, world = 'main'): Promise<Body> =>
  (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world}/jobs`)).body

/** Creates a trading key, to read an account. */
export async function keyFor(broker: Started, accountId: string): Promise<Account> {
  const body = { kind: 'account', account_id: accountId }
  const made = await callAsOperator(broker, 'POST', '/sim/v1/worlds/main/keys', body)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return { url: broker.url, keyId: made.body.key_id, secretKey: made.body.secret_key }
}

/** The journal entries of one request in one account. */
export const legs = async (broker: Account, id: string): Promise<readonly string[]> => {
  const { body } = await call(broker, 'GET', '/v2/account/activities/JNLS?direction=asc')
  return body.filter((one: Body) => JSON.stringify(one).includes(id)).map((one: Body) => one.qty)
}

export async function assertSound(broker: Started, world = 'main'): Promise<void> {
  const { status, body } = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world}/audit`)
  assert.equal(status, 200)
  assert.deepEqual([body.sound, body.problems], [true, []])
}
