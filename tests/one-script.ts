import { type Body, type Broker, call, callAsOperator, newWorld } from './broker.ts'
import { StreamClient } from './stream-client.ts'

/** All that a run of the script was told: answers in order, frames by stream, and what the journals came to. */
export type Told = {
  readonly answers: readonly Body[]
  readonly frames: Readonly<Record<string, readonly Body[]>>
  readonly audits: readonly Body[]
}

type Caller = { readonly url: string; readonly keyId: string; readonly secretKey: string }
type World = Awaited<ReturnType<typeof newWorld>>
/** Calls, notes what was told, and gives the body back. */
type Ask = (
  who: Caller,
  method: string,
  path: string,
  body?: unknown,
  idempotencyKey?: string,
) => Promise<Body>

/** One script of calls that touches every noun, in a world of its own and in a fork of it. */
export async function runScript(broker: Broker): Promise<Told> {
  const answers: Body[] = []
  const ask: Ask = async (who, method, path, body, idempotencyKey) => {
    const headers: Record<string, string> = idempotencyKey ? { 'Idempotency-Key': idempotencyKey } : {}
    const answer = await call(who, method, path, body, headers)
    const told = { status: answer.status, seq: answer.headers.get('x-quipu-seq') }
    answers.push({ call: `${method} ${path}`, ...told, body: withoutSecrets(answer.body) })
    return answer.body
  }
  const world = await newWorld(broker, {
    seed: 'same',
    start: '2026-03-06T15:30:00Z',
    fill_size: 'displayed',
    latency: '250ms',
    accounts: 2,
  })
  answers.push({ call: 'the world', status: 201, body: withoutSecrets(world.created) })
  const operator = { url: broker.url, keyId: broker.brokerKey, secretKey: broker.brokerSecret }
  const advance = (by: string) => ask(operator, 'POST', `/sim/v1/worlds/${world.world}/clock/advance`, { by })
  const streams = await openStreams(world)
  await trade(ask, world, advance)
  await mint(ask, world)
  await grant(ask, world)
  await move(ask, world)
  // Over a weekend in which New York's clocks change: settlement, closes, and the ends of day orders.
  await advance('72h')
  await lookBack(ask, world)
  const fork = await ask(operator, 'POST', `/sim/v1/worlds/${world.world}/fork`, {})
  await tradeInFork(ask, broker, fork)

  const heard = streams.map(async ([name, client]) => [name, await client.rest()] as const)
  const frames = Object.fromEntries(await Promise.all(heard))
  for (const [, client] of streams) await client.close()
  const audit = (name: string) => callAsOperator(broker, 'GET', `/sim/v1/worlds/${name}/audit`)
  const audits = [(await audit(world.world)).body, (await audit(fork.world)).body]
  return { answers, frames, audits }
}

/** Trade updates, and live bars in both codecs, from the first instant on. */
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

/** Filled in parts, canceled, canceled again, its id taken, too much, near the market, and never reached. */
async function trade(ask: Ask, world: World, advance: (by: string) => Promise<Body>): Promise<void> {
  const place = (patch: object) => ask(world, 'POST', '/v2/orders', { ...order, ...patch })
  await place({})
  await advance('1h')
  const limit = { type: 'limit', limit_price: '20', client_order_id: 'resting' }
  const { id } = await place(limit)
  await place(limit)
  await place({ type: 'limit', limit_price: '20', qty: '9999999' })
  const { quote } = await ask(world, 'GET', '/v2/stocks/AAPL/quotes/latest')
  const near = (quote.bp - 0.5).toFixed(2)
  for (const price of [near, '1'])
    await place({ symbol: 'AAPL', qty: '1.5', type: 'limit', limit_price: price })
  for (let times = 0; times < 2; times++) await ask(world, 'DELETE', `/v2/orders/${id}`)
}

