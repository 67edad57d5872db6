import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type NamedSymbol, type Ticker, toPrice } from '@quipu/core'

/**
 * The table of tickers: real tickers and names of the United States that are not listed by default, and our estimates. It is a
 * text file, which is read when a world lists a symbol on first use: a start reads none of it. Not a module, because an
 * import would have to wait, and a subscription would then be in another order with what follows it.
 *
 * A group starts with `#`: its sector (`-` for none), `share` or `fund`, volatility, beta, and millions of dollars traded in a
 * day. Its lines have ticker, exchange (Q Nasdaq, N NYSE, P Arca, A American, Z Bats), price in dollars and name.
 */
const path = fileURLToPath(
  new URL(extname(import.meta.url) === '.ts' ? './tickers.txt' : './tickers/tickers.txt', import.meta.url),
)

let table: string | undefined

/** The text of the table, with a line break at its start. */
export function tickerTable(): string {
  table ??= `\n${readFileSync(path, 'latin1')}`
  return table
}

const EXCHANGES = { Q: 'NASDAQ', N: 'NYSE', P: 'ARCA', A: 'AMEX', Z: 'BATS' } as const

/** Names of shares leave `Common Stock` out. */
const OTHER_SECURITY = /(Shares|Units)$/

/** A symbol with its name and estimates; alone, if the table does not have it. */
export function namedSymbol(symbol: Ticker): NamedSymbol {
  const text = tickerTable()
  const start = text.indexOf(`\n${symbol} `) + 1
  if (start === 0) return { symbol }
  const group = text.slice(text.lastIndexOf('\n#', start) + 3, start).split('\n', 1)[0]!
  const [sector, kind, volatility, beta, turnover] = group.split(' ')
  const [, exchange, price, ...words] = text.slice(start, text.indexOf('\n', start)).split(' ')
  const name = words.join(' ')
  const cents = Math.round(Number(price) * 100)
  return {
    symbol,
    name: kind === 'fund' || OTHER_SECURITY.test(name) ? name : `${name} Common Stock`,
    estimates: {
      exchange: EXCHANGES[exchange as keyof typeof EXCHANGES],
      price: toPrice(BigInt(cents) * 10_000_000n),
      volume: Math.round((Number(turnover) * 100_000_000) / cents),
      volatility: Number(volatility),
      beta: Number(beta),
      ...(sector === '-' ? {} : { sector: sector! }),
      isFund: kind === 'fund',
    },
  }
}
