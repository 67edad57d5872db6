import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Body, call, callAsOperator, newWorld } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { get, listen, openStage, type Stage } from './stage.ts'

let stage: Stage
before(async () => {
  stage = await openStage()
})
after(() => stage.close())

const market = (symbol: string, qty: string) => ({
  symbol,
  qty,
  side: 'buy',
  type: 'market',
  time_in_force: 'day',
})

const order = (id: string) => get(stage.broker, `/v2/orders/${id}`)
const waitForFill = (id: string): Promise<Body> =>
  waitUntil(`${id} is filled`, async () => {
    const found = await order(id)
    return found.status === 'filled' && found
  })

const day = new Date(Date.now() - 86_400_000 * 2).toISOString().slice(0, 10)
const paths = [
  '/v2/stocks/AAPL/quotes/latest',
  '/v2/stocks/trades/latest?symbols=AAPL,MSFT',
  '/v2/stocks/bars/latest?symbols=AAPL,MSFT',
  '/v2/stocks/snapshots?symbols=AAPL,NOSUCH',
  `/v2/stocks/bars?symbols=AAPL,MSFT&timeframe=1Day&start=2026-01-02&end=${day}`,
  `/v2/stocks/bars?symbols=AAPL&timeframe=5Min&start=${day}&end=${day}&sort=desc`,
  `/v2/stocks/quotes?symbols=AAPL&start=${day}&end=${day}&limit=50`,
  `/v2/stocks/auctions?symbols=AAPL&start=2026-11-02&end=2026-11-06`,
  '/v1beta3/crypto/us/latest/quotes?symbols=BTC/USD',
  '/v1beta3/crypto/us/latest/orderbooks?symbols=BTC/USD',
  `/v1beta3/crypto/us/bars?symbols=BTC/USD&timeframe=1Hour&start=${day}&end=${day}`,
] as const
for (const path of paths)
  test(`the same response as upstream: ${path}`, async () => {
    const [ours, theirs] = [await get(stage.broker, path), await get(stage.provider, path)]
    assert.deepEqual({ ...ours, next_page_token: 0 }, { ...theirs, next_page_token: 0 })
    assert.equal(typeof ours.next_page_token, typeof theirs.next_page_token)
  })

for (const [kind, sort] of [
  ['trades', 'asc'],
  ['trades', 'desc'],
  ['quotes', 'asc'],
  ['quotes', 'desc'],
] as const)
  test(`pages of ${kind}, ${sort}, joined are the list of upstream`, async () => {
    const range = `symbols=AAPL&start=${day}T15:00:00Z&end=${day}T20:00:00Z&sort=${sort}`
    const joined: Body[] = []
    let token: string | null = ''
    for (let page = 0; page < 5 && token !== null; page++) {
      const more: string = token === '' ? '' : `&page_token=${token}`
      const body: Body = await get(stage.broker, `/v2/stocks/${kind}?${range}&limit=13${more}`)
      joined.push(...(body[kind].AAPL ?? []))
      token = body.next_page_token
    }
    const complete = await get(stage.provider, `/v2/stocks/${kind}?${range}&limit=65`)
    assert.deepEqual(joined, complete[kind].AAPL)
    assert.ok(joined.length > 13)
  })

test('an order fills at the quote of upstream, and the last trade prices the position', async () => {
  const { quote } = await get(stage.provider, '/v2/stocks/AAPL/quotes/latest')
  const { trade } = await get(stage.provider, '/v2/stocks/AAPL/trades/latest')
  const placed = await call(stage.broker, 'POST', '/v2/orders', market('AAPL', '2'))
  assert.equal(placed.status, 200, JSON.stringify(placed.body))
  assert.equal(Number((await waitForFill(placed.body.id)).filled_avg_price), quote.ap)
  const [position] = await get(stage.broker, '/v2/positions')
  assert.equal(Number(position.current_price), trade.p)
})

test('a limit order waits until a quote of upstream reaches it', async () => {
  // The price may also rise: then the order is placed again at the new price.
  const done = await waitUntil('a limit order is filled', async () => {
    const { quote } = await get(stage.provider, '/v2/stocks/TSLA/quotes/latest')
    const limit = Math.floor(quote.ap * 99.98) / 100
    const body = { ...market('TSLA', '1'), type: 'limit', limit_price: limit, time_in_force: 'gtc' }
    const placed = await call(stage.broker, 'POST', '/v2/orders', body)
    assert.equal(placed.status, 200, JSON.stringify(placed.body))
    assert.equal((await order(placed.body.id)).filled_qty, '0')
    for (let steps = 0; steps < 10; steps++) {
      await stage.provider.advance('1m')
      await sleep(50)
      const found = await order(placed.body.id)
      if (found.status === 'filled') return { price: Number(found.filled_avg_price), limit }
    }
    await call(stage.broker, 'DELETE', `/v2/orders/${placed.body.id}`)
    return undefined
  })
  assert.ok(done.price <= done.limit)
})

const lists = { trades: ['AAPL', 'MSFT'], quotes: ['AAPL'], bars: ['*'], dailyBars: ['AAPL'] }
test('messages of the upstream stream are forwarded', async () => {
  const pair = await listenToBoth(lists)
  await stage.provider.advance('2m')
  const [received, expected] = await pair.since()
  assert.ok(expected.length > 10)
  assert.deepEqual(bySymbol(received), bySymbol(expected))
  await pair.close()
})

test('after a lost connection missed trades and bars are sent once, in order', async () => {
  const pair = await listenToBoth({ trades: ['AAPL', 'MSFT'], bars: ['AAPL', 'MSFT'] })
  stage.proxy.cut()
  await stage.provider.advance('3m')
  stage.proxy.open()
  await pair.since()
  await stage.provider.advance('2m')
  const [received, expected] = await pair.since()
  assert.ok(expected.length > 5)
  assert.deepEqual(bySymbol(received), bySymbol(expected))
  await pair.close()
})

