import MiniSearch from 'minisearch'
import { plainText } from './html.ts'
import type { Page, Site } from './page.ts'
import { type SearchEntry, type SearchFile, searchOptions } from './search-engine.ts'

/** The search index of the site: one entry per section of a page, per error, and per operation. */
export function searchFile({ sections, pages }: Site): SearchFile {
  const titles = new Map(
    sections.flatMap(({ title, entries }) =>
      entries.flatMap(({ address, inner }) => [address, ...inner].map((one) => [one, title] as const)),
    ),
  )
  const entries = [...pages.values()]
    .flatMap((page) => entriesOf(page, titles.get(page.address)!))
    .map((entry, id): SearchEntry => ({ id, ...entry }))
  const index = new MiniSearch<SearchEntry>(searchOptions)
  index.addAll(entries)
  return { index: index.toJSON(), entries: entries.map(({ id: _, ...entry }) => entry) }
}

type Found = Omit<SearchEntry, 'id'>

function entriesOf(page: Page, section: string): readonly Found[] {
  if (page.method !== undefined) return [operationEntry(page)]
  const parts = page.html.split(/(?=<(?:h[23]|tr) id=")/)
  return parts.map((part, index) => {
    const [, tag, id] = /^<(h[23]|tr) id="([^"]+)"/.exec(part) ?? []
    const heading = /^<h.*?<\/h[23]>/s.exec(part)?.[0] ?? ''
    const text = textOf(part.slice(heading.length))
    if (index === 0) return { title: page.title, page: section, href: page.address, text }
    const title = tag === 'tr' ? id!.replace('error-', '') : plainText(heading)
    return { title, page: `${section} / ${page.label}`, href: `${page.address}#${id}`, text }
  })
}

/** Fields and errors are not searched: half of all pages have them in common. */
const operationEntry = (page: Page): Found => ({
  title: page.label,
  page: 'API',
  href: page.address,
  text: textOf(`${page.about} ${/<p class="route">.*?<\/p>/s.exec(page.html)?.[0] ?? ''}`),
})

const textOf = (html: string): string =>
  plainText(html.replace(/<wbr>/g, '').replace(/<\/(?:td|th|li|p|pre|dt|dd|h\d|span|b)>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()
