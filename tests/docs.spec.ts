import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { channelLines, operations, orderKindLines } from '@quipu/contract'
import { proofs } from './proofs.table.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

test('the pages made from the contract are current', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['docs/make.ts', '--check'], {
    cwd: root,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stdout + stderr)
})

test('a proof names a file, and things that exist', () => {
  const names = (lines: readonly { group: string; thing: string }[]) =>
    new Set(lines.map(({ group, thing }) => `${group} ${thing}`))
  const known = { channels: names(channelLines()), orderKinds: names(orderKindLines()) }
  for (const proof of proofs) {
    const { file } = proof
    assert.ok(
      readFileSync(new URL(`../${file}`, import.meta.url), 'utf8').includes('witness.confirms('),
      file,
    )
    for (const name of proof.operations) assert.ok(name in operations, `${file}: ${name}`)
    for (const kind of ['channels', 'orderKinds'] as const) {
      for (const thing of proof[kind]) assert.ok(known[kind].has(thing), `${file}: ${thing}`)
    }
  }
})
