import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import {
  type Body,
  type Broker,
  callAsOperator,
  newFolder,
  newWorld,
  type Started,
  startBroker,
} from '../support/broker.ts'
import { barsFile, newFile, runOn } from '../support/imported-data.ts'

/** Two brokers with the same worlds: one reads history on its main thread, the other in threads. */
const folders = [newFolder(), newFolder()]
const secondFile = newFile('WQXW_1Min.csv', readFileSync(barsFile, 'utf8').trim())
for (const folder of folders) for (const file of [barsFile, secondFile]) await runOn(folder, 'import', file)
const brokers: readonly Broker[] = await Promise.all(
  folders.map((data, index) => startBroker(['--data', data, '--readers', String(index * 2)])),
)
after(() => Promise.all(brokers.map((broker) => broker.stop())))

type Caller = Pick<Started, 'url' | 'keyId' | 'secretKey'>

/** The status and the bytes of a response. */
async function responseOf({ url, keyId, secretKey }: Caller, path: string): Promise<string> {
  const headers = { 'APCA-API-KEY-ID': keyId, 'APCA-API-SECRET-KEY': secretKey }
  const response = await fetch(url + path, { headers })
  // The path of a damaged file is in its error.
  const text = (await response.text()).replace(/quipu-\w{6}/, 'quipu')
  return `${response.status} ${response.headers.get('content-type')} ${text}`
}

/** The longest pages: compared after the last change, in long runs also before the first and after each. */
const longPaths: readonly string[] = [
  '/v2/stocks/bars?symbols=AAPL,MSFT,NVDA,ZQXW&timeframe=1Min&limit=10000&start=2025-12-29',
  '/v2/stocks/AAPL/trades?start=2026-01-02T15:00:00Z&limit=10000&currency=USD',
]

/** Bars, ticks and auctions, next pages, and refused requests. */
const paths: readonly string[] = [
  '/v2/stocks/bars?symbols=AAPL,MSFT,ZQXW&timeframe=1Day&start=2024-01-02&end=2025-12-31',
  '/v2/stocks/bars?symbols=AAPL&timeframe=1Hour&start=2025-12-01&sort=desc&limit=50',
  '/v2/stocks/bars?symbols=AAPL,NEWCO&timeframe=1Week&start=2025-01-02&adjustment=all',
  '/v2/stocks/bars?symbols=AAPL&timeframe=1Day&start=2025-11-03&adjustment=split',
  '/v2/stocks/bars?symbols=AAPL&timeframe=1Month&start=2025-01-02&adjustment=dividend&asof=-',
  '/v2/stocks/bars?symbols=AAPL,MSFT,PEAR&timeframe=1Day&start=2025-12-29&adjustment=all',
  '/v2/stocks/AAPL/bars?timeframe=15Min&start=2026-01-05',
  '/v2/stocks/ZQXW/bars?timeframe=1Min&start=2025-03-10&end=2025-03-12&limit=500',
  '/v2/stocks/WQXW/bars?timeframe=1Min&start=2025-03-10&end=2025-03-11',
  '/v2/stocks/NOPE/bars?timeframe=1Day&start=2025-01-02',
  '/v2/stocks/candles?symbols=AAPL,ZQXW&timeframe=1Day&start=2025-03-03&end=2025-03-20',
  '/v1beta3/crypto/us/bars?symbols=BTC/USD,ETH/USD&timeframe=1Hour&start=2025-12-30&limit=40',
  '/v1beta3/crypto/us/trades?symbols=BTC/USD&start=2026-01-05T10:00:00Z&limit=300',
  '/v1beta3/crypto/us/quotes?symbols=BTC/USD,ETH/USD&start=2026-01-05T14:59:00Z&limit=300',
  '/v2/stocks/trades?symbols=AAPL,MSFT,ZQXW&start=2026-01-05T14:59:00Z&limit=2000',
  '/v2/stocks/quotes?symbols=AAPL,ZQXW&start=2026-01-05T14:59:30Z&limit=2000',
  '/v2/stocks/ZQXW/quotes?start=2025-03-10T14:00:00Z&limit=100&sort=desc',
  '/v2/stocks/auctions?symbols=AAPL,MSFT,NVDA&start=2025-11-03&end=2026-01-05',
  '/v2/stocks/AAPL/auctions?start=2025-12-30&limit=2',
  '/v2/stocks/bars?symbols=AAPL&timeframe=1Day&start=2025-03-10&end=2025-03-01',
  '/v2/stocks/bars?symbols=AAPL&timeframe=1Day&page_token=x',
  '/v2/stocks/bars?symbols=AAPL&timeframe=1Day&currency=EUR',
  '/v2/stocks/trades?symbols=&start=2025-03-10',
  '/v2/stocks/quotes?symbols=AAPL&limit=0',
]

/** The pages of the symbols that the changes add: all that a short run compares before the clock advances. */
const changedPaths = paths.filter((path) => /NEWCO|ZQXW.*1Day/.test(path))

/** The responses to paths and the next page of each. */
async function responsesOf(caller: Caller, paths: readonly string[]): Promise<readonly string[]> {
  const all: string[] = []
  for (const path of paths)
    for (let [next, pages]: [string | null, number] = [path, 0]; next !== null && pages < 2; pages++) {
      const response = await responseOf(caller, next)
      all.push(`${next}: ${response}`)
      const token: string | undefined = /"next_page_token":"([^"]+)"/.exec(response)?.[1]
      next = token === undefined ? null : `${path}&page_token=${token}`
    }
  return all
}

