import type { DailyAuctionsRecord, Handlers } from '@quipu/contract'
import { type Auction, type CivilDate, type DailyAuctions, formatInstant, newYork } from '@quipu/core'
import { toNumber } from '../../wire/market-data-wire.ts'
import type { Context } from '../context.ts'
import { type ListKind, mapped, pageOf, recordsBy } from './pages.ts'

export const auctionHandlers: Handlers<Context, 'stockAuctions' | 'stockAuctionSingle'> = {
  stockAuctions: async ({ query }, context) => {
    const { items, next } = await pageOf(context, query.symbols, query, auctions)
    return { auctions: mapped(items, daysToWire), next_page_token: next, currency: query.currency }
  },
  stockAuctionSingle: async ({ params: { symbol }, query }, context) => {
    const { items, next } = await pageOf(context, [symbol], query, auctions)
    const days = daysToWire(items.get(symbol) ?? [])
    return { symbol, auctions: days, next_page_token: next, currency: query.currency }
  },
}

const DATE = /^\d{4}-\d{2}-\d{2}$/

/** The position of a day is its date. */
const auctions: ListKind<readonly DailyAuctions[], CivilDate> = {
  kind: 'auctions',
  class: 'usEquity',
  write: (date) => date,
  read: (text) => (DATE.test(text) ? (text as CivilDate) : undefined),
  ...recordsBy(({ date }: DailyAuctions) => date),
  readItems: (world, { from, to, ...query }) =>
    world.market.history.auctions({ ...query, from: newYork(from).date, to: newYork(to).date }),
}

const daysToWire = (days: readonly DailyAuctions[]): readonly DailyAuctionsRecord[] =>
  days.map(({ date, open, close }) => ({ d: date, o: open.map(auctionToWire), c: close.map(auctionToWire) }))

const auctionToWire = ({ at, exchange, price, size, condition }: Auction) => ({
  t: formatInstant(at),
  x: exchange,
  p: toNumber(price),
  s: toNumber(size),
  c: condition,
})
