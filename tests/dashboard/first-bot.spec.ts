import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import type { BotLanguage } from '../../web/src/screens/first/bot-programs.table.ts'
import { pythonWith } from '../programs/debian.ts'
import { plainEnvironment } from '../support/broker.ts'
import { newPage, openStage } from './stage.ts'

const { operator } = await openStage()
/** A folder of the repository, where the SDK is installed. */
const folder = mkdtempSync(join(import.meta.dirname, '.bot-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** How the program of a file is started. */
const starts: Readonly<Record<BotLanguage, (file: string) => readonly string[]>> = {
  curl: (file) => ['sh', file],
  TypeScript: (file) => [process.execPath, file],
  Python: (file) => [pythonWith(['json']), file],
  Go: (file) => ['go', 'run', file],
}
const files: Readonly<Record<BotLanguage, string>> = {
  curl: 'bot.sh',
  TypeScript: 'bot.ts',
  Python: 'bot.py',
  Go: 'bot.go',
}
const hasGo = spawnSync('go', ['version']).status === 0

for (const language of Object.keys(starts) as BotLanguage[])
  test(`the ${language} program of “Point your bot here”, as it is copied, turns the step green`, {
    skip: language === 'Go' && !hasGo && 'no Go on this machine',
  }, async (t) => {
    const world = `bot-${language.toLowerCase()}`
    await operator.createWorld({ body: { world, start: '2026-01-05T15:00:00Z', hours: 'nyse' } } as never)
    const name = 'newcomer'
    await operator.createUser({ params: { world }, body: { name, accounts: [{}] } } as never)
    const link = await operator.createSignInLink({ params: { world, user: name }, body: {} as never })
    const page = await newPage(t)
    await page.goto(link.url)
    await page.getByRole('button', { name: /Sign in/ }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('f')
    await page.getByRole('button', { name: 'Create a key for it' }).click()
    const textOf = async (label: string) =>
      (await page.getByRole('region', { name: label, exact: true }).textContent()) ?? ''
    await page.getByText('The secret is shown only now.').waitFor()
    await page.getByText('Waiting for the first request').waitFor()
    const variables = [...(await textOf('Variables')).matchAll(/^export (\w+)="?([^"\n]*)"?$/gm)]
    assert.equal(variables.length, 3)
    await page.getByRole('button', { name: language, exact: true }).click()
    const file = join(folder, files[language])
    writeFileSync(file, await textOf(language))
    const env = plainEnvironment(Object.fromEntries(variables.map(([, key, value]) => [key!, value!])))
    const [command, ...rest] = starts[language](file)
    const { stdout } = await promisify(execFile)(command!, rest, { env, timeout: 60_000 })
    assert.match(stdout, /ACTIVE|200 OK/)
    await page.getByText('Your bot is connected.').waitFor()
    await page
      .getByRole('listitem', { name: 'Point your bot here' })
      .getByText(/^Done\. First request: GET \/v2\/account 200/)
      .waitFor({ state: 'attached' })
  })
