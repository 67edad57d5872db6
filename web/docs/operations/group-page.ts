import { hrefFrom } from '../addresses.ts'
import { escaped, prose } from '../html.ts'
import { methodBadge } from '../navigation.ts'
import type { Page } from '../page.ts'
import {
  allOperations,
  type Group,
  operationAddress,
  operationGroups,
  shownPath,
} from './operation-catalog.ts'
import { groupMarkdown } from './operation-markdown.ts'

/** The list of operations of one group. */
export function groupPage(group: Group): Page {
  return {
    address: group.address,
    title: group.title,
    label: group.title,
    about: group.about,
    html: `<p class="lead">${prose(group.about)}</p>\n${operationList(group, group.address)}`,
    headings: [],
    markdown: groupMarkdown(group),
    parents: ['docs', 'docs/api'],
  }
}

const operationList = ({ members }: Group, from: string): string =>
  `<ul class="ops">${members
    .map(
      ({ name, declared }) =>
        `<li><a href="${hrefFrom(from, operationAddress(name))}">${methodBadge(declared.method)}<code>${escaped(shownPath(declared)).replaceAll('/', '/<wbr>')}</code><span>${prose(declared.summary)}</span></a></li>`,
    )
    .join('\n')}</ul>\n`

const address = 'docs/api'
const lead = `${allOperations.length} operations in ${operationGroups.length} groups. Paths, fields and errors are those of the Alpaca API where it has them.`

/** The start page of the API: how to call it, and every group. */
export function apiPage(): Page {
  const rows = operationGroups.map(
    (group) =>
      `<li><a href="${hrefFrom(address, group.address)}"><b>${escaped(group.title)}</b><span>${prose(group.about)}</span><small>${group.members.length} operations</small></a></li>`,
  )
  const links = operationGroups.map((group) => `- [${group.title}](api/${group.slug}.md): ${group.about}`)
  return {
    address,
    title: 'API',
    label: 'API overview',
    about: lead,
    html: `<p class="lead">${lead}</p>
<h2 id="credentials"><a class="anchor" href="#credentials">Credentials</a></h2>
${rules.map((rule) => `<p>${rule}</p>`).join('\n')}
<h2 id="streams"><a class="anchor" href="#streams">Streams</a></h2>
${streams.map((rule) => `<p>${rule}</p>`).join('\n')}
<p>The <a href="${hrefFrom(address, 'docs/guides/sdk')}#streams">SDK</a> connects again and delivers what was missed. Its <a href="${hrefFrom(address, 'docs/reference/errors')}#market-data-streams">errors</a> have a code and a message.</p>
<h2 id="groups"><a class="anchor" href="#groups">Groups</a></h2>
<ul class="cards">${rows.join('\n')}</ul>
<p>The same as <a href="${hrefFrom(address, 'openapi.json')}">OpenAPI 3.1</a>.</p>`,
    headings: [
      { id: 'credentials', html: 'Credentials', level: 2 },
      { id: 'streams', html: 'Streams', level: 2 },
      { id: 'groups', html: 'Groups', level: 2 },
    ],
    markdown: `# API\n\n${lead}\n\n${[...rules, ...streams].map(asMarkdown).join('\n\n')}\n\n${links.join('\n')}\n`,
    parents: ['docs'],
  }
}

const rules = [
  'Send a key as the headers <code>APCA-API-KEY-ID</code> and <code>APCA-API-SECRET-KEY</code>, or as Basic with key id and secret. Send an OAuth token as Bearer. The credential selects the world and the account. <code>quipu env --all</code> prints the variables that the examples read.',
  'Bodies are JSON. Numbers may be sent as text or as JSON numbers; responses have money and quantities as text. Unknown fields are ignored.',
  'Every response has <code>X-Request-ID</code>. Every error is <code>{"code": integer, "message": text, "reason": text}</code>.',
]

const streams = [
  'Updates of orders are on the WebSocket <code>/stream</code>: send <code>{"action":"auth","key":"…","secret":"…"}</code>, then <code>{"action":"listen","data":{"streams":["trade_updates"]}}</code>.',
  'Prices are on <code>/v2/{feed}</code> (<code>sip</code>, <code>iex</code>, <code>delayed_sip</code>): send the same <code>auth</code>, then <code>{"action":"subscribe","bars":["AAPL"]}</code>. The header <code>Content-Type: application/msgpack</code> selects MessagePack.',
]

const asMarkdown = (html: string): string => html.replace(/<\/?code>/g, '`')
