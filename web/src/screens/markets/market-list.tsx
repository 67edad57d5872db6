import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { volumeText } from '../../format/amounts.ts'
import { decimalOfNumber } from '../../format/decimal.ts'
import { dayKey } from '../../format/times.ts'
import { addKeys } from '../../keyboard.ts'
import { namesOf } from '../../live/assets.ts'
import { advances, nowMs } from '../../live/clock.ts'
import { current } from '../../live/current.ts'
import { Price, Quantity } from '../../parts/amounts.tsx'
import { Card } from '../../parts/card.tsx'
import { Spark } from '../../parts/spark.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { go, hrefOf } from '../../router.ts'
import { api } from '../../session/selection.ts'
import { DayChange } from './day-change.tsx'
import { lastOf, type Snapshot, useLive, useSnapshots } from './live-symbol.ts'

const wellKnown = [
  'AAPL',
  'MSFT',
  'NVDA',
  'AMZN',
  'GOOGL',
  'META',
  'TSLA',
  'JPM',
  'KO',
  'SPY',
  'QQQ',
  'BTC/USD',
  'ETH/USD',
]

/** The positions of the account and a few well-known symbols. */
export function MarketList(): JSX.Element {
  const names = api.value && namesOf(api.value).value
  const positions = current.value?.store.positions.value
  const isReady = names !== undefined && names.size > 0 && positions !== undefined
  const held = new Map(isReady ? positions.map((one) => [symbolOf(one.symbol, names), one.qty]) : [])
  const others = wellKnown.filter((symbol) => !held.has(symbol) && names?.has(symbol))
  const symbols = isReady ? [...held.keys(), ...others] : []
  useLive(symbols, ['quotes', 'dailyBars'])
  const read = useSnapshots(symbols).value
  const days = useDays(symbols)
  const chosen = useRowKeys(symbols)
  return (
    <>
      <h1 class="hidden-text">Markets</h1>
      <Card
        title="Markets"
        beside={
          <span class="right faint">
            <kbd>/</kbd> finds any symbol
          </span>
        }
      >
        {read instanceof Error ? (
          <Failed what="prices" error={read} />
        ) : read === undefined ? (
          <Loading rows={8} />
        ) : symbols.length === 0 ? (
          <Empty icon="candles" title="This world has none of the usual symbols">
            Press <kbd>/</kbd> to find one.
          </Empty>
        ) : (
          <div class="scroll">
            <table class="markets">
              <thead>
                <tr>
                  <th>Symbol</th>
                  <th class="r">Last</th>
                  <th class="r">Today</th>
                  <th class="wide-only">
                    <span class="hidden-text">Curve of today</span>
                  </th>
                  <th class="r wide-only">Volume</th>
                  <th class="r wide-only">You hold</th>
                </tr>
              </thead>
              <tbody>
                {symbols.map((symbol) => (
                  <MarketRow
                    key={symbol}
                    {...{ symbol, isChosen: symbol === chosen, held: held.get(symbol) }}
                    name={names?.get(symbol) ?? ''}
                    snapshot={read.get(symbol)}
                    day={days.get(symbol) ?? []}
                  />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Card>
    </>
  )
}

/** Positions in crypto have no slash in their symbol. */
const symbolOf = (symbol: string, names: ReadonlyMap<string, string>): string =>
  names.has(symbol) ? symbol : symbol.replace(/(USDT|USDC|USD|BTC)$/, '/$1')

type RowProps = {
  readonly symbol: string
  readonly name: string
  readonly snapshot: Snapshot | undefined
  readonly day: readonly number[]
  readonly held: string | undefined
  readonly isChosen: boolean
}

function MarketRow({ symbol, name, snapshot, day, held, isChosen }: RowProps): JSX.Element {
  const stale = current.value?.store.orderStream.isStale.value ?? false
  const last = lastOf(symbol, snapshot)
  const before = snapshot?.prevDailyBar?.c
  return (
    <tr
      class={isChosen ? 'selected' : ''}
      data-href={hrefOf('markets', symbol)}
      onClick={() => go(hrefOf('markets', symbol))}
    >
      <td class="cut">
        <a href={hrefOf('markets', symbol)}>
          <b>{symbol}</b> <span class="sub">{name}</span>
        </a>
      </td>
      <td class="r">
        <Price value={last === undefined ? undefined : decimalOfNumber(last)} stale={stale} />
      </td>
      <td class="r">
        <DayChange last={last} before={before} stale={stale} line />
      </td>
      <td class="wide-only">{day.length > 1 && <Spark values={day} base={before} />}</td>
      <td class="r n wide-only">{snapshot?.dailyBar ? volumeText(snapshot.dailyBar.v) : ''}</td>
      <td class="r wide-only">{held !== undefined && <Quantity value={held} />}</td>
    </tr>
  )
}

/** `j` and `k` move between rows, Enter opens the symbol. */
function useRowKeys(symbols: readonly string[]): string | undefined {
  const [chosen, choose] = useState<string>()
  useLayoutEffect(() => {
    const at = symbols.indexOf(chosen ?? '')
    const move = (step: number) => () => choose(symbols[Math.min(Math.max(at + step, 0), symbols.length - 1)])
    return addKeys([
      { key: 'j', does: 'Next symbol', run: move(1) },
      { key: 'k', does: 'Previous symbol', run: move(-1) },
      ...(chosen === undefined
        ? []
        : [{ key: 'Enter', does: `Open ${chosen}`, run: () => go(hrefOf('markets', chosen)) }]),
    ])
  }, [symbols.join(), chosen])
  return chosen
}

type Days = ReadonlyMap<string, readonly number[]>

/** The prices of today for the small curves. */
function useDays(symbols: readonly string[]): Days {
  const [days, setDays] = useState<Days>(new Map())
  const connection = api.value
  const key = symbols.join()
  const day = nowMs.value === undefined ? undefined : dayKey(nowMs.value)
  useEffect(() => {
    if (!connection || key === '' || day === undefined) return
    const [pairs, stocks] = [
      symbols.filter((one) => one.includes('/')),
      symbols.filter((one) => !one.includes('/')),
    ]
    const query = { timeframe: '15Min', start: day, limit: 10_000 }
    const { client } = connection
    Promise.all([
      stocks.length === 0 ? undefined : client.stockBars({ query: { ...query, symbols: stocks } }),
      pairs.length === 0
        ? undefined
        : client.cryptoBars({ params: { loc: 'us' }, query: { ...query, symbols: pairs } }),
    ]).then(
      (pages) => {
        const all = pages.flatMap((page) => (page ? Object.entries(page.bars) : []))
        setDays(new Map(all.map(([symbol, bars]) => [symbol, bars.map(({ c }) => c)])))
      },
      () => setDays(new Map()),
    )
  }, [connection, key, day, advances.value])
  return days
}