/** Refused before, minted, replayed, minted again, and refused by the issuer. */
async function mint(ask: Ask, world: World): Promise<void> {
  const request = { underlying_symbol: 'KO', qty: '10.5', issuer: 'xstocks', network: 'solana' }
  for (const [key, wallet_address] of [
    ['zero', 'no wallet'],
    ['one', 'anyone'],
    ['one', 'anyone'],
    ['two', 'anyone'],
    ['three', '0x000000000000000000000000000000000000dEaD'],
  ])
    await ask(world, 'POST', '/v2/tokenization/mint', { ...request, wallet_address }, key)
  await ask(world, 'GET', '/v2/tokenization/requests')
}

/** A code, exchanged twice; a token at once; and a scope nobody has. */
async function grant(ask: Ask, { created, accountId, partner }: World): Promise<void> {
  const request = { ...created.oauth_client, scope: 'trading', account_id: accountId }
  const { code } = await ask(partner, 'POST', '/v1/oauth/authorize', request)
  const exchange = { ...created.oauth_client, grant_type: 'authorization_code', code }
  for (let times = 0; times < 2; times++) await ask(partner, 'POST', '/oauth/token', exchange)
  await ask(partner, 'POST', '/v1/oauth/token', request)
  await ask(partner, 'POST', '/v1/oauth/token', { ...request, scope: 'everything' })
}

/** An account opened twice under one name, money and shares moved, too much taken out, and all set anew. */
async function move(ask: Ask, { accountId, partner }: World): Promise<void> {
  const wanted = { client_account_id: 'one', cash: '500', contact: { city: 'Cusco' } }
  const { id } = await ask(partner, 'POST', '/v1/accounts', wanted)
  await ask(partner, 'POST', '/v1/accounts', wanted)
  await ask(partner, 'POST', '/v1/accounts', { ...wanted, cash: '600' })
  const between = { from_account: accountId, to_account: id }
  await ask(partner, 'POST', '/v1/journals', { ...between, entry_type: 'JNLS', symbol: 'KO', qty: '100' })
  await ask(partner, 'POST', '/v1/journals', { ...between, entry_type: 'JNLC', amount: '9999999' })
  for (const amount of ['200', '100000'])
    await ask(partner, 'POST', `/v1/accounts/${id}/transfers`, { direction: 'OUTGOING', amount })
  await ask(partner, 'GET', `/v1/accounts/${id}/transfers`)
  await ask(partner, 'GET', '/v1/journals')
  const positions = [{ symbol: 'SPY', qty: '-3' }]
  await ask(partner, 'POST', `/v1/accounts/${id}/actions/reset`, { cash: '1000', positions })
  await ask(partner, 'POST', `/v1/accounts/${id}/actions/close`)
  await ask(partner, 'GET', '/v1/accounts')
}

async function lookBack(ask: Ask, world: World): Promise<void> {
  for (const path of [
    '/v2/account',
    '/v2/positions',
    '/v2/orders?status=all',
    '/v2/stocks/bars?symbols=AAPL,KO&timeframe=1Day&start=2026-02-20',
    '/v2/stocks/candles?symbols=SPY&timeframe=1Min&start=2026-03-09T13:25:00Z&end=2026-03-09T13:45:00Z',
    '/v2/stocks/trades/latest?symbols=AAPL,KO,SPY',
  ])
    await ask(world, 'GET', path)
}

async function tradeInFork(ask: Ask, { url }: Broker, { accounts: [account] }: Body): Promise<void> {
  const inFork = { url, keyId: account.key_id, secretKey: account.secret_key }
  await ask(inFork, 'POST', '/v2/orders', { ...order, qty: '1' })
  await ask(inFork, 'GET', '/v2/account')
}

const secrets = /"(key_id|secret_key|client_id|client_secret|access_token|code)":"[^"]*"/g

/** What is random even where all else is seeded: keys, ids of apps, codes and tokens. */
const withoutSecrets = (value: unknown): Body =>
  JSON.parse(JSON.stringify(value ?? null).replace(secrets, '"$1":"secret"'))
