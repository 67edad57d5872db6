import { hrefFrom } from './addresses.ts'
import { escaped } from './html.ts'
import type { Page } from './page.ts'

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
