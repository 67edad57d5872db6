import { hrefFrom } from './addresses.ts'
import { escaped } from './html.ts'
import type { Page } from './page.ts'

const address = 'docs/decisions'
const about =
  'Choices that were not obvious: the question, the options, the choice, and what would change it.'

/** The list of decisions. */
export function decisionsPage(decisions: readonly Page[]): Page {
  const items = decisions.map(
    (page) =>
      `<li><a href="${hrefFrom(address, page.address)}"><b>${escaped(page.title)}</b><span>${escaped(questionOf(page))}</span></a></li>`,
  )
  const links = decisions.map((page) => `- [${page.title}](${hrefFrom(address, page.address)}.md)`)
  return {
    address,
    title: 'Decisions',
    label: 'Decisions',
    about,
    html: `<p class="lead">${about}</p>\n<ul class="index stacked">${items.join('\n')}</ul>`,
    headings: [],
    markdown: `# Decisions\n\n${about}\n\n${links.join('\n')}\n`,
    parents: ['docs'],
  }
}

const questionOf = ({ about: text }: Page): string => text.replace(/^Question\.\s*/, '')
