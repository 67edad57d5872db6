import { type Address, hrefFrom } from './addresses.ts'
import { escaped, icon, plainText } from './html.ts'
import { markdownPages, type WrittenPage } from './markdown-pages.ts'
import { apiPage, groupPage } from './operations/group-page.ts'
import { operationAddress, operationGroups, operationsByCode } from './operations/operation-catalog.ts'
import { operationPage } from './operations/operation-page.ts'
import type { Entry, Page, Related, Section, Site } from './page.ts'
import type { SectionTitle } from './sources.ts'

/** Every page of the site and its place in the navigation. */
export function siteOf(): Site {
  const written = markdownPages()
  const labels = new Map(written.map(({ page }) => [page.address, page.label]))
  const decisions = decisionsPage(
    written.filter(({ section }) => section === 'Decisions').map(({ page }) => page),
  )
  const operationPages = operationGroups.flatMap((group) =>
    group.members.map((one) => operationPage(one, group)),
  )
  const pages = [
    ...written.map(({ page, section }) =>
      page.address === 'docs' ? homePage(page, labels) : linkedGuide(page, section),
    ),
    decisions,
    apiPage(),
    ...operationGroups.map(groupPage),
    ...operationPages.map((page) => ({ ...page, related: guidesFor(page, written) })),
  ]
  const inSection = (title: SectionTitle): readonly Entry[] =>
    written
      .filter(({ section }) => section === title)
      .map(({ page }) => ({ address: page.address, inner: [] }))
  const sections: readonly Section[] = [
    { title: 'Start', entries: inSection('Start') },
    { title: 'Guides', entries: inSection('Guides') },
    { title: 'API', entries: apiEntries() },
    { title: 'Reference', entries: inSection('Reference') },
    {
      title: 'Internals',
      entries: [
        ...inSection('Internals'),
        { address: decisions.address, inner: inSection('Decisions').map(({ address }) => address) },
      ],
    },
    { title: 'About', entries: inSection('About') },
  ]
  return { sections, pages: new Map(pages.map((page) => [page.address, page])) }
}

const apiEntries = (): readonly Entry[] => [
  { address: 'docs/api', inner: [] },
  ...operationGroups.map(({ address, members }) => ({
    address,
    inner: members.map(({ name }) => operationAddress(name)),
  })),
]

/** A guide or reference page, with the operations that it names. */
function linkedGuide(page: Page, section: SectionTitle): Page {
  const addresses = section === 'Guides' || section === 'Start' ? operationsIn(page.markdown) : []
  return { ...page, related: { title: 'In this guide', addresses } }
}

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

const address = 'docs/decisions'
const about =
  'Choices that were not obvious: the question, the options, the choice, and what would change it.'

/** The list of decisions, by subject. */
export function decisionsPage(decisions: readonly Page[]): Page {
  const items = decisions.map((page) => {
    const href = hrefFrom(address, page.address)
    const choices = page.headings
      .filter(({ level }) => level === 2)
      .map(({ id, html }) => `<li><a href="${href}#${id}">${html}</a></li>`)
    return `<h2><a href="${href}">${escaped(page.title)}</a></h2>\n<ul>${choices.join('\n')}</ul>`
  })
  const links = decisions.map(
    (page) => `- [${page.title}](${hrefFrom(address, page.address)}.md): ${page.about}`,
  )
  return {
    address,
    title: 'Decisions',
    label: 'Decisions',
    about,
    html: `<p class="lead">${about}</p>\n${items.join('\n')}`,
    headings: [],
    markdown: `# Decisions\n\n${about}\n\n${links.join('\n')}\n`,
    parents: ['docs'],
  }
}

const first = [
  [
    'docs/install',
    'play',
    'Install and run',
    'One command starts a broker. Place a first order with curl, TypeScript, Python or Go.',
  ],
  [
    'docs/tutorial',
    'guide',
    'Tutorial',
    'Fifteen minutes: a bot in Node or Python through a year, a crash and lost responses.',
  ],
  ['docs/guides/migrate', 'code', 'Use your own bot', 'One setting per SDK, or none with quipu run.'],
  ['docs/api', 'cog', 'API', 'Every operation with parameters, errors and examples to run.'],
] as const

const lead =
  'A brokerage you can run yourself, compatible with the Alpaca API. You control its clock, its market and its failures.'

/** The start page: four ways in, then the lists of docs/README.md as links with their tasks. */
function homePage(page: Page, labels: ReadonlyMap<Address, string>): Page {
  const cards = first.map(
    ([address, name, title, text]) =>
      `<li><a href="${hrefFrom(page.address, address)}">${icon('', name)}<b>${title}</b><span>${text}</span></a></li>`,
  )
  const [, lists = ''] = /(<h2[\s\S]*)$/.exec(page.html) ?? []
  return {
    ...page,
    title: 'Documentation',
    about: lead,
    html: `<p class="lead">${lead}</p>\n<ul class="cards first">${cards.join('\n')}</ul>\n${withLists(lists, labels)}`,
  }
}

/** Tables of a link and a text as lists of links. */
const withLists = (html: string, labels: ReadonlyMap<Address, string>): string =>
  html.replace(/<div class="wide"[\s\S]*?<\/table><\/div>/g, (table) => {
    const rows = [...table.matchAll(/<tr><td><a href="([^"]+)">(.*?)<\/a><\/td><td>(.*?)<\/td><\/tr>/g)]
    const items = rows.map(
      ([, href, name, task]) =>
        `<li><a href="${href}"><b>${escaped(labels.get(href!) ?? plainText(name!))}</b><span>${task}</span></a></li>`,
    )
    return `<ul class="index">${items.join('\n')}</ul>`
  })
