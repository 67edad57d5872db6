import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { priceText, quantityText } from '../../format/amounts.ts'
import { decimalOfNumber } from '../../format/decimal.ts'
import { milliText, secondText } from '../../format/times.ts'
import { advances } from '../../live/clock.ts'
import { current } from '../../live/current.ts'
import { Card } from '../../parts/card.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import type { Connection } from '../../session/connections.ts'

type Trade = { readonly t: string; readonly p: number; readonly s: number; readonly i: number }

const SHOWN = 8

/** The newest trades of the market. */
export function TradesCard({ symbol }: { readonly symbol: string }): JSX.Element {
  const [trades, setTrades] = useState<readonly Trade[]>()
  const [problem, setProblem] = useState<Error>()
  const [attempt, setAttempt] = useState(0)
  const live = current.value
  useEffect(() => {
    if (!live) return undefined
    setProblem(undefined)
    const reading = new AbortController()
    const { signal } = reading
    readTrades(live.store.connection, symbol, signal).then(
      (read) => {
        if (!signal.aborted) setTrades(read)
      },
      (error) => {
        if (!signal.aborted) setProblem(error)
      },
    )
    const end = live.market.onMessages((messages) => {
      const added = messages.filter((one) => one.T === 't' && one.S === symbol) as unknown as Trade[]
      if (added.length > 0) setTrades((known = []) => [...added.reverse(), ...known].slice(0, SHOWN + 1))
    })
    return () => {
      reading.abort()
      end()
    }
  }, [live, symbol, advances.value, attempt])
  return (
    <Card
      title="Trades"
      beside={trades?.[0] && <span class="right faint n">as of {secondText(trades[0].t)}</span>}
    >
      {problem && !trades ? (
        <Failed what="trades" error={problem} retry={() => setAttempt(attempt + 1)} />
      ) : trades === undefined ? (
        <Loading />
      ) : trades.length === 0 ? (
        <Empty icon="pulse" title="No trades today" />
      ) : (
        <TradeTable symbol={symbol} trades={trades} />
      )}
    </Card>
  )
}

const TradeTable = ({
  symbol,
  trades,
}: {
  readonly symbol: string
  readonly trades: readonly Trade[]
}): JSX.Element => (
  <table class="trades">
    <thead class="hidden-text">
      <tr>
        <th>Time in New York</th>
        <th>Price</th>
        <th>Size</th>
      </tr>
    </thead>
    <tbody>
      {trades.slice(0, SHOWN).map(({ t, p, s, i }, index) => {
        const before = trades[index + 1]?.p ?? p
        return (
          <tr key={`${t} ${i}`}>
            <td class="mono faint">{milliText(t)}</td>
            <td class={`r n ${p > before ? 'up' : p < before ? 'down' : ''}`}>
              <span aria-hidden="true">{p > before ? '▲ ' : p < before ? '▼ ' : ''}</span>
              <span data-number={`trade.${symbol}.${index}.price`}>{priceText(decimalOfNumber(p))}</span>
            </td>
            <td class="r n" data-number={`trade.${symbol}.${index}.size`}>
              {quantityText(decimalOfNumber(s))}
            </td>
          </tr>
        )
      })}
    </tbody>
  </table>
)

async function readTrades(
  { client }: Connection,
  symbol: string,
  signal: AbortSignal,
): Promise<readonly Trade[]> {
  const query = { symbols: [symbol], sort: 'desc', limit: SHOWN + 1, start: '1990-01-01' } as const
  const { trades } = symbol.includes('/')
    ? await client.cryptoTrades({ params: { loc: 'us' }, query }, { signal })
    : await client.stockTrades({ query }, { signal })
  return (trades[symbol] ?? []) as readonly Trade[]
}
