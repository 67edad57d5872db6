import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { current } from '../../live/current.ts'
import { filters, setFilters } from './order-list.ts'

/** Every filter of the API. In a narrow list the rare ones are behind `More`, unless they are chosen. */
export function FiltersBar({ isCompact }: { readonly isCompact: boolean }): JSX.Element {
  const { status, side, symbols, kind, after, until } = filters.value
  const [isMore, setMore] = useState(kind !== undefined || after !== undefined || until !== undefined)
  const store = current.value?.store
  // Before the orders are read, their number is not known.
  const open = store?.openOrders.value === undefined ? undefined : store.openCount.value
  const chip = (label: string, value: typeof status, count?: string) => (
    <button
      type="button"
      class="chip"
      aria-pressed={status === value}
      onClick={() => setFilters({ status: value })}
    >
      {label} {count !== undefined && <b>{count}</b>}
    </button>
  )
  return (
    <div class="filters orders-filters">
      {chip('All', 'all')}
      {chip('Open', 'open', open)}
      {chip('Ended', 'closed')}
      {(!isCompact || isMore || symbols !== undefined) && <SymbolFilter />}
      {(!isCompact || isMore || side !== undefined) && <SideFilter side={side} />}
      <button type="button" class="chip" aria-expanded={isMore} onClick={() => setMore(!isMore)}>
        More
      </button>
      {isMore && <MoreFilters kind={kind} />}
    </div>
  )
}

type Filters = typeof filters.value

const SideFilter = ({ side }: Pick<Filters, 'side'>): JSX.Element => (
  <select
    aria-label="Side"
    value={side ?? ''}
    onChange={({ currentTarget: { value } }) => setFilters({ side: (value || undefined) as Filters['side'] })}
  >
    <option value="">Side</option>
    <option value="buy">Buy</option>
    <option value="sell">Sell</option>
  </select>
)

type Kind = Filters['kind']

function MoreFilters({ kind }: { readonly kind: Kind }): JSX.Element {
  return (
    <>
      <select
        aria-label="Kind of asset"
        value={kind ?? ''}
        onChange={({ currentTarget: { value } }) => setFilters({ kind: (value || undefined) as Kind })}
      >
        <option value="">Asset</option>
        <option value="us_equity">Shares</option>
        <option value="crypto">Crypto</option>
      </select>
      <Dates />
    </>
  )
}

function SymbolFilter(): JSX.Element {
  const chosen = filters.value.symbols ?? ''
  const [typed, setTyped] = useState(chosen)
  useEffect(() => setTyped(chosen), [chosen])
  const apply = () =>
    setFilters({
      symbols:
        typed
          .trim()
          .toUpperCase()
          .replaceAll(/[\s,]+/g, ',') || undefined,
    })
  return (
    <input
      class="chip symbol-filter"
      aria-label="Symbols"
      placeholder="Symbol"
      value={typed}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      onChange={apply}
      onKeyDown={({ key }) => key === 'Enter' && apply()}
    />
  )
}

/** Days in New York; an order of the last day is included. */
function Dates(): JSX.Element {
  const { after, until } = filters.value
  const set =
    (name: 'after' | 'until', shift: number) => (event: { readonly currentTarget: HTMLInputElement }) => {
      const day = event.currentTarget.value
      if (day === '') return setFilters({ [name]: undefined })
      const date = new Date(`${day}T05:00:00Z`)
      date.setUTCDate(date.getUTCDate() + shift)
      setFilters({ [name]: date.toISOString() })
    }
  const dayOf = (instant: string | undefined, shift: number) => {
    if (instant === undefined) return ''
    const date = new Date(instant)
    date.setUTCDate(date.getUTCDate() - shift)
    return date.toISOString().slice(0, 10)
  }
  return (
    <>
      <input type="date" class="chip" aria-label="From" value={dayOf(after, 0)} onChange={set('after', 0)} />
      <input type="date" class="chip" aria-label="To" value={dayOf(until, 1)} onChange={set('until', 1)} />
    </>
  )
}
