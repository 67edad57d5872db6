import {
  type Asset,
  EXTENDED_HOURS,
  instantOfMicros,
  type Price,
  type Print,
  type Quantity,
  type Trade,
} from '@quipu/core'

/** The listing exchange's letter, the tape it reports to and that tape's mark of a regular trade. */
const EXCHANGES: Record<Asset['exchange'], { letter: string; tape: Trade['tape']; regular: string }> = {
  NYSE: { letter: 'N', tape: 'A', regular: ' ' },
  ARCA: { letter: 'P', tape: 'B', regular: ' ' },
  NASDAQ: { letter: 'Q', tape: 'C', regular: '@' },
}

/** A day has up to five segments of at most twenty million trades each. */
const DAY_IDS = 100_000_000
const SEGMENT_IDS = 20_000_000

/** A print as the tape reports it. */
export function tradeOf(asset: Asset, print: Print): Trade {
  const { letter, tape, regular } = EXCHANGES[asset.exchange]
  const { day, place, kind } = print.segment
  return {
    at: instantOfMicros(print.at),
    price: (BigInt(print.price) * asset.tick) as Price,
    size: (BigInt(print.size) * 1_000_000_000n) as Quantity,
    side: print.isBuy ? 'buy' : 'sell',
    id: day * DAY_IDS + place * SEGMENT_IDS + print.number,
    exchange: letter,
    tape,
    conditions: kind === 'regular' ? [regular] : [regular, EXTENDED_HOURS],
  }
}
