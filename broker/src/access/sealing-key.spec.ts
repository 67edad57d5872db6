import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { copySealingKey, KEY_FILE, SealingKey } from './sealing-key.ts'

test('a sealed text opens with the same key and purpose only', () => {
  const key = new SealingKey({ kind: 'memory' })
  const sealed = key.seal('JBSWY3DP', 'app of ana')
  assert.ok(!sealed.includes('JBSWY3DP'))
  assert.notEqual(key.seal('JBSWY3DP', 'app of ana'), sealed, 'a nonce is used once')
  assert.equal(key.open(sealed, 'app of ana'), 'JBSWY3DP')
  assert.equal(key.open(sealed, 'app of ben'), undefined)
  assert.equal(new SealingKey({ kind: 'memory' }).open(sealed, 'app of ana'), undefined)
})

test('a changed, cut or empty text does not open', () => {
  const key = new SealingKey({ kind: 'memory' })
  const bytes = Buffer.from(key.seal('a secret', 'p'), 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    assert.equal(key.open(changed.toString('base64url'), 'p'), undefined, `byte ${at}`)
    assert.equal(key.open(bytes.subarray(0, at).toString('base64url'), 'p'), undefined, `${at} bytes`)
  }
})

test('nodes with the same secret have the same key, and another secret is not mistaken for a changed text', () => {
  const [one, two, other] = ['a', 'a', 'b'].map(
    (letter) => new SealingKey({ kind: 'cluster', secret: letter.repeat(32) }),
  )
  const sealed = one!.seal('text', 'p')
  assert.equal(two!.open(sealed, 'p'), 'text')
  assert.deepEqual([two!.isOfThisKey(sealed), other!.isOfThisKey(sealed)], [true, false])
})

test('the key of a data folder is a file of its owner, and survives a restart', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-key-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const sealed = new SealingKey({ kind: 'folder', folder }).seal('text', 'p')
  assert.equal(statSync(join(folder, KEY_FILE)).mode & 0o777, 0o600)
  assert.equal(new SealingKey({ kind: 'folder', folder }).open(sealed, 'p'), 'text')
  writeFileSync(join(folder, KEY_FILE), 'broken')
  assert.throws(() => new SealingKey({ kind: 'folder', folder }).open(sealed, 'p'), /expected 64 hex digits/)
})

test('a key is copied where there is none, and never replaced', (t) => {
  const [from, to] = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'quipu-key-'))) as [string, string]
  t.after(() => [from, to].map((folder) => rmSync(folder, { recursive: true })))
  assert.equal(copySealingKey(from, to), false)
  const sealed = new SealingKey({ kind: 'folder', folder: from }).seal('text', 'p')
  assert.equal(copySealingKey(from, to), true)
  assert.equal(new SealingKey({ kind: 'folder', folder: to }).open(sealed, 'p'), 'text')
  rmSync(join(from, KEY_FILE))
  new SealingKey({ kind: 'folder', folder: from }).seal('text', 'p')
  assert.equal(copySealingKey(from, to), true)
  assert.equal(new SealingKey({ kind: 'folder', folder: to }).open(sealed, 'p'), 'text')
})
