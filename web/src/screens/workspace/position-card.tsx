import type { JSX } from 'preact'
import { quantityText } from '../../format/amounts.ts'
import { current } from '../../live/current.ts'
import { Gain, Money, Price, Quantity } from '../../parts/amounts.tsx'
import { Card } from '../../parts/card.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { hrefOf } from '../../router.ts'
import { Story } from '../../story/story.tsx'
import { closePositions } from './blotter/close-positions.ts'
import { type LivePosition, livePositions } from './live-values.ts'

/** What the account holds of the symbol. */
export function PositionCard({ symbol }: { readonly symbol: string }): JSX.Element {
  const store = current.value?.store
  const positions = livePositions.value
  // The API writes pairs of crypto without the slash.
  const found = positions?.find(
    ({ position: one }) => one.symbol.replace('/', '') === symbol.replace('/', ''),
  )
  const problem = store?.problem.value
  return (
    <Card
      title="Position"
      beside={
        found && (
          <button
            data-changes
            type="button"
            class="button small bare right"
            onClick={() => void closePositions([found])}
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
      ) : found === undefined ? (
        <p class="body faint">You hold no {symbol}.</p>
      ) : (
        <PositionFacts found={found} stale={store?.orderStream.isStale.value ?? false} />
      )}
    </Card>
  )
}

function PositionFacts({
  found: { position, value, dayGain, openGain },
  stale,
}: {
  readonly found: LivePosition
  readonly stale: boolean
}): JSX.Element {
  const path = `position.${position.symbol}`
  const isPartlyFree = position.qty_available !== undefined && position.qty_available !== position.qty
  return (
    <div class="body">
      <dl class="pairs">
        <dt>Quantity</dt>
        <dd>
          <Quantity value={position.qty} stale={stale} of={`${path}.qty`} />
          {isPartlyFree && <span class="faint"> ({quantityText(position.qty_available)} free)</span>}
        </dd>
        <dt>Average price</dt>
        <dd>
          <Price value={position.avg_entry_price} stale={stale} of={`${path}.avg_entry_price`} />
        </dd>
        <dt>Value</dt>
        <dd>
          <Story subject={{ asset: position.symbol }} hasFocus>
            <a class="source" href={hrefOf('ledger', undefined, { asset: position.symbol })}>
              <Money value={value} stale={stale} of={`${path}.market_value`} />
            </a>
          </Story>
        </dd>
        <dt>Day P/L</dt>
        <dd>
          <Gain value={dayGain} stale={stale} of={`${path}.unrealized_intraday_pl`} />
        </dd>
        <dt>Open P/L</dt>
        <dd>
          <Gain value={openGain} stale={stale} of={`${path}.unrealized_pl`} />
        </dd>
      </dl>
    </div>
  )
}
