import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { call } from '../support/broker.ts'
import { assertRefused, broker, callWithHeaders, get, newWorld, UNKNOWN_ID, type World } from './stage.ts'

let world: World
before(async () => {
  world = await newWorld()
})

const announcements = '/v2/corporate_actions/announcements'
const november = 'since=2026-11-01&until=2026-11-30'

const empty: readonly [path: string, body: unknown][] = [
  [`${announcements}?ca_types=dividend&${november}`, []],
  [`${announcements}?ca_types=Dividend,SPLIT,merger,Spinoff&${november}&symbol=AAPL&date_type=ex_date`, []],
  [`${announcements}?ca_types=split&since=2026-11-01T00:00:00Z&until=2027-01-30`, []],
  ['/v2/options/contracts', { option_contracts: [], next_page_token: null }],
  [
    '/v2/options/contracts?underlying_symbols=AAPL,MSFT&show_deliverables=True&status=inactive&expiration_date_gte=2026-11-01' +
      '&expiration_date_lte=2026-12-31&root_symbol=AAPL&type=call&style=american&strike_price_gte=1.5&limit=10000&ppind=false',
    { option_contracts: [], next_page_token: null },
  ],
  ['/v2/wallets', []],
  ['/v2/wallets?chain=SOL', []],
  ['/v2/wallets/transfers', []],
  ['/v2/wallets/whitelists', []],
  ['/v1/locates', { locates: [], next_page_token: null }],
  [
    '/v1/locates?limit=10000&status=active&symbol=AAPL&start=2026-11-01&end=2026-11-30',
    { locates: [], next_page_token: null },
  ],
  [
    '/v1/locates/quotes?symbols=AAPL,NONE,BTC/USD',
    {
      quotes: [],
      errors: [
        { symbol: 'AAPL', code: 'easy_to_borrow', message: 'AAPL is easy to borrow' },
        { symbol: 'NONE', code: 'symbol_not_found', message: 'symbol not found: NONE' },
        { symbol: 'BTC/USD', code: 'symbol_not_found', message: 'symbol not found: BTC/USD' },
      ],
    },
  ],
]

for (const [path, body] of empty)
  test(`GET ${path}`, async () => {
    const response = await get(world, path)
    assert.deepEqual([response.status, response.body], [200, body])
  })

type Row = readonly [route: string, body: object | undefined, status: number, code: number, message: RegExp]
const transfer = { amount: '1.5', address: 'somewhere', asset: 'SOL', chain: 'SOL' }

const refused: readonly Row[] = [
  [`GET ${announcements}?${november}`, undefined, 422, 40010001, /^ca_types: expected/],
  [`GET ${announcements}?ca_types=,&${november}`, undefined, 422, 40010001, /^ca_types is required$/],
  [
    `GET ${announcements}?ca_types=party&${november}`,
    undefined,
    422,
    40010001,
    /^ca_types\[0\]: expected one of/,
  ],
  [
    `GET ${announcements}?ca_types=split&since=2026-11-01`,
    undefined,
    422,
    40010001,
    /^invalid param: both since & until required$/,
  ],
  [
    `GET ${announcements}?ca_types=split&until=2026-11-01`,
    undefined,
    422,
    40010001,
    /^invalid param: both since & until required$/,
  ],
  [
    `GET ${announcements}?ca_types=split&since=2026-11-02&until=2026-11-01`,
    undefined,
    422,
    40010001,
    /^until should not be before since$/,
  ],
  [
    `GET ${announcements}?ca_types=split&since=2026-11-01&until=2027-01-31`,
    undefined,
    422,
    40010001,
    /^since and until may be at most 90 days apart$/,
  ],
  [
    `GET ${announcements}?ca_types=split&${november}&date_type=day`,
    undefined,
    422,
    40010001,
    /^date_type: expected/,
  ],
  [`GET ${announcements}/${UNKNOWN_ID}`, undefined, 404, 40410000, /^announcement not found for /],
  ['GET /v2/options/contracts?type=maybe', undefined, 422, 40010001, /^type: expected one of call, put/],
  ['GET /v2/options/contracts?limit=10001', undefined, 422, 40010001, /^limit: expected a whole number/],
  [
    'GET /v2/options/contracts?expiration_date=soon',
    undefined,
    422,
    40010001,
    /^expiration_date: expected a date/,
  ],
  [
    'GET /v2/options/contracts/AAPL261218C00250000',
    undefined,
    404,
    40410000,
    /^option contract AAPL261218C00250000 not found$/,
  ],
  ['GET /v2/wallets?asset=BTC', undefined, 404, 40410000, /^wallet not found for BTC$/],
  ['GET /v2/wallets?chain=ABC', undefined, 422, 40010001, /^chain: expected one of SOL/],
  [`GET /v2/wallets/transfers/${UNKNOWN_ID}`, undefined, 404, 40410000, /^transfer not found for /],
  ['POST /v2/wallets/transfers', transfer, 403, 40310000, /^the account has no crypto wallet$/],
  ['POST /v2/wallets/transfers', { ...transfer, amount: '0' }, 422, 40010001, /^amount must be > 0$/],
  ['POST /v2/wallets/whitelists', transfer, 403, 40310000, /^the account has no crypto wallet$/],
  ['POST /v2/wallets/whitelists', {}, 422, 40010001, /^address: expected/],
  [
    `DELETE /v2/wallets/whitelists/${UNKNOWN_ID}`,
    undefined,
    404,
    40410000,
    /^whitelisted address not found for /,
  ],
  ['GET /v2/wallets/fees/estimate?asset=SOL', undefined, 403, 40310000, /^the account has no crypto wallet$/],
  [`GET /v1/locates/${UNKNOWN_ID}`, undefined, 404, 40410000, /^locate not found for /],
]

