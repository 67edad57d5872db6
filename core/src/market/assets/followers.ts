import { type Ticker, tickerOf } from '../../ids.ts'
import type { Follows } from '../kernel/profile.ts'
import { FOLLOWER_LINES } from './followers.table.ts'

/** The leader of each follower symbol. */
export const FOLLOWERS: ReadonlyMap<Ticker, Follows> = new Map(
  FOLLOWER_LINES.trim()
    .split('\n')
    .map((line) => {
      const [symbol = '', leader = '', times, fee, slack] = line.split(' ')
      const follows = {
        leader: tickerOf(leader),
        times: Number(times),
        fee: Number(fee),
        slack: Number(slack),
      }
      return [tickerOf(symbol), follows] as const
    }),
)

/** The leader of a symbol, and that leader's leaders. */
export function leadersOf(symbol: Ticker): readonly Ticker[] {
  const follows = FOLLOWERS.get(symbol)
  return follows ? [follows.leader, ...leadersOf(follows.leader)] : []
}
