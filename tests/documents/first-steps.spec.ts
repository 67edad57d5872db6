import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { pythonWith } from '../programs/debian.ts'
import { newFolder, plainEnvironment } from '../support/broker.ts'
import { command as quipuCommand } from '../support/quipu-command.ts'
import { quipu } from '../support/quipu-process.ts'

const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8')

/** The text of the only code block that contains these words. */
function block(words: string): string {
  const blocks = [...readme.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => match[2]!)
  const found = blocks.filter((text) => text.includes(words))
  assert.equal(found.length, 1, `blocks with ${words}`)
  return found[0]!
}

/** Starts a server like `npm start`; returns its start screen, its folder, and the variables of `quipu env`. */
async function startServer() {
  const folder = newFolder()
  const env = { npm_lifecycle_event: 'start', npm_package_name: 'quipu-repository' }
  const { stdout, stderr, code } = await quipu(['start', '--detach', '--port', '0', '--data', folder], {
    env,
  })
  after(() => quipuCommand(['stop', '--data', folder]))
  assert.equal(code, 0, stderr)
  const variables = JSON.parse((await quipuCommand(['env', '--json', '--data', folder])).stdout)
  return { screen: stdout.trimEnd(), folder, env: plainEnvironment(variables) }
}

/** One server for all tests. */
const server = startServer()

/** Runs a program and returns its stdout. */
const run = async (command: string, args: readonly string[], env: Record<string, string>): Promise<string> =>
  (await promisify(execFile)(command, args, { env })).stdout

test('the README has at most 90 lines', () => {
  assert(readme.trimEnd().split('\n').length <= 90)
})

test('the start screen in the README is current', async () => {
  const { screen, folder } = await server
  assert(screen.split('\n').length <= 15, screen)
  const masked = (text: string) =>
    text
      .trimEnd()
      .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'URL')
      .replace(/(Key id +)\S+/, '$1KEY')
      .replace(/(Secret +)\S+/, '$1SECRET')
      .replace(/(Data +)\S+/, '$1FOLDER')
      .replace(/(Sign in +)\S+/, '$1LINK')
      .replaceAll(` --data ${folder}`, '')
      .replace(/^( {2}curl URL\/v2\/orders -H ).*/m, '$1…')
  // The hint of a background server has no Ctrl-C.
  const foreground = block('listens on').replace('Ctrl-C or ', '')
  assert.equal(masked(screen), masked(foreground))
})

test('the first order with curl is placed', async () => {
  const { env } = await server
  const order = JSON.parse(await run('sh', ['-c', block('curl -s')], env))
  assert.deepEqual([order.symbol, order.qty, order.status], ['AAPL', '1', 'pending_new'])
})

test('the first order with Python is placed', async () => {
  const { env } = await server
  const printed = await run(pythonWith(['requests']), ['-c', block('requests.post')], env)
  assert.match(printed, /'symbol': 'AAPL', .*'status': 'pending_new'/)
})

test('the first order with the official SDK is placed', async (t) => {
  const { env } = await server
  // A folder inside the repository, where the SDK is installed.
  const folder = mkdtempSync(join(import.meta.dirname, '.readme-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'first-order.mjs')
  writeFileSync(file, block('new Alpaca'))
  const printed = await run(process.execPath, [file], env)
  assert.match(printed, /client_order_id: /)
  assert.match(printed, /status: 'pending_new'/)
})

test('README.md and llms.txt link to pages that exist', () => {
  const root = join(import.meta.dirname, '..', '..')
  const list = readFileSync(join(root, 'llms.txt'), 'utf8')
  const linked = [...(readme + list).matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, path]) => path!)
  assert(linked.length > 30)
  assert.deepEqual(
    linked.filter((path) => !existsSync(join(root, path))),
    [],
  )
})
