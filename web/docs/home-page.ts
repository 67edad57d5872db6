import { type Address, hrefFrom } from './addresses.ts'
import { escaped, icon, plainText } from './html.ts'
import type { Page } from './page.ts'

const first = [
  [
    'docs/install',
    'play',
    'Install and run',
    'One command starts a broker. Place a first order with curl, TypeScript, Python or Go.',
  ],
  ['docs/tutorial', 'guide', 'Tutorial', 'Fifteen minutes: a bot, a crash day, a year in seconds.'],
  ['docs/guides/migrate', 'code', 'Use your own bot', 'One setting per SDK, or none with quipu run.'],
  ['docs/api', 'cog', 'API', 'Every operation with parameters, errors and examples to run.'],
] as const

const lead =
  'A brokerage you can run yourself, compatible with the Alpaca API. You control its clock, its market and its failures.'

/** The start page: four ways in, then the lists of docs/README.md as links with their tasks. */
export function homePage(page: Page, labels: ReadonlyMap<Address, string>): Page {
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
