import { type RunFile, type RunTrade, tradesOf } from '@quipu/sdk/runs'
import type { JSX } from 'preact'
import { priceText, UNKNOWN } from '../../format/amounts.ts'
import { nearText } from '../../format/times.ts'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Empty } from '../../parts/states.tsx'
import { Gain } from './run-words.tsx'
import { download } from './runs-data.ts'

const SHOWN_MAX = 500

/** The trades of a run, each with its P/L. */
export function RunTrades({ file }: { readonly file: RunFile }): JSX.Element {
  const trades = tradesOf(file.parts.fill, file.parts.price)
  return (
    <Card
      title="Trades"
      class="run-trades"
      beside={
        <>
          <span class="count">{trades.length}</span>
          <button
            type="button"
            class="button small bare right"
            disabled={trades.length === 0}
            onClick={() => download(csvOf(trades), 'trades.csv')}
          >
            <Icon name="download" /> CSV
          </button>
        </>
      }
    >
      {trades.length === 0 ? (
        <Empty icon="scale" title="No fills" />
      ) : (
        <section class="scroll" tabIndex={0} aria-label="List of trades">
          <table>
            <thead>
              <tr>
                <th>Opened → closed</th>
                <th>Symbol</th>
                <th class="r">Qty</th>
                <th class="r">In</th>
                <th class="r">Out</th>
                <th class="r">P/L</th>
              </tr>
            </thead>
            <tbody>
              {trades.slice(0, SHOWN_MAX).map((trade, index) => (
                <TradeRow key={index} trade={trade} />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Card>
  )
}

const TradeRow = ({ trade }: { readonly trade: RunTrade }): JSX.Element => (
  <tr>
    <td class="soft">
      {nearText(trade.openedAt, 0)} → {trade.closedAt === undefined ? 'open' : nearText(trade.closedAt, 0)}
    </td>
    <td>{trade.symbol}</td>
    <td class="r n">{trade.side === 'short' ? `−${trade.qty}` : trade.qty}</td>
    <td class="r n">{priceText(trade.entry.toFixed(2))}</td>
    <td class="r n">{trade.exit === undefined ? UNKNOWN : priceText(trade.exit.toFixed(2))}</td>
    <td class="r">{trade.profit === undefined ? UNKNOWN : <Gain of={trade.profit} />}</td>
  </tr>
)

const csvOf = (trades: readonly RunTrade[]): string =>
  [
    'symbol,side,qty,opened_at,closed_at,in,out,profit',
    ...trades.map(({ symbol, side, qty, openedAt, closedAt, entry, exit, profit }) =>
      [symbol, side, qty, openedAt, closedAt ?? '', entry, exit ?? '', profit ?? ''].join(','),
    ),
  ].join('\n')
