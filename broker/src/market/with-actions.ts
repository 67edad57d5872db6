import {
  type Asset,
  assetIdOf,
  byDate,
  type CorporateAction,
  effectiveAt,
  type Instant,
  later,
  type Price,
  type Prices,
  priceAfter,
  type Ticker,
  toPrice,
} from '@quipu/core'
import type { WorldActions } from './market-inputs.ts'
import type { MarketSource } from './market-source.ts'

/**
 * A market with corporate actions applied. An asset has its current name. From an action until the first trade after
 * it, the last trade has the adjusted price, so that positions keep their value, and there is no quote.
 */
export function withActions(source: MarketSource, world: WorldActions): MarketSource {
  let listed: { of: ReadonlyMap<Ticker, Asset>; seq: number; assets: ReadonlyMap<Ticker, Asset> } | undefined
  let repricing: { seq: number; bySymbol: ReadonlyMap<Ticker, readonly Repriced[]> } | undefined
  const repriced = (): ReadonlyMap<Ticker, readonly Repriced[]> => {
    if (repricing?.seq !== world.actionsSeq)
      repricing = { seq: world.actionsSeq, bySymbol: repricedBy(world.actions.values()) }
    return repricing.bySymbol
  }
  const { schedule } = source
  return {
    ...source,
    assets() {
      const of = source.assets()
      if (world.actions.size === 0) return of
      if (listed?.of !== of || listed.seq !== world.actionsSeq)
        listed = { of, seq: world.actionsSeq, assets: namedNow(of, world.actions.values()) }
      return listed.assets
    },
    pricesAt(at) {
      const prices = source.pricesAt(at)
      return world.actions.size === 0 ? prices : carried(prices, repriced(), at)
    },
    schedule: {
      ...schedule,
      async nextTouch(query) {
        const { symbol, from, to } = query
        if (world.actions.size === 0) return schedule.nextTouch(query)
        // A quote from before the action is not valid after it.
        const quote = source.pricesAt(from).quote(symbol)
        if (!quote || between(repriced(), symbol, quote.at, from).length === 0)
          return schedule.nextTouch(query)
        const next = await schedule.nextQuote(symbol, from, later(to, 1n))
        return next === undefined ? undefined : schedule.nextTouch({ ...query, from: next })
      },
    },
  }
}

/** Old names stay as inactive assets; new names are added when they take effect. */
function namedNow(
  assets: ReadonlyMap<Ticker, Asset>,
  actions: Iterable<CorporateAction>,
): ReadonlyMap<Ticker, Asset> {
  const named = new Map(assets)
  const all = byDate(actions)
  for (const action of all) if (action.kind === 'symbolChange') named.delete(action.newSymbol)
  for (const action of all) {
    const asset = named.get(action.symbol)
    if (!asset || action.appliedAt === undefined) continue
    if (action.kind === 'symbolChange') {
      const { newSymbol: symbol } = action
      named.set(symbol, assets.get(symbol) ?? { ...asset, id: assetIdOf(symbol), symbol })
    }
    if (action.kind === 'symbolChange' || action.kind === 'delisting')
      named.set(action.symbol, { ...asset, status: 'inactive', tradable: false })
  }
  return named
}

/** The price adjustment of a corporate action. */
export type Repriced = { readonly moment: Instant; price(before: Price): Price }

/** Adjustments by the current name of a symbol, oldest first, including those under older names. */
export function repricedBy(actions: Iterable<CorporateAction>): ReadonlyMap<Ticker, readonly Repriced[]> {
  const bySymbol = new Map<Ticker, Repriced[]>()
  for (const action of byDate(actions)) {
    const moment = effectiveAt(action)
    const { symbol } = action
    const list = bySymbol.get(symbol) ?? []
    bySymbol.set(symbol, list)
    if (action.kind === 'split') list.push({ moment, price: (before) => priceAfter(action, before, 'down') })
    if (action.kind === 'dividend') list.push({ moment, price: (before) => less(before, action.rate) })
    if (action.kind === 'symbolChange') bySymbol.set(action.newSymbol, [...list, { moment, price: same }])
    if (action.kind === 'delisting') list.push({ moment, price: same })
  }
  return bySymbol
}

const less = (before: Price, rate: Price): Price => toPrice(before > rate ? before - rate : before)
const same = (before: Price): Price => before

/** The adjustments of a symbol between two instants. */
const between = (
  bySymbol: ReadonlyMap<Ticker, readonly Repriced[]>,
  symbol: Ticker,
  shown: Instant,
  at: Instant,
): readonly Repriced[] => bySymbol.get(symbol)?.filter(({ moment }) => moment > shown && moment <= at) ?? []

function carried(prices: Prices, bySymbol: ReadonlyMap<Ticker, readonly Repriced[]>, at: Instant): Prices {
  return {
    volume: (symbol) => prices.volume?.(symbol),
    quote(symbol) {
      const quote = prices.quote(symbol)
      return quote && between(bySymbol, symbol, quote.at, at).length > 0 ? undefined : quote
    },
    trade(symbol) {
      const trade = prices.trade(symbol)
      const since = trade ? between(bySymbol, symbol, trade.at, at) : []
      if (!trade || since.length === 0) return trade
      let { price } = trade
      for (const one of since) price = one.price(price)
      return { ...trade, price }
    },
  }
}
