import { hash } from 'node:crypto'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildAssets } from './assets.ts'
import { docsTitles } from './dashboard-files.ts'
import { storeHighlighted } from './highlight.ts'
import { pageHtml } from './layout.ts'
import { linkedMarkdown } from './links.ts'
import { paletteCommands } from './operations/commands.ts'
import { operationGroups } from './operations/operation-catalog.ts'
import type { Site } from './page.ts'
import { searchFile } from './search-index.ts'
import { siteOf } from './site.ts'
import { dataFiles, markdownSources, repository, textOf } from './sources.ts'

/**
 * Writes the documentation as static files: `docs.html` and `docs/**`, the Markdown of each page beside it, and `llms.txt`.
 * The page `/docs/x` is `docs/x.html`, its Markdown `docs/x.md`.
 */
export async function buildDocs(outDir: string): Promise<void> {
  const write = (path: string, text: string): void => {
    const file = join(outDir, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  rmSync(join(outDir, 'docs'), { recursive: true, force: true })
  const site = siteOf()
  const search = JSON.stringify(searchFile(site))
  const searchPath = `docs/assets/search-${hash('sha256', search).slice(0, 8)}.json`
  write(searchPath, search)
  const assets = { ...(await buildAssets(outDir)), search: searchPath }
  for (const page of site.pages.values()) {
    write(page.address === 'docs' ? 'docs/index.html' : `${page.address}.html`, pageHtml(page, site, assets))
    write(`${page.address}.md`, page.markdown)
  }
  for (const file of dataFiles()) cpSync(join(repository, file), join(outDir, file))
  write('docs/titles.json', JSON.stringify(docsTitles(site)))
  write('docs/commands.json', JSON.stringify(paletteCommands()))
  write('llms.txt', llmsFile(site))
  storeHighlighted()
}

if (import.meta.main) await buildDocs(process.argv[2] ?? join(import.meta.dirname, '..', 'dist'))

/** `llms.txt` of the site: the file of the repository with the addresses of the site, and the operations by group. */
export function llmsFile(site: Site): string {
  const pages = new Map(markdownSources().map(({ file, address }) => [file, address]))
  const text = linkedMarkdown(textOf('llms.txt'), 'llms.txt', '', { pages, files: new Set() })
  const api = operationGroups.map(({ address, title, about }) => `- [${title}](${address}.md): ${about}\n`)
  const overview = site.pages.get('docs/api')!
  return `${text}\n## API\n\n- [${overview.title}](docs/api.md): ${overview.about}\n${api.join('')}`
}
