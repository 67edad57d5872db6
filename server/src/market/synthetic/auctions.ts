import {
  type Asset,
  type AuctionQuery,
  type DailyAuctions,
  microsAfter,
  microsBefore,
  type Print,
  type Tape,
} from '@quipu/core'
import { auctionDays } from '../auction-days.ts'
import { tradeOf } from './trade.ts'

/** Coins are not auctioned. */
export async function auctionsOf(
  tape: Tape,
  asset: Asset,
  query: AuctionQuery,
): Promise<readonly DailyAuctions[]> {
  if (asset.class === 'crypto') return []
  const told = (print: Print | undefined) => print && tradeOf(asset, print)
  return auctionDays(
    {
      first: (from, to) => told(tape.next(microsAfter(from) - 1, microsBefore(to))),
      last: (from, to) => {
        const print = tape.last(microsBefore(to))
        return print && print.at >= microsAfter(from) ? told(print) : undefined
      },
    },
    query,
  )
}
