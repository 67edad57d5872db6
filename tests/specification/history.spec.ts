import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Broker, call, newFolder, startBroker } from '../support/broker.ts'

// The history of an account must be the same after a restart.

const data = newFolder()
let broker: Broker = await startBroker(['--data', data])
after(() => broker.stop())

const key = () => ({ url: broker.url, keyId: broker.keyId, secretKey: broker.secretKey })
let credentials: { keyId: string; secretKey: string } = broker
const get = (path: string) => call({ ...key(), ...credentials }, 'GET', path)

async function trade(count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const body = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'gtc' }
    const { status } = await call({ ...key(), ...credentials }, 'POST', '/v2/orders', body)
    assert.equal(status, 200)
  }
}

/** All events of a stream so far. */
async function eventsSoFar(path: string): Promise<string> {
  const until = new Date().toISOString()
  const { status, body } = await get(`${path}?since=2020-01-01&until=${until}`)
  assert.equal(status, 200)
  return body
}

async function restart(): Promise<void> {
  credentials = { keyId: broker.keyId, secretKey: broker.secretKey }
  assert.equal(await broker.stop(), 0)
  const before = credentials
  broker = await startBroker(['--data', data])
  credentials = before
}

test('activities, events and history are the same after a restart and continue', async () => {
  await trade(12)
  const all = async () => ({
    activities: (await get('/v2/account/activities?direction=asc')).body,
    trades: await eventsSoFar('/v2/events/trades'),
    events: await eventsSoFar('/v2beta1/events/activities'),
  })
  const before = await all()
  assert.equal(before.activities.length, 13)
  assert.equal([...before.trades.matchAll(/^data: /gm)].length, 36)
  assert.equal([...before.events.matchAll(/^data: /gm)].length, 13)
  await restart()
  assert.deepEqual(await all(), before)
  await trade(1)
  const later = await all()
  assert.deepEqual(later.activities.slice(0, 13), before.activities)
  assert.ok(later.trades.startsWith(before.trades))
  assert.ok(later.events.startsWith(before.events))
  assert.equal(later.activities.length, 14)
})

test('the portfolio history ends at the equity of the account', async () => {
  const { body: history } = await get('/v2/account/portfolio/history?period=1D&intraday_reporting=continuous')
  const { body: account } = await get('/v2/account')
  const difference = Math.abs(history.equity.at(-1) - Number(account.equity))
  assert.ok(difference < 50, `${history.equity.at(-1)} for ${account.equity}`)
})

test('pages of 4 return all activities in both directions', async () => {
  for (const direction of ['asc', 'desc']) {
    const ids: string[] = []
    for (let token = ''; ; token = `&page_token=${encodeURIComponent(ids.at(-1)!)}`) {
      const { body } = await get(`/v2/account/activities?direction=${direction}&page_size=4${token}`)
      ids.push(...body.map(({ id }: { id: string }) => id))
      if (body.length < 4) break
    }
    const { body } = await get(`/v2/account/activities?direction=${direction}`)
    assert.deepEqual(
      ids,
      body.map(({ id }: { id: string }) => id),
    )
  }
})
