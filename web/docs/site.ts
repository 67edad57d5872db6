import { decisionsPage } from './decisions-page.ts'
import { homePage } from './home-page.ts'
import { markdownPages } from './markdown-pages.ts'
import { apiPage, groupPage } from './operations/group-page.ts'
import { operationAddress, operationGroups } from './operations/operation-catalog.ts'
import { operationPage } from './operations/operation-page.ts'
import type { Entry, Page, Section, Site } from './page.ts'
import { guidesFor, operationsIn } from './related.ts'
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
