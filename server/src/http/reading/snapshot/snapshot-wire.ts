import type { World } from '@quipu/broker/world/world.ts'
import { type AccountSnapshotRecord, SNAPSHOT_ACTIVITIES_MAX, type SymbolPricesRecord } from '@quipu/contract'
import {
  dayFor,
  decodeActivity,
  format,
  formatInstant,
  type Instant,
  type Price,
  type Ticker,
} from '@quipu/core'
import { activityToWire } from '../../../wire/activity-wire.ts'
import { previousCloseOf } from '../../trading/holdings.ts'
import type { Captured, CapturedPrices } from './capture.ts'

/** The closes of the previous trading day, each read once per day. A corporate action can change them. */
export class PreviousCloses {
  readonly #known = new Map<Ticker, { readonly key: string; readonly price: Promise<Price | undefined> }>()

  readonly of = (world: World, symbol: Ticker, at: Instant): Promise<Price | undefined> => {
    const key = `${dayFor(symbol, at)} ${world.view.actionsSeq} ${world.market.history.edition}`
    const known = this.#known.get(symbol)
    if (known?.key === key) return known.price
    const price = previousCloseOf(world, symbol, at)
    this.#known.set(symbol, { key, price })
    price.catch(() => this.#known.delete(symbol))
    return price
  }
}

export async function pricesToWire(
  { world, at }: Captured,
  { symbol, quote, trade }: CapturedPrices,
  closes: PreviousCloses,
): Promise<SymbolPricesRecord> {
  const isListed = world.market.assets().has(symbol)
  const close = isListed ? await closes.of(world, symbol, at) : undefined
  return {
    symbol,
    bid: quote ? format(quote.bid) : null,
    bid_size: quote ? format(quote.bidSize) : null,
    ask: quote ? format(quote.ask) : null,
    ask_size: quote ? format(quote.askSize) : null,
    quote_at: quote ? formatInstant(quote.at) : null,
    last: trade ? format(trade.price) : null,
    last_size: trade ? format(trade.size) : null,
    last_at: trade ? formatInstant(trade.at) : null,
    previous_close: close === undefined ? null : format(close),
  }
}

/** The newest activities up to the event of the snapshot. */
export async function newestActivities({
  world,
  accountId,
  account,
  at,
  event,
}: Captured): Promise<AccountSnapshotRecord['activities']> {
  await world.storage.untilQueryTables(Math.min(account.lastSeq, event))
  const records = await world.storage.queryTables.history({
    accountId,
    part: 'activity',
    direction: 'desc',
    limit: SNAPSHOT_ACTIVITIES_MAX,
    beyond: { at, seq: event + 1, n: 0 },
  })
  return records.map((record) => activityToWire(decodeActivity(accountId, record)))
}
