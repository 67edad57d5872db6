import { Marked, type Tokens } from 'marked'
import { type Address, hrefFrom, slugOf } from './addresses.ts'
import { guessedLanguage, highlighted } from './highlight.ts'
import { escaped, plainText } from './html.ts'
import { namedPage, type SiteIndex, targetOf } from './links.ts'
import type { Heading } from './page.ts'

export type Rendered = {
  readonly title: string
  /** The first paragraph, as text. */
  readonly about: string
  readonly html: string
  readonly headings: readonly Heading[]
}

/** Where a text comes from and where it is shown. */
type Origin = { readonly file: string; readonly address: Address; readonly siteIndex: SiteIndex }

const LEAD_LENGTH_MAX = 280

/** Renders Markdown as HTML without its first heading, which is the title of the page. */
export function rendered(markdown: string, origin: Origin): Rendered {
  const headings: Heading[] = []
  const marked = new Marked({ renderer: { ...rendererOf(origin, headings) } })
  const html = marked.parse(markdown, { async: false })
  const title = headings.find(({ level }) => level === 1)
  const body = html.replace(/^\s*<h1.*?<\/h1>\s*/s, '')
  const [, first = ''] = /^<p>(.*?)<\/p>/s.exec(body) ?? []
  const about = plainText(first)
  const isLead = about !== '' && about.length <= LEAD_LENGTH_MAX
  return {
    title: title === undefined ? '' : plainText(title.html),
    about,
    html: isLead ? body.replace('<p>', '<p class="lead">') : body,
    headings: headings.filter(({ level }) => level > 1),
  }
}

/** How the site differs from plain HTML: anchors, resolved links, coloured code, and tables that scroll. */
function rendererOf(origin: Origin, headings: Heading[]) {
  const used = new Map<string, number>()
  return {
    heading(this: Parsing, { tokens, depth }: Tokens.Heading): string {
      const html = withoutLinks(this.parser.parseInline(tokens))
      const id = uniqueId(slugOf(plainText(html)), used)
      headings.push({ id, html, level: depth })
      return headingHtml({ id, html, level: depth })
    },
    link(this: Parsing, { href, tokens }: Tokens.Link): string {
      return linkHtml(href, withoutLinks(this.parser.parseInline(tokens)), origin)
    },
    image({ href, text }: Tokens.Image): string {
      const target = targetOf(href, origin.file, origin.siteIndex)
      if (target.kind !== 'file') throw new Error(`${origin.file}: ${href} is not a file of the site`)
      const source = hrefFrom(origin.address, target.path)
      return `<img src="${escaped(source)}" alt="${escaped(text)}" loading="lazy">`
    },
    codespan({ text }: Tokens.Codespan): string {
      const page = namedPage(text, origin.siteIndex)
      const html = `<code>${escaped(text)}</code>`
      return page === undefined || page === origin.address ? html : pageLink(page, '', html, origin)
    },
    code({ text, lang = '' }: Tokens.Code): string {
      return lang === 'mermaid' ? diagram(text) : codeBlock(text, lang || guessedLanguage(text))
    },
    table(this: Parsing, { header, rows }: Tokens.Table): string {
      const cell = (tag: string) => (one: Tokens.TableCell) =>
        `<${tag}>${this.parser.parseInline(one.tokens)}</${tag}>`
      return tableHtml(
        header.map(cell('th')),
        rows.map((row) => row.map(cell('td'))),
      )
    },
    // No page has HTML in its Markdown; text in angle brackets is text.
    html: ({ text }: Tokens.HTML | Tokens.Tag): string => (text.startsWith('<!--') ? '' : escaped(text)),
  }
}

type Parsing = { readonly parser: { parseInline(tokens: Tokens.Generic[]): string } }

const withoutLinks = (html: string): string => html.replace(/<\/?a\b[^>]*>/g, '')

function uniqueId(id: string, used: Map<string, number>): string {
  const count = used.get(id) ?? 0
  used.set(id, count + 1)
  return count === 0 ? id : `${id}-${count}`
}

/** A heading that links to itself. */
export const headingHtml = ({ id, html, level }: Heading): string =>
  level === 1
    ? `<h1>${html}</h1>\n`
    : `<h${level} id="${id}"><a class="anchor" href="#${id}">${html}</a></h${level}>\n`

/** A block of code; scripts add a button that copies it. */
export const codeBlock = (code: string, language: string): string =>
  `<div class="blk"><pre class="code" tabindex="0">${highlighted(code, language)}</pre></div>\n`