/** Opens a client of the broker and one of its provider, and waits until both have the same messages. */
async function listenToBoth(wanted: Readonly<Record<string, readonly string[]>>) {
  const ours = await listen(stage.broker, '/v2/iex', wanted)
  // After the first forwarded message all later messages are forwarded.
  await waitUntil('a message is forwarded', async () => {
    await stage.provider.advance('1m')
    return (await ours.gather()).length > 0
  })
  const theirs = await listen(stage.provider, '/v2/iex', wanted)
  const waitUntilSame = () =>
    waitUntil('the broker has sent all messages', async () => {
      const expected = await theirs.gather()
      const received = await ours.gather()
      const texts = new Set(received.map((message) => JSON.stringify(message)))
      return (
        expected.every((message) => texts.has(JSON.stringify(message))) && ([received, expected] as const)
      )
    })
  await stage.provider.advance('1m')
  const [ownCount, expectedCount] = (await waitUntilSame()).map(({ length }) => length)
  return {
    /** The later messages of both, when the broker has sent all of them. */
    since: async () => {
      const [received, expected] = await waitUntilSame()
      return [received.slice(ownCount), expected.slice(expectedCount)] as const
    },
    close: () => Promise.all([ours.client.close(), theirs.client.close()]),
  }
}

/** Groups messages, because the order is fixed only within a symbol and kind. */
const bySymbol = (messages: readonly Body[]): Record<string, Body[]> =>
  Object.groupBy(messages, ({ T, S }) => `${T} ${S}`) as Record<string, Body[]>

test('order book changes are forwarded, and a later subscriber gets the complete book', async () => {
  const wanted = { orderbooks: ['BTC/USD'] }
  const first = await listen(stage.broker, '/v1beta3/crypto/us', wanted)
  await waitUntil('the first order book is sent', async () => (await first.gather())[0]?.r)
  await stage.provider.advance('1m')
  const { orderbooks } = await get(stage.provider, '/v1beta3/crypto/us/latest/orderbooks?symbols=BTC/USD')
  const { t, b, a } = orderbooks['BTC/USD']
  await waitUntil('the last change is sent', async () => (await first.gather()).at(-1)?.t === t)
  const later = await listen(stage.broker, '/v1beta3/crypto/us', wanted)
  const [book] = await waitUntil('a second client has the order book', async () => {
    const received = await later.gather()
    return received.length > 0 && received
  })
  assert.deepEqual(book, { T: 'o', S: 'BTC/USD', t, b, a, r: true })
  assert.ok((await first.gather()).length > 2)
  await Promise.all([first.client.close(), later.client.close()])
})

test('while upstream is unreachable, history is refused with 503 and Retry-After', async () => {
  const path = `/v2/stocks/bars?symbols=AAPL&timeframe=1Min&start=${day}T12:00:00Z&end=${day}T12:30:00Z`
  stage.proxy.cut()
  const refused = await call(stage.broker, 'GET', path)
  assert.deepEqual([refused.status, refused.body.code], [503, 50310006])
  assert.match(refused.body.message, /provider cannot be reached/)
  assert.ok(Number(refused.headers.get('retry-after')) >= 1)
  stage.proxy.open()
  assert.equal((await call(stage.broker, 'GET', path)).status, 200)
  stage.proxy.cut()
  assert.equal((await call(stage.broker, 'GET', path)).status, 200, 'a complete page is cached')
  stage.proxy.open()
})

test('a world that follows main has the prices of upstream; its followers and forks do not', async () => {
  const settings = { world: 'desk', durable: true, clock: 'wall' }
  const desk = await newWorld(stage.broker, { ...settings, follows: 'main' })
  const { quote } = await get(stage.provider, '/v2/stocks/MSFT/quotes/latest')
  const placed = await call(desk, 'POST', '/v2/orders', market('MSFT', '2'))
  assert.equal(placed.status, 200, JSON.stringify(placed.body))
  const filled = await waitUntil('the order is filled', async () => {
    const found = await get(desk, `/v2/orders/${placed.body.id}`)
    return found.status === 'filled' && found
  })
  assert.equal(Number(filled.filled_avg_price), quote.ap)
  const next = { ...settings, world: 'next', follows: 'desk' }
  const refused = await callAsOperator(stage.broker, 'POST', '/sim/v1/worlds', next)
  assert.deepEqual(
    [refused.status, refused.body.message],
    [422, 'follows: expected main, whose market desk follows, received desk'],
  )
  const forked = await callAsOperator(stage.broker, 'POST', '/sim/v1/worlds/desk/fork', {})
  assert.equal(forked.status, 201, JSON.stringify(forked.body))
  await expectGeneratedBars(forked.body)
})

/** A fork has bars while upstream is unreachable. */
async function expectGeneratedBars({ accounts }: Body): Promise<void> {
  const [account] = accounts
  const keys = { url: stage.broker.url, keyId: account.key_id, secretKey: account.secret_key }
  const path = '/v2/stocks/bars?symbols=AAPL&timeframe=1Day&start=2026-01-02&end=2026-01-09'
  stage.proxy.cut()
  const bars = await call(keys, 'GET', path)
  assert.equal(bars.status, 200)
  assert.ok(bars.body.bars.AAPL.length > 3)
  stage.proxy.open()
}

test('a fork of main has a generated market without upstream', async () => {
  const forked = await callAsOperator(stage.broker, 'POST', '/sim/v1/worlds/main/fork', {})
  assert.equal(forked.status, 201, JSON.stringify(forked.body))
  await expectGeneratedBars(forked.body)
})