for (const [route, body, status, code, message] of refused)
  test(`${route}: ${status} ${message.source}`, async () => {
    const [method, path] = route.split(' ') as [string, string]
    assertRefused(await call(world, method, path, body), status, code, message)
  })

const locateRefusals: readonly [
  route: string,
  body: object | string | undefined,
  status: number,
  word: string,
][] = [
  ['POST /v1/locates', { symbol: 'AAPL', qty: 100 }, 422, 'easy_to_borrow'],
  [
    'POST /v1/locates',
    { symbol: 'AAPL', qty: '200', limit_price: 0.05, all_or_none: true },
    422,
    'easy_to_borrow',
  ],
  ['POST /v1/locates', { symbol: 'NONE', qty: 100 }, 422, 'symbol_not_found'],
  ['POST /v1/locates', { symbol: 'BTC/USD', qty: 100 }, 422, 'security_not_found'],
  ['POST /v1/locates', { symbol: 'AAPL', qty: 150 }, 400, 'invalid_input'],
  ['POST /v1/locates', { symbol: 'AAPL', qty: 0 }, 400, 'invalid_input'],
  ['POST /v1/locates', { qty: 100 }, 400, 'invalid_input'],
  ['POST /v1/locates', { symbol: 'AAPL', qty: 100, all_or_none: 'perhaps' }, 400, 'invalid_input'],
  ['POST /v1/locates', { symbol: 'AAPL', qty: 100, limit_price: '0' }, 400, 'invalid_limit_price'],
  ['POST /v1/locates', { symbol: 'AAPL', qty: 100, limit_price: 'much' }, 400, 'invalid_limit_price'],
  ['POST /v1/locates', '{"symbol"', 400, 'invalid_request_body'],
  ['GET /v1/locates/quotes', undefined, 400, 'invalid_symbols'],
  [`GET /v1/locates/quotes?symbols=${'A,'.repeat(101)}`, undefined, 400, 'invalid_symbols'],
  ['GET /v1/locates?limit=0', undefined, 400, 'invalid_input'],
  ['GET /v1/locates?status=lost', undefined, 400, 'invalid_input'],
  ['GET /v1/locates/one', undefined, 400, 'invalid_input'],
]

for (const [route, body, status, word] of locateRefusals)
  test(`${route.slice(0, 60)} ${JSON.stringify(body) ?? ''}: ${status} ${word}`, async () => {
    const [method, path] = route.split(' ') as [string, string]
    const response = await call(world, method, path, body)
    assert.deepEqual([response.status, response.body.code], [status, word])
    assert.equal(typeof response.body.message, 'string')
  })

test('unauthenticated requests are refused with 401, partner requests with 403', async () => {
  for (const path of ['/v1/locates', '/v2/wallets', '/v2/options/contracts', announcements])
    assertRefused(await callWithHeaders('GET', path), 401, 40110000)
  const partner = { url: broker.url, keyId: broker.brokerKey, secretKey: broker.brokerSecret }
  assertRefused(await get(partner, '/v1/locates'), 403, 40310000)
})

test('a server that keeps nothing has no backups; its world is in memory', async () => {
  const operator = { url: broker.url, keyId: broker.brokerKey, secretKey: broker.brokerSecret }
  const reason = 'no backup is possible: the server keeps nothing (--data memory)'
  assertRefused(await call(operator, 'POST', '/sim/v1/backups', {}), 409, 40910000, reason)
  assert.deepEqual((await get(operator, '/sim/v1/backups')).body, [])
  const { body } = await get(operator, '/sim/v1/worlds/main/store')
  assert.deepEqual([body.stored_in, 'journal_bytes' in body], ['memory', false])
})
