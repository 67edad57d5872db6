import type { BarRecord } from '@quipu/contract'
import type { Asset, Instant } from '@quipu/core'
import { barToWire } from '../../wire/market-data-wire.ts'
import type { World } from '../../world/world.ts'

type Latest<Record> = (world: World, asset: Asset, now: Instant) => Promise<Record | undefined>

/** Twice the longest time that an exchange was ever closed. */
const LOOK_BACK_NS = 28n * 86_400_000_000_000n

/**
 * The latest trade, quote, minute and days of a symbol. The daily bar is that of the current day, or of the previous day
 * until the first trade.
 */
export const snapshotOf =
  <TradeRecord, QuoteRecord>(
    latestTrade: Latest<TradeRecord>,
    latestQuote: Latest<QuoteRecord>,
    latestBar: Latest<BarRecord>,
  ) =>
  async (world: World, asset: Asset, now: Instant) => {
    const [trade, quote, minute, days] = await Promise.all([
      latestTrade(world, asset, now),
      latestQuote(world, asset, now),
      latestBar(world, asset, now),
      daysOf(world, asset, now),
    ])
    const [day, dayBefore] = days
    return {
      latestTrade: trade,
      latestQuote: quote,
      minuteBar: minute,
      dailyBar: day,
      prevDailyBar: dayBefore,
    }
  }

async function daysOf(world: World, { symbol }: Asset, now: Instant): Promise<readonly BarRecord[]> {
  const from = (now - LOOK_BACK_NS) as Instant
  const frame = { unit: 'day', count: 1 } as const
  const days = await world.market.history.bars({ symbol, frame, from, to: now, now, sort: 'desc', limit: 2 })
  return days.map(barToWire)
}
