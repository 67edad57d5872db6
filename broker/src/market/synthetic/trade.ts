import {
  type Asset,
  EXTENDED_HOURS,
  instantOfMicros,
  type LastTrade,
  type Price,
  type Print,
  type Quantity,
  type Quote,
  type QuoteTick,
  type QuoteUpdate,
  type TapeItem,
  type Trade,
  toPrice,
  toQuantity,
} from '@quipu/core'

/** The listing exchange's letter, the tape it reports to and that tape's mark of a regular trade. */
const EXCHANGES: Record<Asset['exchange'], { letter: string; tape: Trade['tape']; regular: string }> = {
  NYSE: { letter: 'N', tape: 'A', regular: ' ' },
  ARCA: { letter: 'P', tape: 'B', regular: ' ' },
  AMEX: { letter: 'A', tape: 'B', regular: ' ' },
  BATS: { letter: 'Z', tape: 'B', regular: ' ' },
  NASDAQ: { letter: 'Q', tape: 'C', regular: '@' },
  CRYPTO: { letter: '', tape: '', regular: '' },
}

export const tapeOf = ({ exchange }: Asset): Trade['tape'] => EXCHANGES[exchange].tape

/** A day has up to five segments of at most twenty million trades each. */
const DAY_IDS = 100_000_000
const SEGMENT_IDS = 20_000_000

const idOf = ({ segment, number }: TapeItem): number =>
  segment.day * DAY_IDS + segment.index * SEGMENT_IDS + number

/** A print as the tape reports it. */
export function tradeOf(asset: Asset, print: Print): Trade {
  const { letter, tape, regular } = EXCHANGES[asset.exchange]
  return {
    at: instantOfMicros(print.at),
    price: tradePrice(print.price, asset),
    size: quantityOf(print.size, asset),
    side: print.isBuy ? 'buy' : 'sell',
    id: idOf(print),
    exchange: letter,
    tape,
    conditions: conditionsOf(print, regular),
  }
}

export const lastTradeOf = (asset: Asset, { at, price, size }: Print): LastTrade => ({
  at: instantOfMicros(at),
  price: tradePrice(price, asset),
  size: quantityOf(size, asset),
})

function conditionsOf({ segment }: Print, regular: string): readonly string[] {
  if (segment.kind === 'round') return []
  return segment.kind === 'regular' ? [regular] : [regular, EXTENDED_HOURS]
}

const CENT = 10_000_000n
const DOLLAR = 1_000_000_000n

/** From a dollar on, a stock is quoted in cents, also one that was cheaper before. */
function quotedPrice(ticks: number, asset: Asset, round: 'down' | 'up'): Price {
  const price = tradePrice(ticks, asset)
  const beyond = price % CENT
  if (asset.class === 'crypto' || price < DOLLAR || beyond === 0n) return price
  return toPrice(round === 'down' ? price - beyond : price - beyond + CENT)
}

export function quoteOf(asset: Asset, { at, bid, ask, bidSize, askSize }: TapeItem): Quote {
  return {
    at: instantOfMicros(at),
    bid: quotedPrice(bid, asset, 'down'),
    ask: quotedPrice(ask, asset, 'up'),
    bidSize: quantityOf(bidSize, asset),
    askSize: quantityOf(askSize, asset),
  }
}

/** A trade is followed by fewer quotes than this. */
const QUOTE_IDS = 16

export const quoteTickOf = (asset: Asset, quote: QuoteUpdate): QuoteTick => ({
  ...quoteOf(asset, quote),
  id: idOf(quote) * QUOTE_IDS + quote.update,
})

export const tradePrice = (ticks: number, { tick }: Asset): Price => toPrice(BigInt(ticks) * tick)
export const quantityOf = (lots: number, { lot }: Asset): Quantity => toQuantity(BigInt(lots) * lot)
