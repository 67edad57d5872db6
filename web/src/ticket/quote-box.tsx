import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { quantityText } from '../format/amounts.ts'
import { current } from '../live/current.ts'
import { Price } from '../parts/amounts.tsx'
import { changeTicket } from './ticket-fields.ts'

/** The live quote of a symbol. A click takes the price into the ticket. */
export function QuoteBox({ symbol }: { readonly symbol: string }): JSX.Element | null {
  const live = current.value
  useEffect(() => {
    if (!live || symbol === '') return undefined
    return live.market.watch(['quotes'], [symbol])
  }, [live, symbol])
  if (!live || symbol === '') return null
  const quote = live.market.state(symbol).quote.value
  const stale = live.store.orderStream.isStale.value
  return (
    <div class="quote">
      <Side label="Bid" price={quote?.bp} size={quote?.bs} stale={stale} of={`prices.${symbol}.bid`} />
      <Side label="Ask" price={quote?.ap} size={quote?.as} stale={stale} of={`prices.${symbol}.ask`} />
    </div>
  )
}

type SideProps = {
  readonly label: string
  readonly price: number | undefined
  readonly size: number | undefined
  readonly stale: boolean
  readonly of: string
}

function Side({ label, price, size, stale, of }: SideProps): JSX.Element {
  return (
    <div>
      <span class="label">
        {label}
        {size !== undefined && ` · ${quantityText(String(size))}`}
      </span>
      <button
        type="button"
        class="source"
        disabled={price === undefined}
        title="Use as limit price"
        onClick={() => changeTicket({ type: 'limit', limitPrice: String(price) })}
      >
        <b>
          <Price
            value={price === undefined ? undefined : String(price)}
            unknown="no quote yet"
            stale={stale}
            of={of}
          />
        </b>
      </button>
    </div>
  )
}
