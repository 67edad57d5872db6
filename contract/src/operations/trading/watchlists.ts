import { operation } from '../../operation.ts'
import { array, nullable, optional, record, text, timestamp, uuid } from '../../shape/index.ts'
import { AssetShape } from './assets.ts'

const fields = {
  id: uuid(),
  account_id: uuid(),
  name: text(),
  created_at: timestamp(),
  updated_at: timestamp(),
}

export const WatchlistShape = record({
  ...fields,
  assets: array(AssetShape).about('In the order in which they were added.'),
}).named('Watchlist')

const WatchlistWithoutAssets = record(fields).named('WatchlistWithoutAssets')

const name = text({ min: 1, max: 64 })
const symbol = text({ min: 1, max: 64 })
const symbols = optional(array(nullable(symbol)).about('Symbols or asset ids. Duplicates are removed.'))

const byId = { params: record({ id: uuid() }) }
const byName = { query: record({ name }) }

const creation = record({ name, symbols })
const change = record({
  name: optional(name),
  symbols: symbols.about('Replaces all symbols of the watchlist.'),
}).refine(({ name, symbols }) =>
  name === undefined && symbols === undefined
    ? { field: 'name', message: 'name or symbols is required' }
    : undefined,
)
const addition = record({ symbol: symbol.about('Symbol or asset id.') })

const reading = { family: 'trading', who: ['account'], scope: 'read' } as const
const writing = { ...reading, scope: 'account:write' } as const

const creationErrors = [
  'invalidParameter',
  'assetUnknown',
  'watchlistNameTaken',
  'watchlistLimitReached',
  'watchlistFull',
  'accountIsClosed',
] as const
const changeErrors = [
  'invalidParameter',
  'watchlistNotFound',
  'assetUnknown',
  'watchlistNameTaken',
  'watchlistFull',
  'accountIsClosed',
] as const
const additionErrors = [
  'invalidParameter',
  'watchlistNotFound',
  'assetUnknown',
  'watchlistHasSymbol',
  'watchlistFull',
  'accountIsClosed',
] as const
const findingErrors = ['invalidParameter', 'watchlistNotFound'] as const
const removalErrors = [...findingErrors, 'accountIsClosed'] as const

export const watchlists = {
  listWatchlists: operation('GET /v2/watchlists', reading, {
    summary: 'List watchlists of the account, oldest first, without their assets.',
    output: array(WatchlistWithoutAssets),
  }),
  createWatchlist: operation('POST /v2/watchlists', writing, {
    summary: 'Create a watchlist.',
    body: creation,
    output: WatchlistShape,
    errors: creationErrors,
  }),
  getWatchlist: operation('GET /v2/watchlists/{id}', reading, {
    ...byId,
    summary: 'Get a watchlist.',
    output: WatchlistShape,
    errors: findingErrors,
  }),
  updateWatchlist: operation('PUT /v2/watchlists/{id}', writing, {
    ...byId,
    summary: 'Update the name of a watchlist, its symbols, or both.',
    body: change,
    output: WatchlistShape,
    errors: changeErrors,
  }),
  addToWatchlist: operation('POST /v2/watchlists/{id}', writing, {
    ...byId,
    summary: 'Add an asset to the end of a watchlist.',
    body: addition,
    output: WatchlistShape,
    errors: additionErrors,
  }),
  deleteWatchlist: operation('DELETE /v2/watchlists/{id}', writing, {
    ...byId,
    summary: 'Delete a watchlist.',
    errors: removalErrors,
  }),
  removeFromWatchlist: operation('DELETE /v2/watchlists/{id}/{symbol...}', writing, {
    summary: 'Remove an asset from a watchlist.',
    // The rest of the path, because some clients do not escape the slash of BTC/USD.
    params: record({ id: uuid(), symbol }),
    output: WatchlistShape,
    errors: [...removalErrors, 'watchlistLacksSymbol'],
  }),
  getWatchlistByName: operation('GET /v2/watchlists:by_name', reading, {
    ...byName,
    summary: 'Get a watchlist by name.',
    output: WatchlistShape,
    errors: findingErrors,
  }),
  updateWatchlistByName: operation('PUT /v2/watchlists:by_name', writing, {
    ...byName,
    summary: 'Update the name of a watchlist, its symbols, or both, by its name.',
    body: change,
    output: WatchlistShape,
    errors: changeErrors,
  }),
  addToWatchlistByName: operation('POST /v2/watchlists:by_name', writing, {
    ...byName,
    summary: 'Add an asset to the end of a watchlist, by its name.',
    body: addition,
    output: WatchlistShape,
    errors: additionErrors,
  }),
  deleteWatchlistByName: operation('DELETE /v2/watchlists:by_name', writing, {
    ...byName,
    summary: 'Delete a watchlist by name.',
    errors: removalErrors,
  }),
}
