import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import type { Asset } from '../market/assets/asset.ts'
import { TestWorld } from '../testing/world.ts'
import { type AccountBalances, balancesOf } from './balances.ts'
import type { AccountConfig } from './config.ts'

function balancesAfter(
  lines: readonly string[],
  changes: Partial<AccountConfig> = {},
  assets: Readonly<Record<string, Partial<Asset>>> = {},
): AccountBalances {
  const world = new TestWorld()
  for (const [symbol, terms] of Object.entries(assets)) world.assets.set(symbol, terms)
  world.run(lines[0]!)
  const accountId = world.accounts.get('A')!
  world.submit({ kind: 'changeConfig', accountId, changes })
  for (const line of lines.slice(1)) world.run(line)
  const prices = {
    quote: (symbol: Ticker) => world.quotes.get(symbol),
    trade: (symbol: Ticker) => world.trades.get(symbol),
  }
  return balancesOf(world.state, { prices, asset: world.asset }, accountId)
}

const pickText = (balances: AccountBalances, names: readonly string[]) =>
  Object.fromEntries(
    names.map((name) => {
      const value = balances[name as keyof AccountBalances]
      return [name, typeof value === 'bigint' ? format(value) : value]
    }),
  )

const at = (symbol: string, price: string) => [
  `quote ${symbol} ${price} ${price}`,
  `trade ${symbol} ${price}`,
]