/** Asserts that both brokers answer with the same bytes, and returns them. */
async function assertSame(callers: readonly Caller[], some = paths): Promise<string> {
  const [local, threads] = await Promise.all(callers.map((caller) => responsesOf(caller, some)))
  assert.equal(threads!.length, local!.length)
  for (const [index, response] of local!.entries())
    assert.ok(threads![index] === response, `${threads![index]!.slice(0, 500)}\n${response.slice(0, 500)}`)
  return local!.join('\n')
}

const newWorlds = () => Promise.all(brokers.map((broker) => newWorld(broker, { seed: 'threads' })))

/** Calls an operation in each broker's world. */
const control = (
  worlds: readonly { readonly world: string }[],
  path: string,
  body: object,
): Promise<Body[]> =>
  Promise.all(
    brokers.map(async (broker, index) => {
      const target = `/sim/v1/worlds/${worlds[index]!.world}/${path}`
      const response = await callAsOperator(broker, 'POST', target, body)
      assert.ok(response.status < 300, JSON.stringify(response.body))
      return response.body
    }),
  )

/** Changes of a market. Events and actions change its pages when the clock reaches them. */
const changes: readonly (readonly [string, object])[] = [
  ['assets', { symbol: 'NEWCO', price: '12' }],
  ['assets', { symbol: 'ZQXW', price: '30' }],
  [
    'market-events',
    { kind: 'halt', symbol: 'AAPL', from: '2026-01-05T15:02:00Z', to: '2026-01-05T15:09:00Z' },
  ],
  [
    'corporate-actions',
    { type: 'forward_split', symbol: 'AAPL', ex_date: '2026-01-06', new_rate: 4, old_rate: 1 },
  ],
  ['corporate-actions', { type: 'cash_dividend', symbol: 'AAPL', ex_date: '2026-01-07', rate: '1' }],
  ['data', { symbols: ['ZQXW'] }],
  ['corporate-actions', { type: 'name_change', symbol: 'MSFT', ex_date: '2026-01-06', new_symbol: 'PEAR' }],
  ['clock/advance', { to: '2026-01-07T16:00:00Z' }],
]

test('threads return the same bytes as the main thread, after each change of a world', async () => {
  const worlds = await newWorlds()
  const isLong = process.env['MARKETS'] === 'all'
  if (isLong) await assertSame(worlds, longPaths)
  const pages = [await assertSame(worlds)]
  for (const [path, body] of changes) {
    await control(worlds, path, body)
    // Events and actions change nothing yet.
    if (isLong || path === 'clock/advance') pages.push(await assertSame(worlds))
    else if (!/events|actions/.test(path)) pages.push(await assertSame(worlds, changedPaths))
    if (isLong) await assertSame(worlds, longPaths)
  }
  await assertSame(worlds, longPaths)
  // Two new symbols, the imported data and the clock.
  assert.equal(new Set(pages).size, 5)
  const forks = await control(worlds, 'fork', {})
  const callers = forks.map(({ accounts: [account] }, index) => ({
    url: brokers[index]!.url,
    keyId: account.key_id,
    secretKey: account.secret_key,
  }))
  assert.ok((await assertSame(callers)) === pages.at(-1))
})

test('threads answer with the same error when imported data cannot be read', async () => {
  const worlds = await newWorlds()
  await control(worlds, 'data', { symbols: ['WQXW'] })
  for (const folder of folders) {
    const database = new DatabaseSync(join(folder, 'market', 'market.sqlite'))
    database.exec(`UPDATE blocks SET data = zeroblob(length(data)) WHERE series LIKE '%WQXW'`)
    database.close()
  }
  assert.match(await assertSame(worlds), /: 503 .*dataUnreadable/)
})

const journalPaths = [
  'events?limit=7',
  'events?limit=7&after=3&kind=accountOpened,orderAccepted',
  'postings?limit=1',
  'postings?limit=1&format=csv',
  'postings?limit=1&format=ndjson&asset=USD',
]

test('a thread returns the same page of the journal of main as the main thread', async () => {
  const data = newFolder()
  const pages: string[][] = []
  for (const readers of ['1', '0']) {
    const broker = await startBroker(['--data', data, '--readers', readers])
    const operator = { url: broker.url, keyId: broker.brokerKey, secretKey: broker.brokerSecret }
    const responses: string[] = []
    for (const path of journalPaths) responses.push(await responseOf(operator, `/sim/v1/worlds/main/${path}`))
    pages.push(responses)
    assert.equal(await broker.stop(), 0)
  }
  assert.deepEqual(pages[0], pages[1])
  for (const page of pages[0]!) assert.match(page, /^200 (?=.*accountOpened)/s)
})

test('SIGTERM ends a broker whose threads are reading', async () => {
  const broker = await startBroker(['--data', 'memory', '--readers', '1'])
  const path = '/v2/stocks/bars?symbols=AAPL,MSFT,NVDA&timeframe=1Min&limit=10000&start=2024-01-02'
  const reading = [1, 2, 3, 4].map(() => responseOf(broker, path).catch(String))
  await responseOf(broker, '/v2/stocks/AAPL/bars?timeframe=1Day&limit=1&start=2024-01-02')
  assert.equal(await broker.stop(), 0)
  for (const response of await Promise.all(reading)) assert.match(response, /^200 |^503 |fetch failed/)
  assert.doesNotMatch(broker.log(), /internal error/)
})