/** More columns do not fit beside each other. */
const COLUMNS_MAX = 4
const SENTENCE_MIN = 20

/**
 * A table in a box that scrolls sideways, also by keyboard. The cells are HTML. The last column of a wide table, a sentence,
 * gets a line of its own below the others.
 */
export function tableHtml(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const isPaired =
    head.length > COLUMNS_MAX && rows.some((cells) => plainText(cells.at(-1) ?? '').length > SENTENCE_MIN)
  const lines = rows
    .map((cells) => (isPaired ? pairedRow(cells, plainText(head.at(-1)!)) : `<tr>${cells.join('')}</tr>`))
    .join('\n')
  const named = (isPaired ? head.slice(0, -1) : head).map((cell) =>
    cell === '<th></th>' ? '<td></td>' : cell,
  )
  return `<div class="wide${isPaired ? ' paired' : ''}" tabindex="0"><table><thead><tr>${named.join('')}</tr></thead><tbody>
${lines}
</tbody></table></div>\n`
}

function pairedRow(cells: readonly string[], title: string): string {
  const [, text = ''] = /^<td>(.*)<\/td>$/s.exec(cells.at(-1)!) ?? []
  const cell = `<td colspan="${cells.length - 1}"><div><span>${title}</span> ${text}</div></td>`
  return `<tr>${cells.slice(0, -1).join('')}</tr>${text === '' ? '' : `<tr class="below">${cell}</tr>`}`
}

function linkHtml(link: string, html: string, origin: Origin): string {
  const { file, address, siteIndex } = origin
  const target = targetOf(link, file, siteIndex)
  switch (target.kind) {
    case 'outside':
      return `<a href="${escaped(target.url)}" rel="noreferrer">${html}</a>`
    case 'repository':
      return `<span class="source" title="${escaped(target.path)} in the repository">${html}</span>`
    case 'file':
      return `<a href="${hrefFrom(address, target.path)}">${html}</a>`
    case 'page':
      return pageLink(target.address, target.anchor, html, origin)
  }
}

/** A link to a page. The name of a file becomes the name of its page. */
function pageLink(page: Address, anchor: string, html: string, { address, siteIndex }: Origin): string {
  const hash = anchor === '' ? '' : `#${anchor}`
  const href = page === address && anchor !== '' ? hash : hrefFrom(address, page) + hash
  const isFile = /^[\w./-]+\.md$/.test(plainText(html))
  return `<a href="${href}">${isFile ? escaped(siteIndex.labels.get(page) ?? plainText(html)) : html}</a>`
}

type Arrow = { readonly from: string; readonly to: string; readonly label: string }

/**
 * A Mermaid diagram of arrows as a list: each node with the nodes that it leads to, then the final ones. A list is readable on a phone, in print
 * and by a screen reader, and it needs no library.
 */
function diagram(text: string): string {
  const names = new Map([...text.matchAll(/(\w+)\["([^"]+)"\]/g)].map(([, id, name]) => [id!, name!]))
  const arrows = [
    ...text.matchAll(/^ *(\w+|\[\*\])(?:\["[^"]*"\])? --> (\w+|\[\*\])(?:\["[^"]*"\])?(?:: (.*))?$/gm),
  ]
  const nameOf = (id: string, edge: string): string => (id === '[*]' ? edge : (names.get(id) ?? id))
  const groups = Map.groupBy(
    arrows.map(([, from, to, label = '']) => ({
      from: nameOf(from!, 'start'),
      to: nameOf(to!, 'end'),
      label,
    })),
    ({ from }) => from,
  )
  const isFinal = (all: readonly Arrow[]): boolean => all.every(({ to }) => to === 'end')
  const rows = [...groups]
    .filter(([, all]) => !isFinal(all))
    .map(([from, all]) => `<dt>${escaped(from)}</dt><dd>${targets(all)}</dd>`)
  const final = [...groups].filter(([, all]) => isFinal(all)).map(([name]) => `<li>${escaped(name)}</li>`)
  if (final.length > 0) rows.push(`<dt class="final">final</dt><dd><ul>${final.join('')}</ul></dd>`)
  return `<dl class="arrows">\n${rows.join('\n')}\n</dl>\n`
}

const targets = (arrows: readonly Arrow[]): string =>
  `<ul>${arrows.map(({ to, label }) => `<li>${labelHtml(label)}<b>${escaped(to)}</b></li>`).join('')}</ul>`

const labelHtml = (label: string): string => (label === '' ? '' : `<span>${escaped(label)}</span> `)
