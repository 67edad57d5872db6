import { linkedMarkdown } from './links.ts'
import { operationGroups } from './operations/operation-catalog.ts'
import type { Site } from './page.ts'
import { markdownSources, textOf } from './sources.ts'

/** `llms.txt` of the site: the file of the repository with the addresses of the site, and the operations by group. */
export function llmsFile(site: Site): string {
  const pages = new Map(markdownSources().map(({ file, address }) => [file, address]))
  const text = linkedMarkdown(textOf('llms.txt'), 'llms.txt', '', { pages, files: new Set() })
  const api = operationGroups.map(({ address, title, about }) => `- [${title}](${address}.md): ${about}\n`)
  const overview = site.pages.get('docs/api')!
  return `${text}\n## API\n\n- [${overview.title}](docs/api.md): ${overview.about}\n${api.join('')}`
}
