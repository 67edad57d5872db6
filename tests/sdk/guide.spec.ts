import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { broker } from '../support/shared-broker.ts'
import { nodes, project, runInProject } from './installed.ts'

const guide = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'guides', 'sdk.md'), 'utf8')
const programs = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text]) => text!)

const outputs = [
  /^bought 2 at [\d.]+\nequity [\d.]+, buying power [\d.]+, last price [\d.]+\n$/,
  /^\w+ 2\ncanceled\n$/,
  /^AAPL rose on \d+ days\nAAPL \d+ [\d.]+\nMSFT \d+ [\d.]+\n$/,
  /fill BTC\/USD [\d.]+\n[\s\S]*open\n\{\n? *quotes: \[ 'BTC\/USD' \]/,
  /^403 40310000 insufficient buying power [0-9a-f]{32}\n$/,
  /^COMPLETE\n$/,
  /^\d+ \[/,
]

test('the programs of the guide run as they are', async () => {
  assert.equal(programs.length, outputs.length)
  const env = {
    APCA_API_BASE_URL: broker.url,
    APCA_API_KEY_ID: broker.keyId,
    APCA_API_SECRET_KEY: broker.secretKey,
    APCA_ACCOUNT_ID: broker.accountId,
    QUIPU_BROKER_KEY: broker.brokerKey,
    QUIPU_BROKER_SECRET: broker.brokerSecret,
  }
  // One process for all programs: most of the time of each would be the start of Node.
  for (const [index, text] of programs.entries())
    writeFileSync(join(project, `guide-${index}.js`), stripTypeScriptTypes(text))
  const all = programs.map((_, index) => `await import('./guide-${index}.js'); console.log('----')`)
  const printed = (await runInProject(nodes()[0]!, all.join('\n'), env)).split('----\n')
  for (const [index, expected] of outputs.entries()) assert.match(printed[index]!, expected)
})
