import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { fractionLength, moneyText, priceText, quantityText } from '../../format/amounts.ts'
import { sum } from '../../format/decimal.ts'
import { dayKey } from '../../format/times.ts'
import { addKeys } from '../../keyboard.ts'
import { namesOf } from '../../live/assets.ts'
import { advances, clock, nowMs } from '../../live/clock.ts'
import { current } from '../../live/current.ts'
import { Gain, Money, Price, Quantity } from '../../parts/amounts.tsx'
import { Card } from '../../parts/card.tsx'
import { ask } from '../../parts/question.tsx'
import { Spark } from '../../parts/spark.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { go, hrefOf } from '../../router.ts'
import { api } from '../../session/selection.ts'
import { startOrder } from '../../ticket/ticket-fields.ts'
import { type LivePosition, livePositions } from './live-values.ts'

/** What the account holds, with gains of today and since it was bought. */
export function PositionsCard(): JSX.Element {
  const store = current.value?.store
  const positions = livePositions.value
  const days = useDays(positions)
  const count = positions?.length ?? 0
  const total = sum((positions ?? []).map(({ dayGain }) => dayGain))
  return (
    <Card
      title="Positions"
      beside={
        count > 0 && (
          <>
            <span class="chip">{count}</span>
            <span class="right faint wide-only">
              Day P/L <Gain value={total} />
            </span>
            <button
              data-changes
              type="button"
              class="button small bare wide-only"
              onClick={() => void closeAll(positions ?? [])}
            >
              Close all …
            </button>
          </>
        )
      }
    >
      {store?.problem.value && !positions ? (
        <Failed what="positions" error={store.problem.value} retry={() => store.refresh()} />
      ) : positions === undefined ? (
        <Loading />
      ) : count === 0 ? (
        <NoPositions />
      ) : (
        <PositionTable positions={positions} days={days} />
      )}
    </Card>
  )
}

function NoPositions(): JSX.Element {
  const cash = current.value?.store.account.value?.cash
  return (
    <Empty
      icon="candles"
      title={`You have ${cash === undefined ? '' : moneyText(cash)} and no positions.`}
      actions={
        <button
          data-changes
          type="button"
          class="button main"
          onClick={() => startOrder({ symbol: 'AAPL', side: 'buy', size: '1', type: 'market' })}
        >
          Buy 1 AAPL
        </button>
      }
    >
      Press <kbd>b</kbd> to buy, or let a program place an order.
    </Empty>
  )
}

