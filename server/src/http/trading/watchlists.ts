import type { World } from '@quipu/broker/world/world.ts'
import type { InputOf, WatchlistRecord } from '@quipu/contract'
import {
  definedFields,
  formatInstant,
  listsOf,
  type Ticker,
  type Watchlist,
  type WatchlistCommand,
  type WatchlistId,
  type WatchlistLimits,
  type WatchlistSelector,
  watchlistOf,
} from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { assetNamed, assetToWire } from './assets.ts'

export const watchlistHandlers = {
  listWatchlists: async (_, context) => {
    const { world, accountId } = context.account
    const lists = await context.state.read(world, (view) => listsOf(view, accountId))
    return lists.map(withoutAssets)
  },

  createWatchlist: async ({ body: { name, symbols } }, context) => {
    const { accountId } = context.account
    const limits = limitsOf(context)
    const tickers = tickersOf(context, symbols) ?? []
    return submit(context, { kind: 'createWatchlist', accountId, name, symbols: tickers, limits }, { name })
  },

  getWatchlist: ({ params }, context) => find(context, idOf(params)),
  getWatchlistByName: ({ query }, context) => find(context, query),

  updateWatchlist: ({ params, body }, context) => change(context, idOf(params), body),
  updateWatchlistByName: ({ query, body }, context) => change(context, query, body),

  addToWatchlist: ({ params, body }, context) => add(context, idOf(params), body.symbol),
  addToWatchlistByName: ({ query, body }, context) => add(context, query, body.symbol),

  deleteWatchlist: ({ params }, context) => remove(context, idOf(params)),
  deleteWatchlistByName: ({ query }, context) => remove(context, query),

  removeFromWatchlist: async ({ params }, context) => {
    const which = idOf(params)
    const { accountId, world } = context.account
    const symbol = tickerOf(world, params.symbol)
    return submit(context, { kind: 'removeFromWatchlist', accountId, which, symbol }, which)
  },
} satisfies SomeHandlers

const idOf = ({ id }: { readonly id: string }): WatchlistSelector => ({ id: id as WatchlistId })

async function find(context: Context, which: WatchlistSelector): Promise<WatchlistRecord> {
  const { world, accountId } = context.account
  const list = await context.state.read(world, (view) => watchlistOf(view, accountId, which))
  if (!list) throw refuse({ code: 'watchlistNotFound', watchlist: 'id' in which ? which.id : which.name })
  return watchlistToWire(world, list)
}

type Change = InputOf<'updateWatchlist'>['body']

function change(context: Context, which: WatchlistSelector, body: Change): Promise<WatchlistRecord> {
  const { accountId } = context.account
  const { name } = body
  const symbols = tickersOf(context, body.symbols)
  const command = {
    kind: 'changeWatchlist',
    accountId,
    which,
    ...definedFields({ name, symbols }),
    limits: limitsOf(context),
  } as const
  return submit(context, command, 'name' in which && name !== undefined ? { name } : which)
}

function add(context: Context, which: WatchlistSelector, named: Ticker): Promise<WatchlistRecord> {
  const { accountId, world } = context.account
  const symbol = tickerOf(world, named)
  const limits = limitsOf(context)
  return submit(context, { kind: 'addToWatchlist', accountId, which, symbol, limits }, which)
}

async function remove(context: Context, which: WatchlistSelector): Promise<undefined> {
  const { world, accountId } = context.account
  await context.state.execute(world, { kind: 'deleteWatchlist', accountId, which })
}

/** Submits a command and returns the changed list, which `which` selects. */
async function submit(
  context: Context,
  command: WatchlistCommand,
  which: WatchlistSelector,
): Promise<WatchlistRecord> {
  const { world, accountId } = context.account
  const list = await context.state.execute(world, command, (view) => watchlistOf(view, accountId, which))
  if (!list) throw new Error('bug: a watchlist does not exist after it was written')
  return watchlistToWire(world, list)
}

const limitsOf = ({ services: { limits } }: Context): WatchlistLimits => ({
  lists: limits.watchlistsMax,
  symbols: limits.watchlistSymbolsMax,
})

/** The ticker of a named asset; the core refuses an unknown name. */
const tickerOf = (world: World, named: Ticker): Ticker => assetNamed(world, named)?.symbol ?? named

const tickersOf = (
  { account: { world } }: Context,
  named: readonly (Ticker | null)[] | undefined,
): readonly Ticker[] | undefined => named?.filter((one) => one !== null).map((one) => tickerOf(world, one))

const withoutAssets = ({ id, accountId, name, createdAt, updatedAt }: Watchlist) => ({
  id,
  account_id: accountId,
  name,
  created_at: formatInstant(createdAt),
  updated_at: formatInstant(updatedAt),
})

function watchlistToWire(world: World, list: Watchlist): WatchlistRecord {
  const assets = world.market.assets()
  // Delisted symbols stay in the list and are not returned.
  const listed = list.symbols.flatMap((symbol) => assets.get(symbol) ?? [])
  const prices = world.market.pricesAt(world.engine.now)
  return { ...withoutAssets(list), assets: listed.map((asset) => assetToWire(asset, prices)) }
}
