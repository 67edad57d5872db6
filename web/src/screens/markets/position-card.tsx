import type { JSX } from 'preact'
import { moneyText, quantityText } from '../../format/amounts.ts'
import { add, decimal, decimalOfNumber, multiply, subtract } from '../../format/decimal.ts'
import type { Position } from '../../live/account-store.ts'
import { current } from '../../live/current.ts'
import { Gain, Money, Price, Quantity } from '../../parts/amounts.tsx'
import { Card } from '../../parts/card.tsx'
import { ask } from '../../parts/question.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { hrefOf } from '../../router.ts'
import { api } from '../../session/selection.ts'

/** What the account holds of the symbol. */
export function PositionCard({
  symbol,
  last,
}: {
  readonly symbol: string
  readonly last: number | undefined
}): JSX.Element {
  const store = current.value?.store
  const positions = store?.positions.value
  // The API writes pairs of crypto without the slash.
  const position = positions?.find((one) => one.symbol.replace('/', '') === symbol.replace('/', ''))
  const problem = store?.problem.value
  return (
    <Card
      title="Position"
      beside={
        position && (
          <button
            data-changes
            type="button"
            class="button small bare right"
            onClick={() => void close(position)}
          >
            Close …
          </button>
        )
      }
    >
      {problem && !positions ? (
        <Failed what="the position" error={problem} retry={() => store?.refresh()} />
      ) : positions === undefined ? (
        <Loading />
      ) : position === undefined ? (
        <Empty icon="candles" title={`You hold no ${symbol}`}>
          Press <kbd>b</kbd> to buy.
        </Empty>
      ) : (
        <PositionFacts position={position} last={last} stale={store?.orderStream.isStale.value ?? false} />
      )}
    </Card>
  )
}

function PositionFacts({
  position,
  last,
  stale,
}: {
  readonly position: Position
  readonly last: number | undefined
  readonly stale: boolean
}): JSX.Element {
  const read = decimal(position.current_price ?? '0')
  const price = last === undefined ? read : decimalOfNumber(last)
  const moved = multiply(decimal(position.qty), subtract(price, read))
  const now = (text: string | null | undefined) => add(decimal(text ?? '0'), moved)
  const isPartlyFree = position.qty_available !== undefined && position.qty_available !== position.qty
  return (
    <div class="body">
      <dl class="pairs">
        <dt>Quantity</dt>
        <dd>
          <Quantity value={position.qty} of={`position.${position.symbol}.qty`} />
          {isPartlyFree && <span class="faint"> ({quantityText(position.qty_available)} free)</span>}
        </dd>
        <dt>Average price</dt>
        <dd>
          <Price value={position.avg_entry_price} />
        </dd>
        <dt>Value</dt>
        <dd>
          <a class="source" href={hrefOf('ledger', undefined, { asset: position.symbol })}>
            <Money
              value={now(position.market_value)}
              stale={stale}
              of={`position.${position.symbol}.market_value`}
            />
          </a>
        </dd>
        <dt>Day P/L</dt>
        <dd>
          <Gain
            value={now(position.unrealized_intraday_pl)}
            stale={stale}
            of={`position.${position.symbol}.unrealized_intraday_pl`}
          />
        </dd>
        <dt>Open P/L</dt>
        <dd>
          <Gain
            value={now(position.unrealized_pl)}
            stale={stale}
            of={`position.${position.symbol}.unrealized_pl`}
          />
        </dd>
      </dl>
    </div>
  )
}

async function close({ symbol, qty, market_value: value }: Position): Promise<void> {
  const confirmed = await ask({
    title: `Close ${symbol}?`,
    effect: `Sends a market order for all ${quantityText(qty)}, about ${moneyText(value ?? '0')}.`,
    keep: 'Keep it',
    confirm: `Close ${quantityText(qty)} ${symbol}`,
  })
  if (!confirmed) return
  const params = { symbol_or_asset_id: symbol }
  await api
    .peek()
    ?.client.closePosition({ params })
    .catch((error: Error) => toast(`Not closed: ${error.message}`))
}