// Numbers of the published example of an account, with today's equity instead of yesterday's.
for (const [lines, then] of [
  [
    ['open A 103820.56', 'quote AAPL 100 100', 'trade AAPL 100', 'buy A o1 AAPL 1269.6076'],
    {
      cash: '-23140.2',
      longValue: '126960.76',
      equity: '103820.56',
      initialMargin: '63480.38',
      maintenanceMargin: '38088.228',
      regTBuyingPower: '80680.36',
      optionsBuyingPower: '40340.18',
      buyingPower: '288321.48',
      nonMarginableBuyingPower: '0',
    },
  ],
  [['open A 100000'], { buyingPower: '400000', regTBuyingPower: '200000', optionsBuyingPower: '100000' }],
  [['open A 500'], { buyingPower: '500', regTBuyingPower: '500', nonMarginableBuyingPower: '500' }],
  [['open A 2000'], { buyingPower: '8000' }],
  [['open A 1999.99'], { buyingPower: '1999.99' }],
  [
    ['open A 100000', 'quote AAPL 99 100', 'buy A o1 AAPL 100 @90'],
    { held: '9000', buyingPower: '391000', regTBuyingPower: '191000', nonMarginableBuyingPower: '91000' },
  ],
  [
    ['open A 100000', 'quote AAPL 2 2', 'trade AAPL 2', 'buy A o1 AAPL 100'],
    { maintenanceMargin: '200', initialMargin: '100' },
  ],
  [['open A 100000', 'quote AAPL 6 6', 'trade AAPL 6', 'buy A o1 AAPL 100'], { maintenanceMargin: '300' }],
  [
    ['open A 100000', 'quote AAPL 2.5 2.5', 'trade AAPL 2.5', 'buy A o1 AAPL 2'],
    { maintenanceMargin: '2.5' },
  ],
  [
    ['open A 100000', 'quote AAPL 6.01 6.01', 'trade AAPL 6.01', 'buy A o1 AAPL 1'],
    { maintenanceMargin: '1.803' },
  ],
  // Without a last trade a position counts at its cost.
  [['open A 100000', 'quote AAPL 10 11', 'buy A o1 AAPL 100'], { longValue: '1100', equity: '100000' }],
  // A short needs 50 % initial and 30 % maintenance margin; its proceeds are cash.
  [
    ['open A 100000', ...at('AAPL', '100'), 'sell A o1 AAPL 100'],
    {
      cash: '110000',
      shortValue: '-10000',
      equity: '100000',
      initialMargin: '5000',
      maintenanceMargin: '3000',
      regTBuyingPower: '190000',
      buyingPower: '390000',
      nonMarginableBuyingPower: '97000',
      specialMemorandum: '95000',
    },
  ],
  // A rising price increases the margin of a short.
  [
    ['open A 100000', ...at('AAPL', '100'), 'sell A o1 AAPL 100', 'trade AAPL 150'],
    {
      cash: '110000',
      shortValue: '-15000',
      equity: '95000',
      maintenanceMargin: '4500',
      buyingPower: '365000',
    },
  ],
  // Shorts: at least $2.50 a share below a price of $5, and at least $5 a share above.
  [['open A 100000', ...at('AAPL', '4.99'), 'sell A o1 AAPL 100'], { maintenanceMargin: '499' }],
  [['open A 100000', ...at('AAPL', '2'), 'sell A o1 AAPL 100'], { maintenanceMargin: '250' }],
  [['open A 100000', ...at('AAPL', '5'), 'sell A o1 AAPL 100'], { maintenanceMargin: '500' }],
  [['open A 100000', ...at('AAPL', '16'), 'sell A o1 AAPL 100'], { maintenanceMargin: '500' }],
  [['open A 100000', ...at('AAPL', '17'), 'sell A o1 AAPL 100'], { maintenanceMargin: '510' }],
  // Leveraged funds, 2x and 3x.
  [
    ['open A 100000', ...at('SSO', '100'), 'buy A o1 SSO 10'],
    { maintenanceMargin: '500', initialMargin: '500' },
  ],
  [['open A 100000', ...at('TQQQ', '100'), 'buy A o1 TQQQ 10'], { maintenanceMargin: '750' }],
  [['open A 100000', ...at('TQQQ', '100'), 'sell A o1 TQQQ 10'], { maintenanceMargin: '750' }],
  [['open A 100000', ...at('TQQQ', '2'), 'buy A o1 TQQQ 10'], { maintenanceMargin: '20' }],
  // A long and a short together.
  [
    ['open A 100000', ...at('AAPL', '100'), ...at('KO', '50'), 'buy A o1 AAPL 100', 'sell A o2 KO 100'],
    {
      longValue: '10000',
      shortValue: '-5000',
      equity: '100000',
      initialMargin: '7500',
      maintenanceMargin: '4500',
    },
  ],
  // Four orders of 98,000 with 100,000: the concentration margin does not reduce the buying power.
  [
    ['open A 100000', ...at('AAPL', '98'), 'buy A o1 AAPL 1000', 'buy A o2 AAPL 1000', 'buy A o3 AAPL 1000'],
    { cash: '-194000', maintenanceMargin: '147000', buyingPower: '106000' },
  ],
  [
    [
      'open A 100000',
      ...at('AAPL', '98'),
      'buy A o1 AAPL 1000',
      'buy A o2 AAPL 1000',
      'buy A o3 AAPL 1000',
      'buy A o4 AAPL 1000',
    ],
    { longValue: '392000', buyingPower: '8000' },
  ],
  [['open A 100000', ...at('TQQQ', '100'), 'buy A o1 TQQQ 1000'], { buyingPower: '300000' }],
  [['open A 100000', ...at('AAPL', '2'), 'buy A o1 AAPL 10000'], { buyingPower: '380000' }],
  // A concentrated symbol with debt of $100,000 or more needs 50 % maintenance margin.
  [
    ['open A 100000', ...at('AAPL', '100'), 'buy A o1 AAPL 2000'],
    { cash: '-100000', maintenanceMargin: '100000' },
  ],
  [
    ['open A 100000', ...at('AAPL', '100'), 'buy A o1 AAPL 1999.99'],
    { cash: '-99999', maintenanceMargin: '59999.7' },
  ],
  [
    ['open A 100000', ...at('AAPL', '100'), ...at('KO', '100'), 'buy A o1 AAPL 1400', 'buy A o2 KO 600'],
    { maintenanceMargin: '88000' },
  ],
  [
    ['open A 100000', ...at('AAPL', '100'), ...at('KO', '100'), 'buy A o1 AAPL 1399', 'buy A o2 KO 601'],
    { maintenanceMargin: '60000' },
  ],
  // Unsettled proceeds do not count for non-marginable assets.
  [
    [
      'open A 10000',
      ...at('AAPL', '100'),
      'buy A o1 AAPL 50',
      'until 2026-11-04T15:00:00Z',
      'sell A o2 AAPL 50',
    ],
    { cash: '10000', nonMarginableBuyingPower: '5000', buyingPower: '40000' },
  ],
  // A short order holds money like a buy.
  [
    ['open A 100000', 'quote AAPL 99 100', 'sell A o1 AAPL 100 @120'],
    { held: '12000', buyingPower: '388000', regTBuyingPower: '188000' },
  ],
  // Below $2,000 of equity, the proceeds and the margin of a short cannot be spent.
  [
    ['open A 2500', ...at('AAPL', '10'), 'sell A o1 AAPL 100', 'trade AAPL 16'],
    { cash: '3500', equity: '1900', multiplier: 1, buyingPower: '1400', nonMarginableBuyingPower: '1400' },
  ],
  // A position above six times the equity: only closing orders are accepted.
  [
    ['open A 2500', ...at('AAPL', '10'), 'buy A o1 AAPL 900', 'trade AAPL 7.8'],
    { equity: '520', isRestricted: true, mayShort: false },
  ],
  [['open A 2500', ...at('AAPL', '10'), 'buy A o1 AAPL 900', 'trade AAPL 9'], { isRestricted: false }],
] as const)
  test(`${lines.join('; ')}: ${JSON.stringify(then)}`, () =>
    assert.deepEqual(pickText(balancesAfter(lines), Object.keys(then)), then))

