import type { Address } from './addresses.ts'
import type { WrittenPage } from './markdown-pages.ts'
import { operationsByCode } from './operations/operation-catalog.ts'
import type { Page, Related } from './page.ts'

const RELATED_MAX = 8

/** The operations that a text names in code, by name or by route, in the order of the text. */
export function operationsIn(markdown: string): readonly Address[] {
  const named = [...markdown.matchAll(/`([^`\n]+)`/g)].map(([, code]) =>
    operationsByCode.get(code!.split('?')[0]!.trim()),
  )
  return [...new Set(named.filter((address) => address !== undefined))].slice(0, RELATED_MAX)
}

/** The guides that name the operation of a page. */
export function guidesFor(page: Page, written: readonly WrittenPage[]): Related {
  const route = /`([A-Z]+ \/[^`]*)`/.exec(page.markdown)?.[1] ?? ''
  const codes = [`\`${page.label}\``, `\`${route}\``, `\`${route}?`]
  const guides = written
    .filter(({ section }) => section === 'Guides' || section === 'Reference' || section === 'Start')
    .filter(({ page: guide }) => codes.some((code) => guide.markdown.includes(code)))
    .map(({ page: guide }) => guide.address)
  return { title: 'Read about it in', addresses: guides.slice(0, RELATED_MAX) }
}
