import type { Hit, Marked, Search } from '../search-engine.ts'
import { element, root } from './dom.ts'

const HITS_MAX = 12

let loading: Promise<Search> | undefined

/** Loads the library and the index at the first use. */
function search(): Promise<Search> {
  loading ??= import('./search.ts').then(({ loadSearch }) => loadSearch())
  loading.catch(() => (loading = undefined))
  return loading
}

/** Shows hits in place of the navigation while the box has text. `/` and Ctrl K open it. */
export function startSearch(): void {
  const form = document.querySelector<HTMLFormElement>('form.find')
  const input = form?.querySelector('input')
  const list = document.getElementById('hits')
  const navigation = document.getElementById('contents')
  if (!form || !input || !list || !navigation) return
  const show = async (): Promise<void> => {
    const query = input.value.trim()
    list.hidden = query === ''
    navigation.hidden = query !== ''
    if (query === '') return
    const found = await search().then(
      (index) => index(query, HITS_MAX),
      () => undefined,
    )
    if (input.value.trim() === query)
      list.replaceChildren(...(found === undefined ? [failure] : hitsHtml(query, found)))
  }
  input.addEventListener('focus', () => void search().catch(() => undefined), { once: true })
  input.addEventListener('input', () => void show())
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    list.querySelector('a')?.click()
  })
  form.parentElement!.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      input.value = ''
      void show()
      input.focus()
    } else moveBetweenHits(event, input, list)
  })
  addEventListener('keydown', (event) => {
    if (!opensSearch(event)) return
    event.preventDefault()
    input.focus()
    input.select()
    form.scrollIntoView({ block: 'nearest' })
  })
}

function opensSearch(event: KeyboardEvent): boolean {
  if (event.key === 'k' && (event.metaKey || event.ctrlKey)) return true
  const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
  return event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey
}

function moveBetweenHits(event: KeyboardEvent, input: HTMLElement, list: HTMLElement): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const stops = [input, ...list.querySelectorAll('a')]
  const at = stops.indexOf(document.activeElement as HTMLElement)
  if (step === undefined || at < 0 || list.hidden) return
  event.preventDefault()
  stops[Math.max(0, Math.min(at + step, stops.length - 1))]!.focus()
}

const failure = element(
  'p',
  { attrs: { role: 'status' } },
  'The search index could not be loaded. Type again to retry.',
)

function hitsHtml(
  query: string,
  { hits, total }: { readonly hits: readonly Hit[]; readonly total: number },
): readonly Node[] {
  const count = total === 1 ? '1 result for ' : `${total} results for `
  const line = element(
    'p',
    { attrs: { role: 'status' } },
    total === 0 ? 'Nothing for ' : count,
    element('b', {}, query),
  )
  if (total === 0) line.append('. Pages, operations, errors and commands are searched.')
  return [line, ...hits.map(hitHtml)]
}

const hitHtml = ({ href, title, page, excerpt }: Hit): HTMLAnchorElement =>
  element(
    'a',
    { href: root + href },
    element('b', {}, ...marked(title)),
    element('small', {}, page),
    element('span', {}, ...marked(excerpt)),
  )

/** Text with the found words marked. */
const marked = (parts: Marked): readonly (Node | string)[] =>
  parts.map(([text, isFound]) => (isFound ? element('mark', {}, text) : text))
