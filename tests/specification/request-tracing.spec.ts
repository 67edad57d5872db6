import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import {
  type Body,
  type Broker,
  call,
  callAsOperator,
  newFolder,
  newWorld,
  startBroker,
} from '../support/broker.ts'

/** A limit far below the market, so the order rests. */
const restingBuy = {
  symbol: 'AAPL',
  qty: '1',
  side: 'buy',
  type: 'limit',
  limit_price: '10',
  time_in_force: 'day',
}

const brokers: Broker[] = []
after(async () => {
  for (const broker of brokers) await broker.kill()
})

async function start(folder: string): Promise<Broker> {
  const broker = await startBroker(['--data', folder])
  brokers.push(broker)
  return broker
}

const read = async (broker: Broker, path: string, world = 'main'): Promise<Body> => {
  const { status, body } = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world}/${path}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** Waits for a log line with this text. */
async function waitForLog(broker: Broker, text: string): Promise<string> {
  for (;;) {
    const line = broker
      .log()
      .split('\n')
      .find((one) => one.includes(text))
    if (line !== undefined) return line
    await once(broker.process.stderr!, 'data')
  }
}

test('a request id connects log line, request, events and order, and survives a crash', async () => {
  const folder = newFolder()
  const broker = await start(folder)
  const placed = await call(broker, 'POST', '/v2/orders', restingBuy)
  const requestId = placed.headers.get('x-request-id')!
  assert.match(await waitForLog(broker, requestId), /POST \/v2\/orders/)

  const traced = await read(broker, `requests/${requestId}`)
  assert.deepEqual(
    [traced.request.status, traced.request.key_id, traced.order_ids],
    [200, broker.keyId, [placed.body.id]],
  )
  assert.deepEqual(
    traced.events.map(({ kind, request_id }: Body) => [kind, request_id]),
    [['orderAccepted', requestId]],
  )
  const head = await read(broker, 'journal')
  await broker.kill()

  const again = await start(folder)
  const later = await read(again, `requests/${requestId}`)
  assert.deepEqual(
    [later.request, later.events, later.order_ids],
    [undefined, traced.events, traced.order_ids],
  )
  const { order_ids: ids } = later
  assert.equal((await read(again, `orders/${ids[0]}/explain`)).request_id, requestId)
  const before = await read(again, `events?cursor=${head.seq - 1}&limit=1`)
  assert.equal(before.events[0].number, head.seq)
})

test('the same requests in two worlds give the same journal hash, with different request ids', async () => {
  const broker = await start(newFolder())
  const twins = [await newWorld(broker, { seed: 'twin' }), await newWorld(broker, { seed: 'twin' })]
  const requests = new Set<string | null>()
  for (const twin of twins)
    for (const qty of ['1', '2'])
      requests.add(
        (await call(twin, 'POST', '/v2/orders', { ...restingBuy, qty })).headers.get('x-request-id'),
      )
  assert.equal(requests.size, 4)
  const [one, other] = await Promise.all(twins.map(({ world }) => read(broker, 'journal', world)))
  assert.deepEqual([one.seq, one.hash], [other.seq, other.hash])
})

test('postings and balances of a filled order match its cash to the cent', async () => {
  const broker = await start(newFolder())
  const world = await newWorld(broker, { seed: 'cents' })
  const order = { symbol: 'AAPL', qty: '3', side: 'buy', type: 'market', time_in_force: 'day' }
  const { body: placed } = await call(world, 'POST', '/v2/orders', order)
  await world.advance('1s')
  const query = `order_id=${placed.id}&account_id=${world.accountId}`
  const { postings } = await read(broker, `postings?${query}`, world.world)
  const usd = postings.filter(({ asset }: Body) => asset === 'USD').map(({ amount }: Body) => amount)
  const { balances } = await read(broker, `balances?${query}`, world.world)
  assert.deepEqual(
    balances.map(({ asset, amount }: Body) => [asset, amount]),
    [
      ['AAPL', '3'],
      ['USD', usd[0]],
    ],
  )
  const account = (await call(world, 'GET', '/v2/account')).body
  assert.equal((100_000 + Number(usd[0])).toFixed(2), Number(account.cash).toFixed(2))
})
