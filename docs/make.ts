// Writes the generated pages. With --check it only lists the pages that are out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import { cliReference } from './pages/commands.ts'
import { compatibilityPage } from './pages/compatibility.ts'
import { faultsGuide } from './pages/fault-kinds.ts'
import { llmsText } from './pages/llms.ts'
import { ordersPage } from './pages/orders.ts'
import { errorsPage, journalEvents, scenarioSchemaPage, settingsPage } from './pages/reference.ts'

const pages: Readonly<Record<string, () => string>> = {
  'reference/errors.md': errorsPage,
  'compatibility.md': compatibilityPage,
  'reference/cli.md': cliReference,
  'reference/settings.md': settingsPage,
  'reference/orders.md': ordersPage,
  'guides/faults.md': faultsGuide,
  'reference/journal-events.json': journalEvents,
  'reference/scenario.schema.json': scenarioSchemaPage,
  '../llms.txt': llmsText,
}

const check = process.argv.includes('--check')
const stale = Object.entries(pages)
  .map(([name, make]) => ({ name, file: new URL(name, import.meta.url), text: make() }))
  .filter(({ file, text }) => text !== textOf(file))

for (const { name, file, text } of stale) {
  if (!check) writeFileSync(file, text)
  console.log(check ? `docs/${name} is out of date: run npm run docs` : `docs/${name} written`)
}
if (check && stale.length > 0) process.exitCode = 1

function textOf(file: URL): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
