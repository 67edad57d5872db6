import { computed, effect, signal } from '@preact/signals'
import { current } from '../../live/current.ts'
import { place, setQuery } from '../../router.ts'
import { watchedSymbols } from './watchlist/watchlist-state.ts'

/** The symbol that is shown while the address names none: the last one, or the first that the account has. */
const fallback = signal<string | undefined>(undefined)

/** The symbol that the address names. */
export const namedSymbol = computed(() => place.value.query.get('symbol')?.toUpperCase() || undefined)

/** The symbol of the chart. */
export const chosenSymbol = computed(() => namedSymbol.value ?? fallback.value)

/** Shows a symbol. On a phone the chart is above the lists. */
export function chooseSymbol(symbol: string): void {
  fallback.value = symbol
  setQuery({ symbol })
  document.getElementById('main')?.scrollTo(0, 0)
}

/** Chooses the first symbol of an account. Returns a function that ends it. */
export function followFirstSymbol(): () => void {
  let store = current.peek()?.store
  return effect(() => {
    const live = current.value
    if (live?.store !== store) {
      store = live?.store
      fallback.value = undefined
    }
    const positions = live?.store.positions.value
    if (positions === undefined || fallback.peek() !== undefined) return
    const first = positions.find(({ symbol }) => watchedSymbols.value?.includes(symbol))?.symbol
    fallback.value = first ?? watchedSymbols.value?.[0]
  })
}
