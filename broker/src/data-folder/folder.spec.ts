import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { emptyFolder } from '../journal/testing/journal.ts'
import {
  checkMarketModel,
  FolderInUse,
  FolderNewer,
  FolderNotWritable,
  FolderOfOtherMarket,
  FolderUnreadable,
  openFolder,
} from './folder.ts'

const module = JSON.stringify(new URL('folder.ts', import.meta.url).href)

/** A process that locks the folder, prints a line, and keeps running. */
async function holdElsewhere(path: string): Promise<ChildProcess> {
  const program = `const { openFolder } = await import(${module})
    await openFolder(${JSON.stringify(path)}); globalThis.gc?.(); console.log('held'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text))
  const [line] = await Promise.race([once(child.stdout, 'data'), once(child, 'close')])
  assert.equal(String(line), 'held\n', complaints)
  assert.equal(complaints, '')
  return child
}

test('a new folder is accessible only to its owner and has the format', async () => {
  const path = join(emptyFolder(), 'some', 'where')
  const folder = await openFolder(path)
  if (process.platform !== 'win32') assert.equal(statSync(path).mode & 0o777, 0o700)
  assert.deepEqual(JSON.parse(readFileSync(join(path, 'format.json'), 'utf8')), { version: 1, market: 1 })
  assert.equal(readFileSync(join(path, 'lock.pid'), 'utf8'), `${process.pid}\n`)
  folder.release()
  assert.equal(existsSync(join(path, 'lock.pid')), false)
})

test('a released folder can be locked again', async () => {
  const path = emptyFolder()
  for (let time = 0; time < 3; time++) (await openFolder(path)).release()
})

test('the same process cannot lock a folder twice', async () => {
  const path = emptyFolder()
  const folder = await openFolder(path)
  await assert.rejects(openFolder(path), (error) => error instanceof FolderInUse && error.pid === process.pid)
  await assert.rejects(openFolder(path), FolderInUse)
  folder.release()
  folder.release()
  ;(await openFolder(path)).release()
})

test('a second process gets the id of the holder, and kill -9 releases the lock', async () => {
  const path = emptyFolder()
  const child = await holdElsewhere(path)
  await assert.rejects(openFolder(path), (error) => error instanceof FolderInUse && error.pid === child.pid)
  child.kill('SIGKILL')
  await once(child, 'close')
  ;(await openFolder(path)).release()
})

test('failed attempts of others do not release the lock', async () => {
  const path = emptyFolder()
  const folder = await openFolder(path)
  await assert.rejects(openFolder(path), FolderInUse)
  await assert.rejects(holdElsewhere(path), /FolderInUse/)
  folder.release()
  const child = await holdElsewhere(path)
  child.kill('SIGKILL')
  await once(child, 'close')
})

for (const [what, prepare] of [
  ['under a file', (root: string) => writeFileSync(join(root, 'data'), '')],
  [
    'with an unreadable lock file',
    (root: string) => mkdirSync(join(root, 'data', 'folder', 'lock'), { recursive: true }),
  ],
] as const) {
  test(`a folder ${what} is not writable`, async () => {
    const root = emptyFolder()
    prepare(root)
    const path = join(root, 'data', 'folder')
    await assert.rejects(
      openFolder(path),
      (error) => error instanceof FolderNotWritable && error.message.startsWith(path),
    )
  })
}

test('a folder without permission to write is not writable', { skip: process.getuid?.() === 0 }, async () => {
  const path = join(emptyFolder(), 'read-only')
  mkdirSync(path, { mode: 0o500 })
  await assert.rejects(openFolder(path), FolderNotWritable)
})

test('a server rejects a folder of another market model; tools open it', async () => {
  const path = emptyFolder()
  const ours = await openFolder(path)
  checkMarketModel(ours)
  ours.release()
  writeFileSync(join(path, 'format.json'), '{"version": 1, "market": 3}')
  const folder = await openFolder(path)
  assert.throws(
    () => checkMarketModel(folder),
    (error) => error instanceof FolderOfOtherMarket && error.message.includes('market model 3,'),
  )
  folder.release()
})

for (const [text, expected] of [
  ['{"version": 2}', FolderNewer],
  ['{"version": 1}', FolderUnreadable],
  ['{"version": "1"}', FolderUnreadable],
  ['{"version": 0}', FolderUnreadable],
  ['{"version": 1, "market": "2"}', FolderUnreadable],
  ['null', FolderUnreadable],
  ['', FolderUnreadable],
] as const) {
  test(`a folder with the format ${text || '(empty)'} is rejected and not locked`, async () => {
    const path = emptyFolder()
    writeFileSync(join(path, 'format.json'), text)
    await assert.rejects(openFolder(path), expected)
    writeFileSync(join(path, 'format.json'), '{"version": 1, "market": 1}')
    ;(await openFolder(path)).release()
  })
}
