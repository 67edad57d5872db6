import type * as Sdk from '@quipu/sdk'

export type Connection = { readonly url: string; readonly keyId: string; readonly secretKey: string }

/** What a program observes with the SDK. It runs in every Node and in a browser, so it imports nothing. */
export async function observe(sdk: typeof Sdk, connection: Connection) {
  const quipu = sdk.createQuipu({ ...connection, retryDelayMs: 5 })
  const events: string[] = []
  const stream = quipu.streams.tradeUpdates()
  stream.onMessage(({ event }) => events.push(event))
  await stream.subscribe()
  const order = {
    symbol: 'BTC/USD',
    notional: 30,
    side: 'buy',
    type: 'market',
    time_in_force: 'gtc',
  } as const
  const filled = await quipu.orders.submitAndWait(order)
  while (!events.includes('fill')) await new Promise((resolve) => setTimeout(resolve, 5))
  stream.close()
  const prices = quipu.streams.marketData('crypto')
  const subscriptions = await prices.subscribe({ bars: ['BTC/USD'] })
  prices.close()
  let bars = 0
  const query = { symbols: 'AAPL', timeframe: '1Hour', start: '2025-06-02', end: '2025-06-06', pageSize: 5 }
  for await (const bar of quipu.bars(query)) if (bar.c > 0) bars += 1
  const found = await quipu.orders.byClientOrderId(filled.client_order_id)
  const refusal = await quipu.orders.get('0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11').catch((error) => error)
  const past: string[] = []
  const events2 = sdk
    .createStreams(connection)
    .streamTradeEvents({ query: { since: '2020-01-01T00:00:00Z' } })
  for await (const { event, order } of events2) {
    if (order.id === filled.id) past.push(event)
    if (past.at(-1) === 'fill') break
  }
  return {
    status: (await quipu.account.get()).status,
    order: [filled.status, filled.placement.outcome, found.id === filled.id],
    price: (await quipu.latestPrice('BTC/USD')) > 0,
    events: events.slice(-1),
    past: past.slice(-1),
    subscriptions,
    hasBars: bars > 10,
    refusal: [refusal.name, refusal.status, refusal.code, /^[0-9a-f]{32}$/.test(refusal.requestId)],
    pkce: (await sdk.createPkce()).challenge.length,
  }
}

export const observed: Awaited<ReturnType<typeof observe>> = {
  status: 'ACTIVE',
  order: ['filled', 'placed', true],
  price: true,
  events: ['fill'],
  past: ['fill'],
  subscriptions: { bars: ['BTC/USD'] },
  hasBars: true,
  refusal: ['NotFoundError', 404, 40410000, true],
  pkce: 43,
}
