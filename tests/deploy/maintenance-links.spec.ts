import assert from 'node:assert/strict'
import {
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { before, type TestContext, test } from 'node:test'
import { newFolder, startBroker } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { quipu } from '../support/quipu-process.ts'

/** The user of a service that somebody has taken over. */
const USER = 65_534
const skip = process.getuid?.() === 0 ? false : 'only root has files that the user of a service cannot write'

let stopped: string

before(async () => {
  if (skip) return
  stopped = join(newFolder(), 'data')
  const broker = await startBroker(['--data', stopped])
  assert.equal(await broker.stop(), 0)
})

/** A data folder of the user, and a folder of root with one file. */
function folders() {
  const folder = newFolder()
  const data = join(folder, 'data')
  cpSync(stopped, data, { recursive: true })
  for (const name of ['.', ...(readdirSync(data, { recursive: true }) as string[])])
    chownSync(join(data, name), USER, USER)
  const ofRoot = join(folder, 'root')
  mkdirSync(ofRoot)
  writeFileSync(join(ofRoot, 'file'), 'of root\n', { mode: 0o600 })
  return { folder, data, ofRoot }
}

/** The names and contents of root, and that they still belong to root. */
const contentsOf = (ofRoot: string) =>
  readdirSync(ofRoot).map((name) => {
    const path = join(ofRoot, name)
    return [name, statSync(path).uid, readFileSync(path, 'utf8')]
  })

const asBefore = [['file', 0, 'of root\n']]

const backup = (folder: string) => ['store', 'backup', join(folder, 'backup')]
const rebuild = () => ['store', 'rebuild']
const verify = () => ['store', 'verify']

const rows: readonly (readonly [name: string, target: string, line: (folder: string) => string[]])[] = [
  ['last-backup.json.tmp', 'file', backup],
  ['last-backup.json', 'file', backup],
  ['format.json', 'file', backup],
  ['second-factor.key', 'file', backup],
  ['lock.pid', 'file', rebuild],
  ['lock.pid', 'file', verify],
  ['lock', 'new', rebuild],
  ['lock', 'new', verify],
  ['query-tables.sqlite', 'new', rebuild],
  ['snapshots', '.', rebuild],
  ['journal/next.tmp', 'file', rebuild],
  ['market', '.', () => ['data', 'delete', 'AAPL']],
]

for (const [name, target, lineOf] of rows)
  test(`${lineOf('').slice(0, 2).join(' ')} by root does not follow the link ${name} of the service`, {
    skip,
  }, async () => {
    const { folder, data, ofRoot } = folders()
    const link = join(data, name)
    rmSync(link, { recursive: true, force: true })
    symlinkSync(join(ofRoot, target), link)
    lchownSync(link, USER, USER)
    const { code, stderr } = await command([...lineOf(folder), '--data', data])
    assert.deepEqual(contentsOf(ofRoot), asBefore)
    assert.equal(code, 1)
    assert(stderr.includes(`${link} leads out of the folder`), stderr)
    assert(!existsSync(join(folder, 'backup')))
  })

test('a command of root does not follow a second name of a file of root', { skip }, async () => {
  const { data, ofRoot } = folders()
  linkSync(join(ofRoot, 'file'), join(data, 'last-backup.json.tmp'))
  const { code, stderr } = await command([...rebuild(), '--data', data])
  assert.deepEqual([code, contentsOf(ofRoot)], [1, asBefore])
  assert(stderr.includes(`${join(data, 'last-backup.json.tmp')} leads out of the folder`), stderr)
})

test('a command of root follows a link that root has made', { skip }, async () => {
  const { folder, data } = folders()
  cpSync(join(data, 'journal'), join(folder, 'journal'), { recursive: true })
  rmSync(join(data, 'journal'), { recursive: true })
  symlinkSync(join(folder, 'journal'), join(data, 'journal'))
  const { code, stderr } = await command([...rebuild(), '--data', data])
  assert.equal(code, 0, stderr)
})

test('a start by root does not append its log to a file of root', { skip }, async (t: TestContext) => {
  const { data, ofRoot } = folders()
  symlinkSync(join(ofRoot, 'file'), join(data, 'server.log'))
  lchownSync(join(data, 'server.log'), USER, USER)
  t.after(() => quipu(['stop', '--data', data]))
  const { code } = await quipu(['start', '--detach', '--port', '0', '--data', data])
  assert.deepEqual([code, contentsOf(ofRoot)], [1, asBefore])
})
