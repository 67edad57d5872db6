import { screens } from '../src/screens.table.ts'
import { type Address, hrefFrom, rootFrom } from './addresses.ts'
import type { Assets } from './assets.ts'
import { escaped, icon } from './html.ts'
import { navigation } from './navigation.ts'
import type { Heading, Page, Related, Site } from './page.ts'

/** The whole HTML of a page. */
export function pageHtml(page: Page, site: Site, assets: Assets): string {
  const root = rootFrom(page.address)
  const name = page.method === undefined ? page.title : `${page.title} (${page.label})`
  const title = page.address === 'docs' ? 'Quipu docs' : `${name} · Quipu docs`
  return `<!doctype html>
<html lang="en" data-root="${root}" data-search="${root}${assets.search}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<meta name="description" content="${escaped(page.about)}">
<link rel="icon" href="${root}icon.svg" type="image/svg+xml">
<link rel="alternate" type="text/markdown" href="${hrefFrom(page.address, page.address)}.md">
<link rel="stylesheet" href="${root}${assets.style}">
<script src="${root}${assets.theme}"></script>
<script type="module" src="${root}${assets.script}"></script>
</head>
<body>
<a class="skip-link" href="#main">Skip to content</a>
${rail(root)}
${top(page, site)}
<div class="dx${isFull(page) ? ' full' : ''}">
${leftColumn(page, site)}
<main id="main" tabindex="-1"><article class="prose">
<h1>${escaped(page.title)}</h1>
${page.html}
${neighbours(page, site)}
</article></main>
${aside(page, site)}
</div>
${tabBar(root)}
</body>
</html>
`
}

/** Wide tables use the room of a short table of contents. */
const isFull = ({ html, headings }: Page): boolean =>
  html.includes('class="wide paired"') && headings.filter(({ level }) => level === 2).length <= 3

/** Links to the screens of the dashboard. */
const rail = (root: string): string => `<nav class="nav" aria-label="Screens">
<a class="brand" href="${root || './'}">${icon(root, 'logo')}Quipu</a>
<div class="nav-links">${destinations.map((destination) => `${destination.name === 'keys' ? '<div class="gap"></div>' : ''}${destinationLink(root, destination)}`).join('\n')}</div>
</nav>`

type Destination = Pick<(typeof screens)[number], 'who'> & {
  readonly path: string
  readonly name: string
  readonly title: string
}

/** The screens of the dashboard, and the docs. */
const destinations: readonly Destination[] = [
  // The first steps are a list of the dashboard, and the tutorial is theirs of the docs.
  ...screens.filter(({ name }) => name !== 'first'),
  { path: 'docs', name: 'docs', title: 'Docs', who: 'user' },
]
const tabs = destinations.filter(({ name }) =>
  ['workspace', 'orders', 'ledger', 'activity', 'docs'].includes(name),
)

/** Links to screens of operators are hidden until the dashboard has noted in this browser that the reader is one. */
const destinationLink = (root: string, { path, name, title, who }: Destination): string =>
  `<a href="${root}${path || (root === '' ? './' : '')}"${path === 'docs' ? ' aria-current="true"' : ''}${who === 'operator' ? ' class="for-operators"' : ''}>${icon(root, name)}${title}</a>`

const tabBar = (root: string): string =>
  `<nav class="tabbar" aria-label="Main screens">${tabs.map((destination) => destinationLink(root, destination)).join('')}</nav>`

/** Breadcrumbs, and the buttons that only work with scripts. */
function top(page: Page, site: Site): string {
  const root = rootFrom(page.address)
  const parents = page.parents.map((address) => {
    const label = address === 'docs' ? 'Docs' : (site.pages.get(address)?.title ?? address)
    return `<a href="${hrefFrom(page.address, address)}">${escaped(label)}</a><span aria-hidden="true">/</span>`
  })
  const here = page.address === 'docs' ? 'Docs' : page.label
  return `<header class="top">
<nav class="crumbs" aria-label="Breadcrumbs">${parents.join('')}<b aria-current="page">${escaped(here)}</b></nav>
<a class="contents" href="#contents">${icon(root, 'list')}Contents</a>
<button class="icon-button theme" type="button" aria-label="Change between light and dark">${icon(root, 'theme')}</button>
</header>`
}

/** The search box, which scripts show, and the navigation. */
function leftColumn(page: Page, site: Site): string {
  const root = rootFrom(page.address)
  return `<div class="left">
<form class="find" role="search"><label><span class="hidden-text">Search the docs</span>${icon(root, 'search')}<input
 type="search" placeholder="Search docs" autocomplete="off" spellcheck="false" aria-controls="hits"><kbd aria-hidden="true">/</kbd></label></form>
<section id="hits" class="hits" aria-label="Search results" hidden></section>
${navigation(page, site)}
</div>`
}

/** The pages before and after this one, in the order of the navigation. */
function neighbours(page: Page, site: Site): string {
  const order = site.sections.flatMap(({ entries }) =>
    entries.flatMap(({ address, inner }) => [address, ...inner]),
  )
  const index = order.indexOf(page.address)
  const link = (address: Address | undefined, word: string, side: string): string => {
    const other = address === undefined ? undefined : site.pages.get(address)
    return other === undefined
      ? ''
      : `<a class="${side}" href="${hrefFrom(page.address, other.address)}" rel="${side}"><small>${word}</small><b>${escaped(other.label)}</b></a>`
  }
  return `<nav class="nextp" aria-label="Neighbouring pages">${link(order[index - 1], 'Back', 'prev')}${link(order[index + 1], 'Next', 'next')}</nav>`
}

/** The table of contents, related pages, and the other forms of the page. */
function aside(page: Page, site: Site): string {
  const items = page.headings.filter(({ level }) => level <= tocDepth(page.headings))
  const list = items.map(({ id, html, level }) => `<li class="l${level}"><a href="#${id}">${html}</a></li>`)
  const contents =
    items.length < 2
      ? ''
      : `<nav aria-label="On this page"><h2 class="k">On this page</h2><ul>${list.join('\n')}</ul></nav>`
  return `<aside class="toc" aria-label="About this page">${contents}
${page.related === undefined ? '' : relatedNote(page, page.related, site)}
<p class="also">Also as <a href="${hrefFrom(page.address, page.address)}.md">Markdown</a> and in <a href="${rootFrom(page.address)}llms.txt">llms.txt</a></p></aside>`
}

const ENTRIES_MAX = 14

/** Headings of the third level are listed only where they fit. */
const tocDepth = (headings: readonly Heading[]): number =>
  headings.filter(({ level }) => level <= 3).length <= ENTRIES_MAX ? 3 : 2

function relatedNote(page: Page, { title, addresses }: Related, site: Site): string {
  if (addresses.length === 0) return ''
  const root = rootFrom(page.address)
  const links = addresses.map(
    (address) =>
      `<a href="${hrefFrom(page.address, address)}">${escaped(site.pages.get(address)!.label)}</a>`,
  )
  return `<div class="note">${icon(root, 'info')}<b>${title}</b><p>${links.join(', ')}</p></div>`
}
