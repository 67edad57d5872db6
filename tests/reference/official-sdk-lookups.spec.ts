import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  type Alpaca,
  ApiError,
  NotFoundError,
  PermissionError,
  ValidationError,
} from '@alpacahq/alpaca-trade-api'
import { newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { OfficialSdk } from './official-sdk.ts'

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'

const sdk = new OfficialSdk()
let accountId: string
let trading: Alpaca['trading']

before(async () => {
  const world = await newWorld(broker, { start: '2026-11-02T15:00:00Z', hours: 'nyse' })
  accountId = world.accountId
  trading = sdk.client(world).trading
})

test('assets are listed by class, exchange and attribute', async () => {
  const all = await trading.assets.getV2Assets()
  assert(all.length > 500)
  const nyse = await trading.assets.getV2Assets({ status: 'active', exchange: 'NYSE' })
  assert(nyse.length > 0 && nyse.every(({ exchange }) => exchange === 'NYSE'))
  const attributes = ['ipo', 'fractional_eh_enabled'] as never
  assert.deepEqual(await trading.assets.getV2Assets({ attributes }), all)
  const coins = await trading.assets.getV2Assets({ assetClass: 'crypto' })
  assert.deepEqual(
    coins.map(({ symbol }) => symbol),
    ['AVAX/USD', 'BTC/USD', 'DOGE/USD', 'ETH/USD', 'LINK/USD', 'LTC/USD', 'SOL/USD', 'USDT/USD'],
  )
})

test('a pair is found by its symbol, its alias and its id', async () => {
  const one = (symbolOrAssetId: string) => trading.assets.getV2AssetsSymbolOrAssetId({ symbolOrAssetId })
  const bitcoin = await one('BTC/USD')
  assert.deepEqual(
    [bitcoin._class, bitcoin.exchange, bitcoin.minTradeIncrement, bitcoin.priceIncrement],
    ['crypto', 'CRYPTO', '0.000000001', '0.1'],
  )
  assert.deepEqual(await one('BTCUSD'), bitcoin)
  assert.deepEqual(await one(bitcoin.id!), bitcoin)
  await assert.rejects(one('NONE'), NotFoundError)
})

test('the clock is that of the world', async () => {
  const clock = await trading.clock.legacyClock()
  assert.deepEqual(
    [clock.isOpen, clock.nextOpen, clock.nextClose],
    [true, new Date('2026-11-03T14:30:00Z'), new Date('2026-11-02T21:00:00Z')],
  )
})

test('the clocks of markets have phases', async () => {
  const { clocks } = await trading.clock.clock({
    markets: 'NYSE,BOATS',
    time: new Date('2026-11-03T02:00:00Z'),
  })
  assert.deepEqual(
    clocks.map(({ market, phase, phaseUntil, isMarketDay }) => [
      market.acronym,
      phase,
      phaseUntil,
      isMarketDay,
    ]),
    [
      ['NYSE', 'closed', new Date('2026-11-03T09:00:00Z'), true],
      ['BOATS', 'core', new Date('2026-11-03T09:00:00Z'), true],
    ],
  )
  const now = await trading.clock.clock()
  assert.deepEqual([now.clocks[0]?.market.mic, now.clocks[0]?.phase], ['XNYS', 'core'])
  await assert.rejects(trading.clock.clock({ markets: 'LSE' }), ValidationError)
})

test('the calendar has the short day after Thanksgiving', async () => {
  const [start, end] = [new Date('2026-11-26'), new Date('2026-11-27')]
  const days = await trading.calendar.legacyCalendar({ start, end })
  assert.deepEqual(days, [
    {
      date: new Date('2026-11-27'),
      open: '09:30',
      close: '13:00',
      sessionOpen: '0400',
      sessionClose: '1700',
      settlementDate: new Date('2026-11-30'),
    },
  ])
  const settled = await trading.calendar.legacyCalendar({ start: end, end, dateType: 'SETTLEMENT' })
  assert.deepEqual(
    settled.map(({ date }) => date),
    [new Date('2026-11-25')],
  )
  const { market, calendar } = await trading.calendar.calendar({ market: 'XNAS', start, end })
  assert.equal(market.acronym, 'NASDAQ')
  assert.deepEqual(
    calendar.map(({ preStart, coreStart, coreEnd, postEnd }) => [preStart, coreStart, coreEnd, postEnd]),
    [
      [
        new Date('2026-11-27T09:00:00Z'),
        new Date('2026-11-27T14:30:00Z'),
        new Date('2026-11-27T18:00:00Z'),
        new Date('2026-11-27T22:00:00Z'),
      ],
    ],
  )
  await assert.rejects(trading.calendar.calendar({ market: 'XPAR' }), ValidationError)
})

test('watchlist operations by id', async () => {
  const { watchlists } = trading
  const made = await watchlists.postWatchlist({
    createWatchlistRequest: { name: 'Fruit', symbols: ['AAPL', 'BTC/USD'] },
  })
  const watchlistId = made.id
  const shown = ({ name, assets }: typeof made) => [name, ...(assets ?? []).map(({ symbol }) => symbol)]
  assert.deepEqual([made.accountId, ...shown(made)], [accountId, 'Fruit', 'AAPL', 'BTC/USD'])
  assert.deepEqual(await watchlists.getWatchlistById({ watchlistId }), made)
  const { assets: _, ...bare } = made
  assert.deepEqual(await watchlists.getWatchlists(), [bare])
  const added = await watchlists.addAssetToWatchlist({
    watchlistId,
    addAssetToWatchlistRequest: { symbol: 'KO' },
  })
  assert.deepEqual(shown(added), ['Fruit', 'AAPL', 'BTC/USD', 'KO'])
  const removed = await watchlists.removeAssetFromWatchlist({ watchlistId, symbol: 'BTC/USD' })
  assert.deepEqual(shown(removed), ['Fruit', 'AAPL', 'KO'])
  const renamed = await watchlists.updateWatchlistById({
    watchlistId,
    updateWatchlistRequest: { name: 'Drinks' },
  })
  assert.deepEqual(shown(renamed), ['Drinks', 'AAPL', 'KO'])
  const same = { createWatchlistRequest: { name: 'Drinks' } }
  await assert.rejects(watchlists.postWatchlist(same), ValidationError)
  await watchlists.deleteWatchlistById({ watchlistId })
  await assert.rejects(watchlists.getWatchlistById({ watchlistId }), NotFoundError)
})

test('watchlist operations by name', async () => {
  const { watchlists } = trading
  const name = 'Mine & yours'
  await watchlists.postWatchlist({ createWatchlistRequest: { name } })
  const added = await watchlists.addAssetToWatchlistByName({
    name,
    addAssetToWatchlistRequest: { symbol: 'F' },
  })
  assert.deepEqual(await watchlists.getWatchlistByName({ name }), added)
  const refilled = await watchlists.updateWatchlistByName({
    name,
    updateWatchlistRequest: { name, symbols: ['KO', 'F'] },
  })
  assert.deepEqual(
    refilled.assets?.map(({ symbol }) => symbol),
    ['KO', 'F'],
  )
  await watchlists.deleteWatchlistByName({ name })
  assert.deepEqual(await watchlists.getWatchlists(), [])
})

test('the list of announcements is empty', async () => {
  const query = { caTypes: 'Dividend,Split', since: '2026-11-01', until: '2026-11-30' }
  assert.deepEqual(await trading.corporateActions.getV2CorporateActionsAnnouncements(query), [])
  const one = trading.corporateActions.getV2CorporateActionsAnnouncementsId({ id: UNKNOWN_ID })
  await assert.rejects(one, NotFoundError)
})

test('options are not supported', async () => {
  const { optionContracts, nextPageToken } = await trading.assets.getOptionsContracts({
    underlyingSymbols: 'AAPL',
  })
  assert.deepEqual([optionContracts, nextPageToken ?? null], [[], null])
  assert.deepEqual(await trading.collectOptionsContracts({ underlyingSymbols: 'AAPL' }), [])
  for await (const contract of trading.iterateOptionsContracts())
    assert.fail(`unexpected contract ${contract.symbol}`)
  const one = trading.assets.getOptionContractSymbolOrId({ symbolOrId: 'AAPL261218C00250000' })
  await assert.rejects(one, NotFoundError)
})

test('the account has no crypto wallet', async () => {
  const { cryptoFunding } = trading
  assert.deepEqual(Object.values(await cryptoFunding.listCryptoFundingWallets()).filter(Boolean), [])
  assert.deepEqual(Object.values(await cryptoFunding.listCryptoFundingTransfers()).filter(Boolean), [])
  assert.deepEqual(Object.values(await cryptoFunding.listWhitelistedAddress()).filter(Boolean), [])
  const transfer = { amount: '1', address: 'somewhere', asset: 'SOL' }
  const refusals: readonly [() => Promise<unknown>, typeof ApiError][] = [
    [() => cryptoFunding.listCryptoFundingWallets({ asset: 'BTC' }), NotFoundError],
    [() => cryptoFunding.getCryptoFundingTransfer({ transferId: UNKNOWN_ID }), NotFoundError],
    [() => cryptoFunding.deleteWhitelistedAddress({ whitelistedAddressId: UNKNOWN_ID }), NotFoundError],
    [
      () => cryptoFunding.createCryptoTransferForAccount({ createCryptoTransferRequest: transfer }),
      PermissionError,
    ],
    [
      () => cryptoFunding.createWhitelistedAddress({ createWhitelistedAddressRequest: transfer }),
      PermissionError,
    ],
    [() => cryptoFunding.getCryptoTransferEstimate({ asset: 'SOL' }), PermissionError],
  ]
  for (const [refused, kind] of refusals) await assert.rejects(refused, kind)
})

test('no stock needs a locate, and the error code is a word', async () => {
  const { locates } = trading
  const { quotes, errors } = await locates.listLocateQuotes({ symbols: 'AAPL,NONE' })
  assert.deepEqual([quotes, errors?.map(({ code }) => code)], [[], ['easy_to_borrow', 'symbol_not_found']])
  assert.deepEqual(await locates.listLocates({ status: 'active' }), { locates: [], nextPageToken: null })
  await assert.rejects(locates.getLocate({ locateId: UNKNOWN_ID }), NotFoundError)
  const wanted = { createLocateRequest: { symbol: 'AAPL', qty: 100 }, idempotencyKey: 'once' }
  await assert.rejects(locates.createLocates(wanted), (error: unknown) => {
    assert(error instanceof ApiError)
    assert.deepEqual([error.status, error.code], [422, 'easy_to_borrow'])
    return true
  })
})

test('the compatibility page lists exactly what this file uses', () =>
  sdk.coverage.assertMatches(import.meta.filename))
