import { computed, signal } from '@preact/signals'
import { type ScreenName, SYMBOLS_PATH, screens } from './screens.table.ts'

/** Where the viewer is: a screen, what it shows, and the parameters of the address. */
export type Place = {
  readonly screen: ScreenName | undefined
  /** The part of the address after the screen, such as the id of an order. */
  readonly item: string | undefined
  readonly query: URLSearchParams
}

const base = new URL('.', document.baseURI)
const address = signal(location.href)

export const place = computed<Place>(() => placeOf(new URL(address.value)))

function placeOf({ pathname, searchParams }: URL): Place {
  const [path = '', ...rest] = pathname.slice(base.pathname.length).split('/').map(decodeURIComponent)
  const screen = screens.find((one) => one.path === path)?.name
  const item = rest.join('/')
  if (path === SYMBOLS_PATH && screen === undefined) {
    if (item !== '' && !searchParams.has('symbol')) searchParams.set('symbol', item)
    return { screen: 'workspace', item: undefined, query: searchParams }
  }
  return { screen, item: item === '' ? undefined : item, query: searchParams }
}

/** What a screen calls the item of the address; without it, viewers see the item itself. */
export const itemTitle = signal<{ readonly item: string; readonly title: string } | undefined>(undefined)

/** Parameters that stay when the viewer goes to another screen. */
const kept = ['world', 'account'] as const

/** The address of a screen, with the chosen world and account. */
export function hrefOf(
  screen: ScreenName,
  item?: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const { path } = screens.find(({ name }) => name === screen)!
  const url = new URL(item === undefined ? path : `${path}/${encodeURIComponent(item)}`, base)
  for (const name of kept) {
    const value = place.value.query.get(name)
    if (value !== null) url.searchParams.set(name, value)
  }
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  return url.pathname + url.search
}

/** The workspace with the chart of a symbol. */
export const symbolHref = (symbol: string): string => hrefOf('workspace', undefined, { symbol })

/** Goes to an address of the dashboard. */
export function go(href: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', href)
  else history.pushState(null, '', href)
  address.value = location.href
  if (!replace) document.getElementById('main')?.scrollTo(0, 0)
}

/** Changes parameters of the current address. */
export function setQuery(
  change: Readonly<Record<string, string | undefined>>,
  { replace = true } = {},
): void {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  go(url.pathname + url.search, { replace })
}

/** Links to screens change the address without loading the page again. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    address.value = location.href
  })
  addEventListener('click', (event) => {
    const link = (event.target as Element).closest?.('a')
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download')) return
    const url = new URL(link.href)
    if (url.origin !== location.origin || !url.pathname.startsWith(base.pathname) || url.hash) return
    if (placeOf(url).screen === undefined) return
    event.preventDefault()
    go(url.pathname + url.search)
  })
}
