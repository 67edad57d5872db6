import type { World } from '@quipu/broker/world/world.ts'
import { SNAPSHOT_ORDERS_MAX } from '@quipu/contract'
import {
  type Account,
  type AccountBalances,
  type AccountId,
  type Instant,
  type LastTrade,
  type Order,
  openOrdersOf,
  type Quote,
  type Ticker,
  type View,
} from '@quipu/core'
import { refuse } from '../../../wire/refusal.ts'
import { currentBalances } from '../../trading/account.ts'
import { tickerNamed } from '../../trading/assets.ts'
import { type PricedHolding, pricedHoldings } from '../../trading/holdings.ts'
import { type AccountAt, accountNow } from '../../trading/portfolio-history.ts'

/** The market of one symbol at the instant of a snapshot. */
export type CapturedPrices = {
  readonly symbol: Ticker
  readonly quote: Quote | undefined
  readonly trade: LastTrade | undefined
}

/** An account, its positions, orders and prices, read in one turn of the engine: nothing happened in between. */
export type Captured = AccountAt & {
  readonly account: Account
  readonly balances: AccountBalances
  readonly positions: readonly PricedHolding[]
  /** Open orders, newest first, at most SNAPSHOT_ORDERS_MAX. */
  readonly orders: readonly Order[]
  readonly openOrders: number
  readonly prices: readonly CapturedPrices[]
}

/** Whose snapshot it is, and the symbols that it has beside those of positions and orders. */
export type SnapshotOf = {
  readonly world: World
  readonly accountId: AccountId
  readonly symbols: readonly string[]
}

/** Reads the account in a state: the current one, or an earlier one at its instant. */
export function capture(
  { world, accountId, symbols }: SnapshotOf,
  view: View = world.view,
  at: Instant = world.engine.now,
): Captured {
  const account = view.accounts.get(accountId)
  if (!account) throw refuse({ code: 'accountNotFound' })
  const open = [...openOrdersOf(view, accountId)]
  const orders = open.toReversed().sort(newestFirst).slice(0, SNAPSHOT_ORDERS_MAX)
  const positions = pricedHoldings(view, { world, accountId }, at)
  const tickers = new Set<Ticker>([
    ...positions.map(({ position }) => position.symbol),
    ...orders.map(({ symbol }) => symbol),
    ...symbols.map((symbol) => tickerNamed(world, symbol)),
  ])
  const prices = world.market.pricesAt(at)
  return {
    ...accountNow(world, accountId, view, at),
    account,
    balances: currentBalances(world, view, accountId, at),
    positions,
    orders,
    openOrders: open.length,
    prices: [...tickers].map((symbol) => ({
      symbol,
      quote: prices.quote(symbol),
      trade: prices.trade(symbol),
    })),
  }
}

const newestFirst = (a: Order, b: Order): number =>
  a.submittedAt > b.submittedAt ? -1 : a.submittedAt < b.submittedAt ? 1 : 0
