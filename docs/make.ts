// Writes the pages that are made from the contract, the command line and the settings; with --check it only says which of them are stale.
import { readFileSync, writeFileSync } from 'node:fs'
import { cliReference } from './pages/commands.ts'
import { compatibilityPage } from './pages/compatibility.ts'
import { errorsPage } from './pages/errors.ts'
import { ordersPage } from './pages/orders.ts'
import { settingsPage } from './pages/settings.ts'

const pages: Readonly<Record<string, () => string>> = {
  'reference/errors.md': errorsPage,
  'compatibility.md': compatibilityPage,
  'reference/cli.md': cliReference,
  'reference/settings.md': settingsPage,
  'reference/orders.md': ordersPage,
}

const check = process.argv.includes('--check')
const stale = Object.entries(pages)
  .map(([name, make]) => ({ name, file: new URL(name, import.meta.url), text: make() }))
  .filter(({ file, text }) => text !== present(file))

for (const { name, file, text } of stale) {
  if (!check) writeFileSync(file, text)
  console.log(check ? `docs/${name} is stale: run npm run docs` : `docs/${name} written`)
}
if (check && stale.length > 0) process.exitCode = 1

function present(file: URL): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
