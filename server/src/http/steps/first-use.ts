import type { OperationName } from '@quipu/contract'
import { listsFor, nameSymbols } from '../first-use.ts'
import { lacksSpace } from './handle.ts'
import type { Faulted, RequestStep } from './step.ts'

/** Where an operation names stocks that it needs. Operations that only look for something that exists name none. */
const NAMING = {
  placeOrder: 'body.symbol',
  previewOrder: 'body.symbol',
  getAsset: 'params.symbol_or_asset_id',
  createWatchlist: 'body.symbols',
  updateWatchlist: 'body.symbols',
  updateWatchlistByName: 'body.symbols',
  addToWatchlist: 'body.symbol',
  addToWatchlistByName: 'body.symbol',
  stockBars: 'query.symbols',
  stockBarSingle: 'params.symbol',
  stockCandles: 'query.symbols',
  stockLatestTrades: 'query.symbols',
  stockLatestTradeSingle: 'params.symbol',
  stockLatestQuotes: 'query.symbols',
  stockLatestQuoteSingle: 'params.symbol',
  stockLatestBars: 'query.symbols',
  stockLatestBarSingle: 'params.symbol',
  stockSnapshots: 'query.symbols',
  stockSnapshotSingle: 'params.symbol',
  stockTrades: 'query.symbols',
  stockTradeSingle: 'params.symbol',
  stockQuotes: 'query.symbols',
  stockQuoteSingle: 'params.symbol',
  stockAuctions: 'query.symbols',
  stockAuctionSingle: 'params.symbol',
  createAccount: 'body.positions',
  resetAccount: 'body.positions',
  createMarketEvent: 'body.symbol',
  createCorporateAction: 'body.symbol',
} as const satisfies Partial<Record<OperationName, `${'params' | 'query' | 'body'}.${string}`>>

const naming: Readonly<Record<string, string | undefined>> = NAMING

/** The field of an operation that names symbols, also of its form for partners. */
export const namingField = (operation: string): string | undefined =>
  naming[operation.replace(/For(Account|Partner)$/, '')]

/**
 * In a world that lists symbols on first use: lists those that the request names, before its handler looks them up. Never
 * for a credential that only reads.
 */
export const firstUse: RequestStep<Faulted> = ({ services }, exchange) => {
  const { operation, context, params, input } = exchange
  const { caller, state } = context
  const { 'x-quipu-world': header } = (input.headers ?? {}) as { readonly 'x-quipu-world'?: string }
  const named = header ?? params['world']
  const world = named === undefined ? state.world : services.worlds.get(named)
  if (!world || !caller || !listsFor(world, caller)) return undefined
  const field = namingField(operation)
  if (field === undefined) return undefined
  const [part, name] = field.split('.') as ['params' | 'query' | 'body', string]
  const value = (input[part] as Readonly<Record<string, unknown>> | undefined)?.[name]
  // A full disk takes no event. Then the symbol is unknown.
  return lacksSpace(context, params) ? undefined : nameSymbols(services, world, textsIn(value), context.cause)
}

/** A symbol, a list of symbols, or positions with symbols. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value !== 'object' || value === null) return []
  return 'symbol' in value ? textsIn(value.symbol) : []
}
