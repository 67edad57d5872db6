import { hrefFrom } from './addresses.ts'
import { escaped } from './html.ts'
import type { Entry, Page, Section, Site } from './page.ts'

/** The pages of the site by section. Pages below an entry are listed while the entry or one of them is open. */
export const navigation = (page: Page, site: Site): string =>
  `<nav class="dnav" id="contents" aria-label="Docs" tabindex="-1">${site.sections.map((section) => sectionHtml(section, page, site)).join('\n')}</nav>`

const sectionHtml = ({ title, entries }: Section, page: Page, site: Site): string =>
  `<h2 class="k">${escaped(title)}</h2>
<ul>${entries.map((entry) => entryHtml(entry, page, site)).join('\n')}</ul>`

function entryHtml({ address, inner }: Entry, page: Page, site: Site): string {
  const isOpen = address === page.address || inner.includes(page.address)
  const below = isOpen && inner.length > 0 ? inner.map((one) => `<li>${linkHtml(one, page, site)}</li>`) : []
  const list = below.length === 0 ? '' : `<ul>${below.join('\n')}</ul>`
  return `<li>${linkHtml(address, page, site)}${list}</li>`
}

function linkHtml(address: string, page: Page, site: Site): string {
  const { label, method } = site.pages.get(address)!
  const current = address === page.address ? ' aria-current="page"' : ''
  return `<a href="${hrefFrom(page.address, address)}"${current}>${method === undefined ? '' : methodBadge(method)}${escaped(label)}</a>`
}

/** The method of an operation as a short coloured word. */
export const methodBadge = (method: string): string =>
  `<span class="m m-${method.toLowerCase()}">${method === 'DELETE' ? 'DEL' : method}</span>`
