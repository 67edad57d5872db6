import { type Body, type Broker, call, callAsOperator, newWorld } from '../support/broker.ts'
import { StreamClient } from '../support/stream-client.ts'

/** The output of one run of the script: responses in order, frames by stream, and the audits of both worlds. */
export type ScriptOutput = {
  readonly responses: readonly Body[]
  readonly frames: Readonly<Record<string, readonly Body[]>>
  readonly audits: readonly Body[]
}

type Caller = { readonly url: string; readonly keyId: string; readonly secretKey: string }
type World = Awaited<ReturnType<typeof newWorld>>
/** Sends a request, records the response, and returns its body. */
type Request = (
  caller: Caller,
  method: string,
  path: string,
  body?: unknown,
  idempotencyKey?: string,
) => Promise<Body>

/** Sends requests of every kind, in a new world and in a fork of it. */
export async function runScript(broker: Broker): Promise<ScriptOutput> {
  const responses: Body[] = []
  const request: Request = async (caller, method, path, body, idempotencyKey) => {
    const headers: Record<string, string> = idempotencyKey ? { 'Idempotency-Key': idempotencyKey } : {}
    const response = await call(caller, method, path, body, headers)
    const result = { status: response.status, seq: response.headers.get('x-quipu-seq') }
    responses.push({ call: `${method} ${path}`, ...result, body: withoutSecrets(response.body) })
    return response.body
  }
  const world = await newWorld(broker, {
    seed: 'same',
    start: '2026-03-06T15:30:00Z',
    fill_size: 'displayed',
    latency: '250ms',
    accounts: 2,
  })
  responses.push({ call: 'the world', status: 201, body: withoutSecrets(world.created) })
  const operator = { url: broker.url, keyId: broker.brokerKey, secretKey: broker.brokerSecret }
  const advance = (by: string) =>
    request(operator, 'POST', `/sim/v1/worlds/${world.world}/clock/advance`, { by })
  const streams = await openStreams(world)
  await trade(request, world, advance)
  await mint(request, world)
  await grant(request, world)
  await moveMoney(request, world)
  // A weekend with a change of daylight saving time: settlement, closes and expired day orders.
  await advance('72h')
  await readHistory(request, world)
  const fork = await request(operator, 'POST', `/sim/v1/worlds/${world.world}/fork`, {})
  await tradeInFork(request, broker, fork)

  const received = streams.map(async ([name, client]) => [name, await client.rest()] as const)
  const frames = Object.fromEntries(await Promise.all(received))
  for (const [, client] of streams) await client.close()
  const audit = (name: string) => callAsOperator(broker, 'GET', `/sim/v1/worlds/${name}/audit`)
  const audits = [(await audit(world.world)).body, (await audit(fork.world)).body]
  return { responses, frames, audits }
}

/** Streams of trade updates and of live bars in both encodings, opened before the first request. */
async function openStreams({ url, keyId, secretKey }: Caller): Promise<[string, StreamClient][]> {
  const updates = await StreamClient.open(`${url}/stream`)
  await updates.request({ action: 'auth', key: keyId, secret: secretKey })
  await updates.request({ action: 'listen', data: { streams: ['trade_updates'] } })
  const streams: [string, StreamClient][] = [['updates', updates]]
  for (const type of ['application/json', 'application/msgpack']) {
    const data = await StreamClient.open(`${url}/v2/iex`, { 'Content-Type': type })
    await data.next()
    await data.request({ action: 'auth', key: keyId, secret: secretKey })
    await data.request({ action: 'subscribe', bars: ['KO'], dailyBars: ['SPY'] })
    streams.push([type, data])
  }
  return streams
}

const order = { symbol: 'KO', qty: '2500', side: 'buy', type: 'market', time_in_force: 'day' }

/** Orders: partially filled, canceled twice, with a used id, too large, near the market, and never filled. */
async function trade(request: Request, world: World, advance: (by: string) => Promise<Body>): Promise<void> {
  const place = (patch: object) => request(world, 'POST', '/v2/orders', { ...order, ...patch })
  await place({})
  await advance('1h')
  const limit = { type: 'limit', limit_price: '20', client_order_id: 'resting' }
  const { id } = await place(limit)
  await place(limit)
  await place({ type: 'limit', limit_price: '20', qty: '9999999' })
  const { quote } = await request(world, 'GET', '/v2/stocks/AAPL/quotes/latest')
  const near = (quote.bp - 0.5).toFixed(2)
  for (const price of [near, '1'])
    await place({ symbol: 'AAPL', qty: '1.5', type: 'limit', limit_price: price })
  for (let times = 0; times < 2; times++) await request(world, 'DELETE', `/v2/orders/${id}`)
}

