import type { Address } from './addresses.ts'
import { linkedMarkdown, type SiteIndex } from './links.ts'
import { rendered } from './markdown.ts'
import { operationsByCode } from './operations/operation-catalog.ts'
import type { Page } from './page.ts'
import { dataFiles, markdownSources, type SectionTitle, type Source, textOf } from './sources.ts'

export type WrittenPage = { readonly page: Page; readonly section: SectionTitle }

/** Titles that differ from the first heading of the file. */
const titles: Readonly<Record<Address, string>> = {
  'docs/install': 'Install and run',
  'docs/style': 'Code style',
}

/** The pages that people write, and pages that `npm run docs` generates. */
export function markdownPages(): readonly WrittenPage[] {
  const sources = markdownSources()
  const siteIndex: SiteIndex = {
    pages: new Map([
      ...sources.map(({ file, address }) => [file, address] as const),
      ['docs/decisions', 'docs/decisions'] as const,
    ]),
    files: new Set(dataFiles()),
    labels: new Map(sources.map(({ file, address }) => [address, labelOf(address, titleOf(textOf(file)))])),
    operations: operationsByCode,
  }
  return sources.map((source) => ({ page: pageOf(source, siteIndex), section: source.section }))
}

function pageOf({ file, address, section }: Source, siteIndex: SiteIndex): Page {
  const text = textOf(file)
  const { title, about, html, headings } = rendered(text, { file, address, siteIndex })
  return {
    address,
    title: titles[address] ?? title,
    label: labelOf(address, title),
    about,
    html: address === 'docs/reference/errors' ? withRowIds(html) : html,
    headings,
    markdown: linkedMarkdown(text, file, address, siteIndex),
    parents: parentsOf(address, section),
  }
}

const titleOf = (markdown: string): string => /^# (.*)$/m.exec(markdown)?.[1] ?? ''

const labelOf = (address: Address, title: string): string =>
  address === 'docs' ? 'Overview' : (titles[address] ?? title).split(':')[0]!

const parentsOf = (address: Address, section: SectionTitle): readonly Address[] => {
  if (address === 'docs') return []
  return section === 'Decisions' ? ['docs', 'docs/decisions'] : ['docs']
}

/** Gives each error an address of its own. */
const withRowIds = (html: string): string =>
  html.replace(
    /<tr>(<td>\d+<\/td><td>(?:<code>)?\w+(?:<\/code>)?<\/td><td><code>(\w+)<\/code>)/g,
    '<tr id="error-$2">$1',
  )
