import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { channelLines, type Operation, operations, orderKindLines } from '@quipu/contract'
import { paths, textOf } from '../architecture/sources.ts'
import { readProofs } from '../reference/coverage.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('the pages generated from the contract are current', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['docs/make.ts', '--check'], {
    cwd: root,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stdout + stderr)
})

test('every proof names an existing file, operations, channels and order kinds', () => {
  const names = (lines: readonly { group: string; thing: string }[]) =>
    new Set(lines.map(({ group, thing }) => `${group} ${thing}`))
  const known = { channels: names(channelLines()), orderKinds: names(orderKindLines()) }
  for (const [file, proof] of Object.entries(readProofs())) {
    assert.ok(
      readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8').includes('coverage.assertMatches('),
      file,
    )
    for (const name of proof.operations) assert.ok(name in operations, `${file}: ${name}`)
    for (const kind of ['channels', 'orderKinds'] as const) {
      for (const thing of proof[kind]) assert.ok(known[kind].has(thing), `${file}: ${thing}`)
    }
  }
})

const page = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')

test('operations.md lists every table of PostgreSQL, and distributes every one that belongs to a world', () => {
  const migrations = readFileSync(new URL('../../broker/src/postgres/migrations.ts', import.meta.url), 'utf8')
  const renamed = new Map(
    [...migrations.matchAll(/ALTER TABLE (quipu_\w+) RENAME TO (quipu_\w+)/g)].map(([, from, to]) => [
      from,
      to,
    ]),
  )
  const tables = [...migrations.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?(quipu_\w+)/g)].map(
    ([, name]) => renamed.get(name) ?? name!,
  )
  assert(tables.length > 5)
  const text = page('guides/operations.md')
  for (const table of tables) {
    assert(text.includes(`\n| \`${table}\``), table)
    assert(
      table === 'quipu_meta' ||
        table === 'quipu_nodes' ||
        text.includes(`create_distributed_table('${table}'`),
      table,
    )
  }
})

test('shared-server.md lists every operation that `--sim off` removes, and no other', () => {
  const removed = Object.values(operations as Readonly<Record<string, Operation>>)
    .filter(({ needsSim }) => needsSim)
    .map(({ method, path }) => `${method} ${path}`)
  const section = page('guides/shared-server.md')
    .split('## What `QUIPU_SIM=off` removes\n')[1]!
    .split('\n## ')[0]!
  const listed = [...section.matchAll(/`([A-Z]+ \/sim\/v1\S*)`/g)].map(([, route]) => route!)
  assert.deepEqual(listed.sort(), removed.sort())
})

test('every benchmark that a page names exists', () => {
  const source = readFileSync(new URL('../../bench/src/run.ts', import.meta.url), 'utf8')
  const rows = new Set(
    [...source.matchAll(/^ {2}\['([\w ]+)', \w+\],$/gm)].flatMap(([, names]) => names!.split(' ')),
  )
  assert.ok(rows.has('a') && rows.has('cluster'))
  const missing = paths
    .filter((path) => path.endsWith('.md'))
    .flatMap((name) =>
      [...textOf(name).matchAll(/bench\S* (?:-- )?--only ([\w,]+)/g)]
        .flatMap(([, names]) => names!.split(','))
        .filter((row) => !rows.has(row))
        .map((row) => `${name}: ${row}`),
    )
  assert.deepEqual(missing, [])
})
