import type { AssetClass } from '@quipu/core'
import type { Log } from '../../process/log.ts'
import type { LiveMarket } from '../live.ts'
import { Board } from './board.ts'
import { Books } from './books.ts'
import type { History } from './history.ts'
import type { Latest } from './latest.ts'
import { Line } from './line.ts'
import { classOf } from './symbol-class.ts'
import { streamUrlOf, type UpstreamTerms } from './terms.ts'

export type DeskParts = {
  readonly terms: UpstreamTerms
  readonly history: History
  readonly latest: Latest
  readonly log: Log
}

export type Desk = { readonly board: Board; readonly live: LiveMarket; close(): void }

/** Where the provider's streams come in: a line for each class of assets, and the board and books they keep. */
export function openDesk({ terms, history, latest, log }: DeskParts): Desk {
  const books = new Books()
  const { symbolsMax } = terms
  const lineOf = (symbol: string) => lines[classOf(symbol)]
  const board: Board = new Board({ latest, lineOf, symbolsMax, log, now: Date.now })
  const lineAt = (of: AssetClass, path: string) =>
    new Line({
      url: streamUrlOf(terms) + path,
      terms,
      history,
      first: (news) => {
        board.told(news)
        books.told(news)
      },
      up: () => board.refresh((symbol) => classOf(symbol) === of),
      log,
    })
  const lines = {
    usEquity: lineAt('usEquity', `/v2/${terms.feed}`),
    crypto: lineAt('crypto', `/v1beta3/crypto/${terms.crypto}`),
  } as const satisfies Record<AssetClass, Line>
  const close = () => {
    for (const line of Object.values(lines)) line.close()
  }
  return { board, live: liveOf(board, books, lines), close }
}

const liveOf = (board: Board, books: Books, lines: Readonly<Record<AssetClass, Line>>): LiveMarket => ({
  follow: ({ class: of, channel, symbol }, tell) => {
    const over = lines[of].follow(channel, symbol, tell)
    if (channel !== 'orderbooks') return over
    return () => {
      over()
      books.keepOnly((one) => lines.crypto.follows('orderbooks', one))
    }
  },
  watch: (symbol, changed) => board.watch(symbol, changed),
  priced: (symbol) => board.priced(symbol),
  book: (symbol) => books.whole(symbol),
})
