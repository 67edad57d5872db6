import MiniSearch, { type Options } from 'minisearch'

/** A part of a page that a search can find. */
export type SearchEntry = {
  readonly id: number
  readonly title: string
  /** The name of the page, and of its section. */
  readonly page: string
  /** The address and the anchor. */
  readonly href: string
  readonly text: string
}

/** The file that the browser loads at the first search. */
export type SearchFile = { readonly index: object; readonly entries: readonly Omit<SearchEntry, 'id'>[] }

/** Used when nothing is found: words with a wrong letter. */
const lenient = { fuzzy: (term: string): number | false => (term.length > 4 ? 0.3 : false) }

/** Pages about using the product come before pages about how it is made. */
const sectionWeights: Readonly<Record<string, number>> = {
  Start: 1.2,
  Guides: 1.1,
  API: 1,
  Internals: 0.3,
  About: 0.7,
}

/** The same options build the index and read it. */
export const searchOptions: Options<SearchEntry> = {
  fields: ['title', 'page', 'text'],
  searchOptions: {
    boost: { title: 5, page: 2 },
    prefix: (term) => term.length > 2,
    combineWith: 'AND',
  },
}

/** Text in pieces; the second value says whether a piece is a found word. */
export type Marked = readonly (readonly [text: string, isFound: boolean])[]
export type Hit = {
  readonly href: string
  readonly title: Marked
  readonly page: string
  readonly excerpt: Marked
}
export type Search = (query: string, max: number) => { readonly hits: readonly Hit[]; readonly total: number }

/** The search in a loaded index. */
export function searchIn({ index, entries }: SearchFile): Search {
  const engine = MiniSearch.loadJS<SearchEntry>(index as never, searchOptions)
  const boostDocument = (id: number): number => sectionWeights[entries[id]!.page.split(' / ')[0]!] ?? 1
  return (query, max) => {
    const exact = engine.search(query, { boostDocument })
    const found = exact.length > 0 ? exact : engine.search(query, { boostDocument, ...lenient })
    const hits = found.slice(0, max).map(({ id, terms }) => {
      const { href, title, page, text } = entries[id]!
      const words = wordPattern(terms)
      return {
        href,
        title: markedText(title, words),
        page,
        excerpt: markedText(excerptOf(text, words), words),
      }
    })
    return { hits, total: found.length }
  }
}

/** Matches the found words in a text. */
const wordPattern = (terms: readonly string[]): RegExp =>
  new RegExp(`(${terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'gi')

const BEFORE = 40
const LENGTH = 140

/** The part of the text around the first found word, from the start of a word to the end of one. */
function excerptOf(text: string, words: RegExp): string {
  const at = Math.max(0, text.search(words))
  const start = at <= BEFORE ? 0 : text.indexOf(' ', at - BEFORE) + 1
  const end = text.length <= start + LENGTH ? text.length : text.lastIndexOf(' ', start + LENGTH)
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`
}

const markedText = (text: string, words: RegExp): Marked =>
  text.split(words).map((part, index) => [part, index % 2 === 1] as const)
