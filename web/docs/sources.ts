import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import type { Address } from './addresses.ts'

/** The folder of the repository. */
export const repository = join(import.meta.dirname, '..', '..')

/** A Markdown file of the repository that is a page of the site. */
export type Source = { readonly file: string; readonly address: Address; readonly section: SectionTitle }

export type SectionTitle = 'Start' | 'Guides' | 'Reference' | 'Internals' | 'Decisions' | 'About'

/** Pages whose address or section does not follow from the list in docs/README.md. */
const placed: readonly Source[] = [
  { file: 'docs/README.md', address: 'docs', section: 'Start' },
  { file: 'README.md', address: 'docs/install', section: 'Start' },
  { file: 'docs/tutorial.md', address: 'docs/tutorial', section: 'Start' },
  { file: 'ARCHITECTURE.md', address: 'docs/architecture', section: 'Internals' },
  { file: 'docs/compatibility.md', address: 'docs/compatibility', section: 'About' },
  { file: 'docs/limits.md', address: 'docs/limits', section: 'About' },
  { file: 'docs/glossary.md', address: 'docs/glossary', section: 'About' },
  { file: 'CHANGELOG.md', address: 'docs/changelog', section: 'About' },
  { file: 'SECURITY.md', address: 'docs/security', section: 'About' },
  { file: 'CONTRIBUTING.md', address: 'docs/contributing', section: 'About' },
  { file: 'STYLE.md', address: 'docs/style', section: 'About' },
]

const sectionOf = (file: string): SectionTitle => {
  if (file.startsWith('docs/guides/')) return 'Guides'
  return file.startsWith('docs/reference/') ? 'Reference' : 'Internals'
}

/** All Markdown pages, in the order of the navigation: the order of docs/README.md, then the rest by name. */
export function markdownSources(): readonly Source[] {
  const known = new Set(placed.map(({ file }) => file))
  const listed = [...textOf('docs/README.md').matchAll(/\]\(([\w/-]+\.md)\)/g)]
    .map(([, path]) => `docs/${path}`)
    .filter((file) => !known.has(file))
  const decisions = filesIn('docs/decisions').filter((file) => file.endsWith('.md'))
  const rest = ['guides', 'reference', 'internals'].flatMap((folder) => filesIn(`docs/${folder}`))
  const others = [...new Set([...listed, ...rest.filter((file) => file.endsWith('.md'))])]
  return [
    ...placed,
    ...others.map((file) => ({ file, address: addressOf(file), section: sectionOf(file) })),
    ...decisions.map((file) => ({ file, address: addressOf(file), section: 'Decisions' as const })),
  ]
}

/** Files that pages link to, which the site serves unchanged. */
export const dataFiles = (): readonly string[] => [
  ...filesIn('docs/reference').filter((file) => file.endsWith('.json')),
  ...filesIn('docs/images').filter(isShown),
]

/** Whether a page shows the picture; the others are only for people who compare them. */
const isShown = (picture: string): boolean => {
  const name = picture.split('/').at(-1)!
  return (
    textOf('README.md').includes(name) ||
    filesIn('docs/guides').some((file) => file.endsWith('.md') && textOf(file).includes(name))
  )
}

const addressOf = (file: string): Address => file.replace(/\.md$/, '')

const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(repository, folder))
    .sort()
    .map((name) => `${folder}/${name}`)

/** The text of a file of the repository, without comments about its generation. */
export const textOf = (file: string): string =>
  readFileSync(join(repository, file), 'utf8').replace(/^<!--.*?-->\s*/s, '')

/** The file that a link of another file names, from the root of the repository. */
export const linkedFile = (from: string, path: string): string =>
  path === '' ? from : posix.normalize(posix.join(dirname(from), path))
