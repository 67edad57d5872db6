import type * as Sdk from '@quipu/sdk'

export type Connection = {
  readonly url: string
  readonly keyId: string
  readonly secretKey: string
  /** The key of the operator. */
  readonly brokerKey: string
  readonly brokerSecret: string
}

/** What a program observes with the SDK. It runs in every Node and in a browser, so it imports nothing. */
export async function observe(sdk: typeof Sdk, connection: Connection) {
  return { ...(await observeMain(sdk, connection)), ...(await observeWorld(sdk, connection)) }
}

/** In a world whose clock the program moves: every kind of order, tokens for shares, and an app. */
async function observeWorld(sdk: typeof Sdk, { url, brokerKey, brokerSecret }: Connection) {
  const operator = sdk.createClient({ url, keyId: brokerKey, secretKey: brokerSecret })
  const created = await operator.createWorld({ body: { seed: 'surface' } })
  const advance = (by: string) => operator.advanceClock({ params: { world: created.world }, body: { by } })
  const [account] = created.accounts
  const quipu = sdk.createQuipu({ url, keyId: account!.key_id, secretKey: account!.secret_key })
  await quipu.orders.market({ symbol: 'AAPL', qty: 20, side: 'buy' })
  await advance('1m')
  const kinds = await placeEveryKind(quipu)
  const minted = await quipu.tokenization.mint({
    underlying_symbol: 'AAPL',
    qty: '1.5',
    issuer: 'xstocks',
    network: 'ethereum',
    wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7',
  })
  await advance('1h')
  const token = await tokenOf(sdk, quipu, created, account!.account_id, url)
  const app = sdk.createQuipu({ url, accessToken: token })
  let candles = 0
  const query = { symbols: ['AAPL'], timeframe: '1Day', start: '2025-01-01', end: '2025-03-01' } as const
  for (const { time } of Object.values(await app.candles({ ...query, pageSize: 7 }))) candles += time.length
  return {
    kinds,
    minted: (await quipu.tokenization.wait(minted.tokenization_request_id)).status,
    app: (await app.account.get()).id === account!.account_id,
    candles,
  }
}

async function placeEveryKind({ orders }: Sdk.Quipu): Promise<readonly (readonly string[])[]> {
  const sell = { symbol: 'AAPL', side: 'sell', qty: 1 } as const
  const buy = { symbol: 'MSFT', side: 'buy', qty: 1 } as const
  const exits = { takeProfit: { limitPrice: 900 }, stopLoss: { stopPrice: 1 } } as const
  const placed = [
    await orders.limit({ ...sell, limitPrice: 900 }),
    await orders.stop({ ...sell, stopPrice: 1 }),
    await orders.stopLimit({ ...sell, stopPrice: 1, limitPrice: 1 }),
    await orders.trailingStop({ ...sell, trailPercent: 50 }),
    await orders.oco({ ...sell, ...exits }),
    await orders.bracket({ ...buy, limitPrice: 10, ...exits }),
    await orders.oto({ ...buy, limitPrice: 10, takeProfit: exits.takeProfit }),
  ]
  for (const { id } of placed) await orders.cancel(id)
  const ended = await Promise.all(placed.map(({ id }) => orders.wait(id)))
  return ended.map(({ type, orderClass, status }) => [type, orderClass, status])
}

/** The token of an app that the user allowed: code, PKCE, exchange. */
async function tokenOf(
  sdk: typeof Sdk,
  quipu: Sdk.Quipu,
  { partner, oauth_client: app }: Sdk.Output<'createWorld'>,
  account_id: string,
  url: string,
): Promise<string> {
  const { verifier, challenge } = await sdk.createPkce()
  const { client_id, client_secret, redirect_uri } = app!
  const { code } = await sdk
    .createClient({ url, keyId: partner.key_id, secretKey: partner.secret_key })
    .authorizeOAuthToken({
      body: {
        client_id,
        client_secret,
        redirect_uri,
        account_id,
        scope: 'data trading',
        code_challenge: challenge,
        code_challenge_method: 'S256',
      },
    })
  const credential = { clientId: client_id, clientSecret: client_secret }
  const exchange = { ...credential, code, redirectUri: redirect_uri, codeVerifier: verifier }
  return (await quipu.oauth.exchangeCode(exchange)).access_token
}

/** In the main world, whose clock runs. */
async function observeMain(sdk: typeof Sdk, connection: Connection) {
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
  } as const
  const filled = await quipu.orders.submitAndWait(order)
  while (!events.includes('fill')) await new Promise((resolve) => setTimeout(resolve, 5))
  stream.close()
  const prices = quipu.streams.marketData('crypto')
  const subscriptions = await prices.subscribe({ bars: ['BTC/USD'] })
  prices.close()
  let bars = 0
  const query = {
    symbols: 'AAPL',
    timeframe: '1Hour',
    start: '2025-06-02',
    end: '2025-06-06',
    pageSize: 5,
  } as const
  for await (const bar of quipu.bars(query)) if (bar.close > 0) bars += 1
  const found = await quipu.orders.byClientOrderId(filled.clientOrderId)
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
    order: [filled.status, filled.report.outcome, found.id === filled.id],
    price: ((await quipu.latestPrice('BTC/USD')) ?? 0) > 0,
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
  order: ['filled', 'confirmed', true],
  price: true,
  events: ['fill'],
  past: ['fill'],
  subscriptions: { bars: ['BTC/USD'] },
  hasBars: true,
  refusal: ['NotFoundError', 404, 40410000, true],
  pkce: 43,
  kinds: [
    ['limit', '', 'canceled'],
    ['stop', '', 'canceled'],
    ['stop_limit', '', 'canceled'],
    ['trailing_stop', '', 'canceled'],
    ['limit', 'oco', 'canceled'],
    ['limit', 'bracket', 'canceled'],
    ['limit', 'oto', 'canceled'],
  ],
  minted: 'completed',
  app: true,
  candles: 39,
}
