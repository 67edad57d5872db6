import { operation } from '../../operation.ts'
import { array, nullable, optional, record, text, timestamp, uuid } from '../../shape/index.ts'
import { Asset } from './assets.ts'

const fields = {
  id: uuid(),
  account_id: uuid(),
  name: text(),
  created_at: timestamp(),
  updated_at: timestamp(),
}

export const Watchlist = record({
  ...fields,
  assets: array(Asset).about('In the order in which they were added.'),
}).named('Watchlist')

const WatchlistWithoutAssets = record(fields).named('WatchlistWithoutAssets')

const name = text({ min: 1, max: 64 })
const symbol = text({ min: 1, max: 64 })
const symbols = optional(array(nullable(symbol)).about('Symbols or asset ids. Duplicates are removed.'))

const byId = { params: record({ id: uuid() }) }
const byName = { path: '/v2/watchlists:by_name', query: record({ name }) } as const

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

const reading = {
  family: 'trading',
  method: 'GET',
  who: ['account'],
  scope: 'read',
  status: 200,
  state: 'works',
} as const
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
  listWatchlists: operation({
    ...reading,
    path: '/v2/watchlists',
    summary: 'List watchlists of the account, oldest first, without their assets.',
    output: array(WatchlistWithoutAssets),
    errors: [],
  }),
  createWatchlist: operation({
    ...writing,
    method: 'POST',
    path: '/v2/watchlists',
    summary: 'Create a watchlist.',
    body: creation,
    output: Watchlist,
    errors: creationErrors,
  }),
  getWatchlist: operation({
    ...reading,
    ...byId,
    path: '/v2/watchlists/{id}',
    summary: 'Get a watchlist.',
    output: Watchlist,
    errors: findingErrors,
  }),
  updateWatchlist: operation({
    ...writing,
    ...byId,
    method: 'PUT',
    path: '/v2/watchlists/{id}',
    summary: 'Update the name of a watchlist, its symbols, or both.',
    body: change,
    output: Watchlist,
    errors: changeErrors,
  }),
  addToWatchlist: operation({
    ...writing,
    ...byId,
    method: 'POST',
    path: '/v2/watchlists/{id}',
    summary: 'Add an asset to the end of a watchlist.',
    body: addition,
    output: Watchlist,
    errors: additionErrors,
  }),
  deleteWatchlist: operation({
    ...writing,
    ...byId,
    method: 'DELETE',
    path: '/v2/watchlists/{id}',
    summary: 'Delete a watchlist.',
    status: 204,
    errors: removalErrors,
  }),
  removeFromWatchlist: operation({
    ...writing,
    method: 'DELETE',
    path: '/v2/watchlists/{id}/{symbol...}',
    summary: 'Remove an asset from a watchlist.',
    // The rest of the path, because some clients do not escape the slash of BTC/USD.
    params: record({ id: uuid(), symbol }),
    output: Watchlist,
    errors: [...removalErrors, 'watchlistLacksSymbol'],
  }),
  getWatchlistByName: operation({
    ...reading,
    ...byName,
    summary: 'Get a watchlist by name.',
    output: Watchlist,
    errors: findingErrors,
  }),
  updateWatchlistByName: operation({
    ...writing,
    ...byName,
    method: 'PUT',
    summary: 'Update the name of a watchlist, its symbols, or both, by its name.',
    body: change,
    output: Watchlist,
    errors: changeErrors,
  }),
  addToWatchlistByName: operation({
    ...writing,
    ...byName,
    method: 'POST',
    summary: 'Add an asset to the end of a watchlist, by its name.',
    body: addition,
    output: Watchlist,
    errors: additionErrors,
  }),
  deleteWatchlistByName: operation({
    ...writing,
    ...byName,
    method: 'DELETE',
    summary: 'Delete a watchlist by name.',
    status: 204,
    errors: removalErrors,
  }),
}
