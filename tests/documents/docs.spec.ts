import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { channelLines, type Operation, openApi, operations, orderKindLines } from '@quipu/contract'
import { Validator } from '@seriousme/openapi-schema-validator'
import { FolderInUse } from '../../broker/src/data-folder/folder.ts'
import { isSpec, paths, root, sources, textOf } from '../architecture/sources.ts'
import { readProofs } from '../reference/coverage.ts'

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

const document = openApi({ version: '1.2.3', url: 'http://127.0.0.1:7878' })

test('the OpenAPI document is valid', async () => {
  // The validator changes its input, so it gets a copy; the copy also shows that the document is plain JSON.
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)))
  assert.equal(valid, true, JSON.stringify(errors, null, 2))
})

test('every operation is in the OpenAPI document once', () => {
  const paths = document['paths'] as Record<string, Record<string, { operationId: string }>>
  const listed = Object.values(paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  )
  assert.deepEqual(listed.sort(), Object.keys(operations).sort())
})

test('every reference of the OpenAPI document resolves', () => {
  const text = JSON.stringify(document)
  for (const [, path = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    let target: unknown = document
    for (const step of path.split('/')) target = (target as Record<string, unknown>)[step]
    assert.ok(target && Object.keys(target).length > 0, path)
  }
  assert.ok(!text.includes('"component"'))
})

test('every operation that needs a credential accepts a key pair, Basic or a bearer token, each listed once', () => {
  type Listed = { readonly operationId: keyof typeof operations; readonly security: readonly object[] }
  const paths = document['paths'] as Record<string, Record<string, Listed>>
  for (const { operationId, security } of Object.values(paths).flatMap((item) => Object.values(item))) {
    const schemes = security.map((scheme) => Object.keys(scheme).join())
    const { who } = operations[operationId]
    const isOpen = who.some((one) => one === 'anyone' || one === 'visitor')
    const expected = who.every((one) => one === 'anyone') ? [''] : ['basic', 'bearer', 'keyId,secretKey']
    assert.deepEqual(
      [...schemes].sort(),
      isOpen && expected.length > 1 ? ['', ...expected] : expected,
      `${operationId} for ${who}`,
    )
  }
})

const troubleshooting = page('guides/troubleshooting.md')

/** The texts of the product, with values as an ellipsis, and a message that its source builds from parts. */
const product = [
  ...sources.filter((file) => /^(broker|server|cli|contract)\/src\//.test(file) && !isSpec(file)).map(textOf),
  new FolderInUse('/var/lib/quipu', 7).message,
].map((text) => text.replaceAll(/\$?\{[^{}]*\}/g, '…'))

/** PostgreSQL prints it. tests/deploy/postgres.spec.ts starts a server with a role that may not create tables. */
const others = ['permission denied for schema public']

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** Whether the product prints a message. An ellipsis is any text of a line. */
function isPrinted(message: string): boolean {
  const parts = message.split('…').map((part) => escaped(part.trim()))
  const wanted = new RegExp(parts.filter(Boolean).join('[^\\n]{1,120}?'))
  return product.some((text) => wanted.test(text))
}

test('the product prints every message that the troubleshooting guide names', () => {
  const rows = [...troubleshooting.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell]) => cell!)
  const messages = rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!))
  assert.ok(messages.length > 10, `${messages}`)
  assert.deepEqual(
    messages.filter((message) => !others.includes(message) && !isPrinted(message)),
    [],
  )
})

test('a message that the product does not print is refused', () => {
  assert.equal(isPrinted('the world … was stolen by …'), false)
  assert.equal(isPrinted('no server is walking on …'), false)
})
