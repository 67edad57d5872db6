import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Operation, operations, type Who } from '@quipu/contract'
import { type Broker, call, callAsOperator, newWorld, startBroker } from '../support/broker.ts'
import { Random, seed } from '../support/random.ts'
import { assertResponse, textOf } from './fuzz-requests.ts'
import { disturbing, hostileRequest, names } from './inputs.ts'
import { send } from './send.ts'

/** Hostile requests per operation; `INPUTS=5000` runs for hours. */
const INPUTS = Number(process.env['INPUTS'] ?? 2)
/** Operations without fields need few inputs. */
const INPUTS_WITHOUT_FIELDS = process.env['INPUTS'] === undefined ? 3 : 15

let broker: Broker
let world: Awaited<ReturnType<typeof newWorld>>
let known: Record<string, unknown>

before(async () => {
  broker = await startBroker(['--data', 'memory', '--advance-max-days', '2', '--log', 'warn'])
  world = await newWorld(broker, { world: 'hunted', accounts: 2 })
  const order = { symbol: 'AAPL', qty: '20', side: 'buy', type: 'market', time_in_force: 'day' }
  await call(world, 'POST', '/v2/orders', order)
  const resting = { ...order, type: 'limit', limit_price: '1', client_order_id: 'resting' }
  const { body: placed } = await call(world, 'POST', '/v2/orders', resting)
  const { body: minted } = await call(world, 'POST', '/v2/tokenization/mint', {
    underlying_symbol: 'AAPL',
    qty: '1',
    issuer: 'xstocks',
    network: 'ethereum',
    wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7',
    client_request_id: 'minted',
  })
  known = {
    world: 'hunted',
    order_id: placed.id,
    client_order_id: 'resting',
    client_request_id: 'minted',
    tokenization_request_id: minted.tokenization_request_id,
    account_id: world.accountId,
    from_account: world.accountId,
    to_account: world.created.accounts[1].account_id,
    ...world.created.oauth_client,
  }
})
after(() => broker.stop())

/** Key pairs by who may call. */
function keysFor(who: readonly Who[]): Record<string, string> {
  const { brokerKey, brokerSecret } = broker
  if (who.includes('operator')) return pair(brokerKey, brokerSecret)
  if (who.includes('partner')) return pair(world.partner.keyId, world.partner.secretKey)
  return pair(world.keyId, world.secretKey)
}

const pair = (keyId: string, secretKey: string) => ({
  'apca-api-key-id': keyId,
  'apca-api-secret-key': secretKey,
})

/** The last event number of the world `hunted`. */
async function seqOf(): Promise<number> {
  const { headers } = await callAsOperator(broker, 'GET', '/sim/v1/worlds/hunted/balances?limit=1')
  return Number(headers.get('x-quipu-seq'))
}
/** Stops the clock if a request has started it, and waits until earlier requests are done: an advance returns then. */
async function waitUntilQuiet(): Promise<void> {
  const clock = '/sim/v1/worlds/hunted/clock'
  await callAsOperator(broker, 'POST', `${clock}/freeze`)
  await callAsOperator(broker, 'POST', `${clock}/advance`, { by: '1ms' })
}

for (const name of names) {
  const { who, params, query, headers, body }: Operation = operations[name]
  const inputs = params || query || headers || body ? INPUTS : INPUTS_WITHOUT_FIELDS
  test(`${name}: ${inputs} hostile requests (SEED=${seed})`, async (t) => {
    const random = new Random(seed, name)
    const statuses = new Map<number, number>()
    let seq = await seqOf()
    for (let number = 0; number < inputs; number++) {
      const hostile = hostileRequest(name, random, disturbing.has(name) ? {} : known)
      const keys = random.chance(0.05) ? pair('PKNOBODY', 'nothing') : keysFor(who)
      const request = { ...hostile, headers: { ...hostile.headers, ...keys } }
      const response = await send(broker.url, request)
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      assertResponse(() => textOf(name, hostile), hostile, response)
      if (response.status >= 400)
        assert.equal(await seqOf(), seq, `${textOf(name, hostile)} was refused but changed the world`)
      else {
        await waitUntilQuiet()
        seq = await seqOf()
      }
    }
    t.diagnostic(
      [...statuses]
        .sort()
        .map(([status, count]) => `${status}: ${count}`)
        .join(', '),
    )
  })
}

test('after all hostile requests, audits find no problem and no error is logged', async () => {
  for (const name of ['main', 'hunted']) {
    const { body } = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${name}/audit`)
    assert.deepEqual([body.sound, body.problems], [true, []])
  }
  assert.equal(broker.process.exitCode, null)
  assert.doesNotMatch(broker.log(), /"level":"error"/)
})