/** Mints: refused, accepted, replayed, accepted again, and refused by the issuer. */
async function mint(request: Request, world: World): Promise<void> {
  const mint = { underlying_symbol: 'KO', qty: '10.5', issuer: 'xstocks', network: 'solana' }
  for (const [key, wallet_address] of [
    ['zero', 'no wallet'],
    ['one', 'anyone'],
    ['one', 'anyone'],
    ['two', 'anyone'],
    ['three', '0x000000000000000000000000000000000000dEaD'],
  ])
    await request(world, 'POST', '/v2/tokenization/mint', { ...mint, wallet_address }, key)
  await request(world, 'GET', '/v2/tokenization/requests')
}

/** A code that is exchanged twice, a token without a code, and an unknown scope. */
async function grant(request: Request, { created, accountId, partner }: World): Promise<void> {
  const grant = { ...created.oauth_client, scope: 'trading', account_id: accountId }
  const { code } = await request(partner, 'POST', '/v1/oauth/authorize', grant)
  const exchange = { ...created.oauth_client, grant_type: 'authorization_code', code }
  for (let times = 0; times < 2; times++) await request(partner, 'POST', '/oauth/token', exchange)
  await request(partner, 'POST', '/v1/oauth/token', grant)
  await request(partner, 'POST', '/v1/oauth/token', { ...grant, scope: 'everything' })
}

/** An account created twice with one id, journals and transfers, some too large, a reset and a close. */
async function moveMoney(request: Request, { accountId, partner }: World): Promise<void> {
  const account = { client_account_id: 'one', cash: '500', contact: { city: 'Cusco' } }
  const { id } = await request(partner, 'POST', '/v1/accounts', account)
  await request(partner, 'POST', '/v1/accounts', account)
  await request(partner, 'POST', '/v1/accounts', { ...account, cash: '600' })
  const between = { from_account: accountId, to_account: id }
  await request(partner, 'POST', '/v1/journals', { ...between, entry_type: 'JNLS', symbol: 'KO', qty: '100' })
  await request(partner, 'POST', '/v1/journals', { ...between, entry_type: 'JNLC', amount: '9999999' })
  for (const amount of ['200', '100000'])
    await request(partner, 'POST', `/v1/accounts/${id}/transfers`, { direction: 'OUTGOING', amount })
  await request(partner, 'GET', `/v1/accounts/${id}/transfers`)
  await request(partner, 'GET', '/v1/journals')
  const positions = [{ symbol: 'SPY', qty: '-3' }]
  await request(partner, 'POST', `/v1/accounts/${id}/actions/reset`, { cash: '1000', positions })
  await request(partner, 'POST', `/v1/accounts/${id}/actions/close`)
  await request(partner, 'GET', '/v1/accounts')
}

async function readHistory(request: Request, world: World): Promise<void> {
  for (const path of [
    '/v2/account',
    '/v2/positions',
    '/v2/orders?status=all',
    '/v2/stocks/bars?symbols=AAPL,KO&timeframe=1Day&start=2026-02-20',
    '/v2/stocks/candles?symbols=SPY&timeframe=1Min&start=2026-03-09T13:25:00Z&end=2026-03-09T13:45:00Z',
    '/v2/stocks/trades/latest?symbols=AAPL,KO,SPY',
  ])
    await request(world, 'GET', path)
}

async function tradeInFork(request: Request, { url }: Broker, { accounts: [account] }: Body): Promise<void> {
  const inFork = { url, keyId: account.key_id, secretKey: account.secret_key }
  await request(inFork, 'POST', '/v2/orders', { ...order, qty: '1' })
  await request(inFork, 'GET', '/v2/account')
}

const secrets = /"(key_id|secret_key|client_id|client_secret|access_token|code)":"[^"]*"/g

/** Keys, app ids, codes and tokens are random in every run, so they are masked. */
const withoutSecrets = (value: unknown): Body =>
  JSON.parse(JSON.stringify(value ?? null).replace(secrets, '"$1":"secret"'))
