import assert from 'node:assert/strict'
import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  appendText,
  diskOperations,
  openFileSync,
  overwriteFileSync,
  replaceFile,
  replaceFileSync,
  storeFile,
  writeNewFileSync,
} from './file-operations.ts'

type Row = readonly [
  name: string,
  link: string,
  then: 'replaced' | 'refused',
  write: (path: string) => unknown,
]

const rows: readonly Row[] = [
  ['replaceFile', 'x.tmp', 'replaced', (path) => replaceFile(diskOperations, path, 'new')],
  ['replaceFile', 'x', 'replaced', (path) => replaceFile(diskOperations, path, 'new')],
  ['replaceFileSync', 'x.tmp', 'replaced', (path) => replaceFileSync(path, 'new')],
  ['replaceFileSync', 'x', 'replaced', (path) => replaceFileSync(path, 'new')],
  ['storeFile', 'x', 'replaced', (path) => storeFile(diskOperations, path, 'new')],
  ['writeNewFileSync', 'x', 'replaced', (path) => writeNewFileSync(path, 'new')],
  ['appendText', 'x', 'refused', (path) => appendText(path, 'new')],
  ['openFileSync to append', 'x', 'refused', (path) => openFileSync(path, 'a')],
  ['overwriteFileSync', 'x', 'refused', (path) => overwriteFileSync(path, 'new')],
  ['open to change', 'x', 'refused', (path) => diskOperations.open(path, 'r+')],
  ['open of a new file', 'x', 'refused', (path) => diskOperations.open(path, 'wx')],
]

for (const [name, link, then, write] of rows)
  test(`${name}: a symbolic link ${link} is ${then} and never followed`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'quipu-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const [target, path] = [join(folder, 'target'), join(folder, 'x')]
    writeFileSync(target, 'old')
    symlinkSync(target, join(folder, link))
    const writing = (async () => write(path))()
    if (then === 'refused') await assert.rejects(writing, { code: /^(ELOOP|EEXIST)$/ })
    else await writing
    assert.equal(readFileSync(target, 'utf8'), 'old')
    if (then === 'refused') return
    assert.equal(readFileSync(path, 'utf8'), 'new')
    assert(lstatSync(path).isFile())
  })

test('a file that is overwritten keeps its length or grows, and stays JSON', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'x')
  writeFileSync(path, '{"a":"long"}\n')
  for (const [text, length] of [
    ['{"b":1}\n', 13],
    ['{"c":"longer than before"}\n', 27],
  ] as const) {
    overwriteFileSync(path, text)
    const written = readFileSync(path, 'utf8')
    assert.deepEqual([JSON.parse(written), written.length], [JSON.parse(text), length])
  }
})