function PositionTable({
  positions,
  days,
}: {
  readonly positions: readonly LivePosition[]
  readonly days: Days
}): JSX.Element {
  const [chosen, setChosen] = useState<string>()
  useRowKeys(positions, chosen, setChosen)
  const places = Math.max(...positions.map(({ position }) => fractionLength(quantityText(position.qty))))
  const averages = Math.max(
    ...positions.map(({ position }) => fractionLength(priceText(position.avg_entry_price))),
  )
  const stale = current.value?.store.orderStream.isStale.value ?? false
  const names = api.value && namesOf(api.value).value
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>Symbol</th>
            <th class="r">Quantity</th>
            <th class="r wide-only">Average</th>
            <th class="r">Last</th>
            <th class="wide-only">Today</th>
            <th class="r">Day P/L</th>
            <th class="r wide-only">Open P/L</th>
            <th class="r wide-only">Value</th>
          </tr>
        </thead>
        <tbody>
          {positions.map(({ position, last, value, dayGain, openGain }) => (
            <tr
              key={position.symbol}
              class={chosen === position.symbol ? 'selected' : ''}
              onClick={() => setChosen(position.symbol)}
            >
              <td>
                <a href={hrefOf('markets', position.symbol)}>
                  <b>{position.symbol}</b>
                  <span class="sub wide-only">{names?.get(position.symbol)}</span>
                </a>
              </td>
              <td class="r">
                <Quantity value={position.qty} align={places} of={`position.${position.symbol}.qty`} />
              </td>
              <td class="r wide-only">
                <Price
                  value={position.avg_entry_price}
                  align={averages}
                  of={`position.${position.symbol}.avg_entry_price`}
                />
              </td>
              <td class="r">
                <Price value={last} stale={stale} of={`position.${position.symbol}.current_price`} />
              </td>
              <td class="wide-only">
                {days.get(position.symbol) && (
                  <Spark
                    values={days.get(position.symbol)!}
                    base={Number(position.lastday_price ?? 0) || undefined}
                  />
                )}
              </td>
              <td class="r">
                <Gain
                  value={dayGain}
                  stale={stale}
                  of={`position.${position.symbol}.unrealized_intraday_pl`}
                />
              </td>
              <td class="r wide-only">
                <Gain value={openGain} stale={stale} of={`position.${position.symbol}.unrealized_pl`} />
              </td>
              <td class="r wide-only">
                <a class="source" href={hrefOf('ledger', undefined, { asset: position.symbol })}>
                  <Money value={value} stale={stale} of={`position.${position.symbol}.market_value`} />
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** `j` and `k` move between rows, Enter opens the symbol, `b` and `s` trade it. */
function useRowKeys(
  positions: readonly LivePosition[],
  chosen: string | undefined,
  choose: (symbol: string) => void,
): void {
  useLayoutEffect(() => {
    const symbols = positions.map(({ position }) => position.symbol)
    const at = symbols.indexOf(chosen ?? '')
    const move = (step: number) => () => {
      const next = symbols[Math.min(Math.max(at + step, 0), symbols.length - 1)]
      if (next !== undefined) choose(next)
    }
    const trade = (side: 'buy' | 'sell') => () =>
      startOrder(chosen === undefined ? { side } : { side, symbol: chosen })
    return addKeys([
      { key: 'j', does: 'Next position', run: move(1) },
      { key: 'k', does: 'Previous position', run: move(-1) },
      ...(chosen === undefined
        ? []
        : [
            { key: 'Enter', does: `Open ${chosen}`, run: () => go(hrefOf('markets', chosen)) },
            { key: 'b', does: `Buy ${chosen}`, run: trade('buy') },
            { key: 's', does: `Sell ${chosen}`, run: trade('sell') },
          ]),
    ])
  }, [positions.length, chosen])
}

type Days = ReadonlyMap<string, readonly number[]>

/** The prices of today for the small curves. */
function useDays(positions: readonly LivePosition[] | undefined): Days {
  const [days, setDays] = useState<Days>(new Map())
  const stocks = positions
    ?.map(({ position }) => position.symbol)
    .filter((symbol) => !symbol.includes('/'))
    .join()
  const connection = api.value
  const day = nowMs.value === undefined ? undefined : dayKey(nowMs.value)
  useEffect(() => {
    if (!connection || !stocks || day === undefined) return
    const query = { symbols: stocks.split(','), timeframe: '15Min', start: startOfDay(day), limit: 10_000 }
    connection.client.stockBars({ query }).then(
      ({ bars }) =>
        setDays(new Map(Object.entries(bars).map(([symbol, list]) => [symbol, list.map(({ c }) => c)]))),
      () => setDays(new Map()),
    )
  }, [connection, stocks, day, advances.value])
  return days
}

const SESSION_MS = 6.5 * 3_600_000

/** The open of today's session while the market is open, otherwise the begin of the day. */
function startOfDay(day: string): string {
  const state = clock.peek()
  return state?.isOpen && dayKey(state.nextCloseMs) === day
    ? new Date(state.nextCloseMs - SESSION_MS).toISOString()
    : day
}

async function closeAll(positions: readonly LivePosition[]): Promise<void> {
  const orders = current.value?.store.openCount.value ?? '0'
  const value = sum(
    positions.map((one) => (one.value.units < 0n ? { ...one.value, units: -one.value.units } : one.value)),
  )
  const confirmed = await ask({
    title: `Close all ${positions.length} positions?`,
    effect: `Sends ${positions.length} market orders, about ${moneyText(value)} in total.${
      orders !== '0' ? ` Cancels ${orders} open orders first.` : ''
    }`,
    keep: 'Keep them',
    confirm: `Close ${positions.length} positions`,
  })
  if (confirmed) await api.peek()?.client.closeAllPositions({ query: { cancel_orders: true } })
}