for (const [cash, changes, then] of [
  ['100000', {}, { multiplier: 4, buyingPower: '400000', mayShort: true }],
  ['2000', {}, { multiplier: 4, mayShort: true }],
  ['1999.99', {}, { multiplier: 1, mayShort: false }],
  ['100000', { maxMarginMultiplier: 2 }, { multiplier: 2, buyingPower: '200000', regTBuyingPower: '200000' }],
  [
    '100000',
    { maxMarginMultiplier: 1 },
    { multiplier: 1, buyingPower: '100000', regTBuyingPower: '100000', mayShort: false },
  ],
  ['100000', { noShorting: true }, { multiplier: 4, mayShort: false }],
  ['1000', { maxMarginMultiplier: 2 }, { multiplier: 1 }],
] as const)
  test(`with ${cash} and ${JSON.stringify(changes)}: ${JSON.stringify(then)}`, () =>
    assert.deepEqual(pickText(balancesAfter([`open A ${cash}`], changes), Object.keys(then)), then))

// The margin terms of the asset count, not its symbol.
for (const [assets, line, then] of [
  [
    { ZQXW: { marginable: false } },
    'buy A o1 ZQXW 100',
    { initialMargin: '2000', maintenanceMargin: '2000' },
  ],
  [{ ZQXW: { marginable: false } }, 'buy A o1 ZQXW 100', { regTBuyingPower: '16000', buyingPower: '32000' }],
  [
    { ZQXW: { marginable: false } },
    'sell A o1 ZQXW 100',
    { initialMargin: '2000', maintenanceMargin: '2000' },
  ],
  [{ ZQXW: { marginable: false } }, 'sell A o1 ZQXW 100', { regTBuyingPower: '16000', buyingPower: '32000' }],
  [{ ZQXW: { leverage: 3 } }, 'buy A o1 ZQXW 100', { initialMargin: '1000', maintenanceMargin: '1500' }],
  [{ TQQQ: { marginable: false } }, 'buy A o1 ZQXW 100', { initialMargin: '1000', maintenanceMargin: '600' }],
] as const)
  test(`${JSON.stringify(assets)}; ${line}: ${JSON.stringify(then)}`, () => {
    const balances = balancesAfter(['open A 10000', ...at('ZQXW', '20'), line], {}, assets)
    assert.deepEqual(pickText(balances, Object.keys(then)), then)
  })
