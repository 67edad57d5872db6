import { type Address, hrefFrom } from './addresses.ts'
import { linkedFile } from './sources.ts'

/** Where a link of a Markdown file leads: a page or a file of the site, another site, or only the repository. */
export type Target =
  | { readonly kind: 'page'; readonly address: Address; readonly anchor: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'outside'; readonly url: string }
  | { readonly kind: 'repository'; readonly path: string }

/** The addresses of Markdown files, and the other files of the site. */
export type SiteIndex = {
  readonly pages: ReadonlyMap<string, Address>
  readonly files: ReadonlySet<string>
  /** The names of pages, for links whose text is only the name of a file. */
  readonly labels: ReadonlyMap<Address, string>
  /** The pages of operations, by `POST /v2/orders` and by name. */
  readonly operations: ReadonlyMap<string, Address>
}

/** The page that code in a text names: a Markdown file of the repository, or an operation. */
export const namedPage = (code: string, { pages, operations }: SiteIndex): Address | undefined =>
  pages.get(code) ?? operations.get(code.split('?')[0]!.trim())

/** Resolves a link as it is written in a file of the repository. */
export function targetOf(
  link: string,
  from: string,
  { pages, files }: Pick<SiteIndex, 'pages' | 'files'>,
): Target {
  if (/^[a-z]+:/i.test(link)) return { kind: 'outside', url: link }
  const [path = '', anchor = ''] = link.split('#')
  const file = linkedFile(from, path)
  const address = pages.get(file)
  if (address !== undefined) return { kind: 'page', address, anchor }
  return files.has(file) ? { kind: 'file', path: file } : { kind: 'repository', path: file }
}

/** The Markdown of a page, with links to the Markdown of other pages. Links into the repository become text. */
export const linkedMarkdown = (
  markdown: string,
  from: string,
  address: Address,
  siteIndex: Pick<SiteIndex, 'pages' | 'files'>,
): string =>
  markdown.replace(/\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g, (whole, text: string, link: string) => {
    const target = targetOf(link, from, siteIndex)
    if (target.kind === 'outside') return whole
    if (target.kind === 'repository') return text
    if (target.kind === 'file') return `[${text}](${hrefFrom(address, target.path)})`
    const anchor = target.anchor === '' ? '' : `#${target.anchor}`
    return target.address === address && anchor !== ''
      ? `[${text}](${anchor})`
      : `[${text}](${hrefFrom(address, target.address)}.md${anchor})`
  })
