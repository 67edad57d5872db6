import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { pythonWith } from '../programs/debian.ts'
import { plainEnvironment } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'guides', 'migrate.md'), 'utf8')

/** A folder below tests/, where the SDKs are installed. */
const folder = mkdtempSync(join(import.meta.dirname, '.migrate-'))
after(() => rmSync(folder, { recursive: true, force: true }))

type Section = { readonly title: string; readonly language: string; readonly code: string }

const sections: readonly Section[] = page
  .split(/^## /m)
  .slice(1)
  .flatMap((text) => {
    const [, language, code] = /```(\w+)\n(.*?)```/s.exec(text) ?? []
    return code === undefined ? [] : [{ title: text.split('\n', 1)[0]!, language: language!, code, text }]
  })

const env = plainEnvironment({
  APCA_API_BASE_URL: broker.url,
  APCA_API_KEY_ID: broker.keyId,
  APCA_API_SECRET_KEY: broker.secretKey,
})

/** The last line that the program of a section prints. */
async function run({ title, language, code }: Section): Promise<string> {
  // SDK 3 is installed by another name, beside SDK 4.
  const program = code.replace("require('@alpacahq/alpaca-trade-api')", "require('alpaca-trade-api-3')")
  const extension = language === 'python' ? 'py' : code.includes('require(') ? 'cjs' : 'mjs'
  const file = join(folder, `${title.replaceAll(/\W/g, '-')}.${extension}`)
  writeFileSync(file, program)
  const command = language === 'python' ? pythonWith(['requests']) : process.execPath
  const { stdout } = await promisify(execFile)(command, [file], { env, timeout: 60_000 })
  return stdout.trim()
}

const printed: Readonly<Record<string, string>> = {
  'Official SDK 4 for TypeScript': 'filled',
  'Official SDK 3 for JavaScript': 'ACTIVE',
  '@alpacahq/typescript-sdk': 'ACTIVE',
  '@master-chief/alpaca': 'ACTIVE',
  ccxt: 'BTC/USD',
  '@quipu/sdk': 'ACTIVE',
  'requests and curl': 'ACTIVE',
}

for (const [title, line] of Object.entries(printed))
  test(`the setting of ${title} reaches the broker`, async () => {
    const section = sections.find((one) => one.title === title) ?? assert.fail(`no section ${title}`)
    assert.equal(await run(section), line)
  })

test('a section that is not run here is marked', () => {
  const others = page
    .split(/^## /m)
    .filter((text) => text.includes('```') && !(text.split('\n', 1)[0]! in printed))
  assert.deepEqual(
    others.slice(1).map((text) => [text.split('\n', 1)[0], text.includes('Not run by our tests')]),
    [
      ['alpaca-py', true],
      ['Go SDK', true],
    ],
  )
})
