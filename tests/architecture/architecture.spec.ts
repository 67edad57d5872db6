import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { operations } from '@quipu/contract'
import { mayImport } from './dependencies.table.ts'
import {
  cycleFrom,
  declaredBy,
  importsOf,
  isScaffolding,
  isSpec,
  missingFiles,
  packageOf,
  pages,
  root,
  sources,
  textOf,
} from './sources.ts'

const LINES_MAX = 300
const MODULES_MAX = 30
const code = sources.filter((file) => !isSpec(file))

test('every package imports only the packages that it may', () => {
  const wrong = code.flatMap((file) => {
    const from = packageOf(file)
    const allowed = mayImport[from]
    assert.ok(allowed, `${file}: the package ${from} has no row in the table`)
    return importsOf(file)
      .files.filter((to) => packageOf(to) !== from && !allowed.includes(packageOf(to)))
      .map((to) => `${file} -> ${to}`)
  })
  assert.deepEqual(wrong, [])
})

test('every dependency in the table is used, and is listed above its user', () => {
  const used = new Set(
    code.flatMap((file) => importsOf(file).files.map((to) => `${packageOf(file)} -> ${packageOf(to)}`)),
  )
  const names = Object.keys(mayImport)
  for (const [from, allowed] of Object.entries(mayImport))
    for (const to of allowed) {
      assert.ok(used.has(`${from} -> ${to}`), `${from} imports nothing from ${to}`)
      assert.ok(names.indexOf(to) < names.indexOf(from), `${to} is below ${from} in the table`)
    }
})

/** How many dependencies between its folders a package may have. */
const dependenciesMax = { broker: 50, server: 15, cli: 8 }

test('the folders of a package have few dependencies', () => {
  for (const [name, max] of Object.entries(dependenciesMax)) {
    const isInside = (folder: string) => folder.split('/')[0] === name
    const count = Object.entries(mayImport)
      .filter(([from]) => isInside(from))
      .flatMap(([, allowed]) => allowed.filter(isInside)).length
    assert.ok(count > 0 && count <= max, `${name}: ${count} dependencies between its folders, at most ${max}`)
  }
})

test('every arrow of the diagram in ARCHITECTURE.md is a dependency in the table', () => {
  const page = textOf('ARCHITECTURE.md')
  const diagram = page.split('```mermaid\n')[1]!.split('```')[0]!
  const labels = new Map([...diagram.matchAll(/(\w+)\["([^"]+)"\]/g)].map(([, id, label]) => [id!, label!]))
  const arrows = [...diagram.matchAll(/^ +(\w+)(?:\[[^\]]*\])? --> (\w+)/gm)]
  assert.equal(arrows.length, diagram.trim().split('\n').length - 1)
  for (const [arrow, from, to] of arrows)
    assert.ok(mayImport[labels.get(from!)!]?.includes(labels.get(to!)!), arrow)
})

test('every page names source files that exist', () => {
  assert.ok(pages.includes('ARCHITECTURE.md') && pages.includes('server/README.md'))
  const missing = pages.flatMap((page) => missingFiles(page, textOf(page)).map((file) => `${page}: ${file}`))
  assert.deepEqual(missing, [])
})

test('a page that names a file that does not exist is refused', () => {
  const planted =
    'Start at `world/engine.ts`, then `src/engine.ts`, `broker/src/world/none.ts` and `place.ts`.'
  const missing = ['src/engine.ts', 'broker/src/world/none.ts']
  assert.deepEqual(missingFiles('docs/planted.md', planted), missing)
  // The core has place.ts.
  assert.deepEqual(missingFiles('broker/README.md', planted), [...missing, 'place.ts'])
})

test('no file imports itself through other files', () => {
  const graph = new Map(code.map((file) => [file, importsOf(file).files]))
  const cycles = code.map((file) => cycleFrom(file, graph)?.join(' -> ')).filter(Boolean)
  assert.deepEqual([...new Set(cycles)], [])
})

test('no folder has more than 30 modules', () => {
  const counts = new Map<string, number>()
  for (const file of sources.filter((name) => !name.endsWith('.spec.ts')))
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  assert.deepEqual(
    [...counts].filter(([, count]) => count > MODULES_MAX),
    [],
  )
})

/** Entry points: started by path, not imported. */
const entries =
  /^(sdk\/build|cli\/(build|src\/main)|server\/src\/index|(sdk|core|contract)\/src\/[a-z]+|web\/(build|vite\.config|src\/(main|passkeys)|docs\/client\/(main|theme))|testing\/(build|src\/(index|require)))\.tsx?$|-thread\.ts$/

test('test scaffolding is in testing/ only, and the product does not import it', () => {
  const imported = new Set(code.flatMap((file) => importsOf(file).files))
  assert.deepEqual([...imported].filter(isScaffolding), [])
  assert.deepEqual(
    code.filter((file) => !imported.has(file) && !entries.test(file)),
    [],
  )
})

test('libraries are declared where they are used, and core and contract have none', () => {
  const undeclared = code.flatMap((file) => {
    const workspace = file.split('/')[0]!
    const bare = workspace === 'core' || workspace === 'contract'
    return importsOf(file)
      .packages.filter((name) => (name.startsWith('node:') ? bare : !declaredBy(workspace).includes(name)))
      .map((name) => `${file} -> ${name}`)
  })
  assert.deepEqual(undeclared, [])
})

test('no file has more than 300 lines', () => {
  const long = sources
    .filter((file) => !/\.table\.tsx?$/.test(file))
    .map((file) => ({ file, lines: textOf(file).split('\n').length - 1 }))
    .filter(({ lines }) => lines > LINES_MAX)
    .map(({ file, lines }) => `${file} (${lines} lines)`)
  assert.deepEqual(long, [])
})

test('folder and file names are kebab-case, without utils, helpers, common or misc', () => {
  const catchAll = sources.filter((file) => /(^|\/)(utils?|helpers?|common|misc)(\/|\.ts$)/.test(file))
  assert.deepEqual(catchAll, [])
  assert.deepEqual(
    sources.filter((file) => !/^[a-z0-9/-]+(\.(spec|table|child|test|config))?\.tsx?$/.test(file)),
    [],
  )
})

test('every folder of broker, server and cli and every family of http has a README', () => {
  const folders = code.map((file) => /^(?:broker|server|cli)\/src\/(?:http\/)?[a-z-]+(?=\/)/.exec(file)?.[0])
  const missing = new Set(folders.filter((folder) => folder && !existsSync(join(root, folder, 'README.md'))))
  assert.deepEqual([...missing], [])
})

test('an operation is declared and handled in files of the same family and name', () => {
  const declared = code
    .filter((file) => file.startsWith('contract/src/operations/'))
    .flatMap((file) =>
      [...textOf(file).matchAll(/^ {2}(\w+): operation\(/gm)].map(([, name]) => ({ file, name })),
    )
  // broker/trading-accounts derives these operations and their handlers from those of trading.
  const derived = Object.keys(operations).filter((name) => /For(Account|Partner)$/.test(name))
  assert.deepEqual([...declared.map(({ name }) => name!), ...derived].sort(), Object.keys(operations).sort())
  const unhandled = declared
    .map(({ file, name }) => ({ name, handler: file.replace('contract/src/operations', 'server/src/http') }))
    .filter(
      ({ name, handler }) =>
        !sources.includes(handler) || !new RegExp(`^ +(async )?${name}[:(,]`, 'm').test(textOf(handler)),
    )
  assert.deepEqual(unhandled, [])
})

test('the core has no async code, no clock and no random numbers', () => {
  const forbidden =
    /\bDate\b|\bawait\b|\basync\b|\bperformance\b|\bsetTimeout\b|\bprocess\.|\bMath\.(random|exp|expm1|log|log2|log10|log1p|pow|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|cbrt|hypot)\b|\*\*/
  const violations = code
    .filter((file) => file.startsWith('core/'))
    .flatMap((file) =>
      withoutComments(textOf(file))
        .split('\n')
        .filter((line) => forbidden.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    )
  assert.deepEqual(violations, [])
})

test('wire names occur only in contract, wire, http and streams', () => {
  const uses = code
    .filter((file) => /^(core|broker\/src\/(journal|views))\//.test(file))
    .filter((file) => !file.endsWith('.table.ts'))
    .flatMap((file) =>
      [
        ...withoutComments(textOf(file)).matchAll(
          /\b(client_order_id|order_id|account_id|limit_price|time_in_force|buying_power|underlying_symbol|client_request_id|redirect_uri)\b/g,
        ),
      ].map(([word]) => `${file}: ${word}`),
    )
  assert.deepEqual(uses, [])
})

/** The files that may write state or journals: the engine, files that rebuild state, and the preview, which discards it. */
const writers = [
  'broker/src/world/engine.ts',
  'broker/src/world/incarnation.ts',
  'broker/src/world/preview.ts',
  'broker/src/views/projection.ts',
  'broker/src/views/table-projection.ts',
  'broker/src/views/snapshot/make-snapshot.ts',
  'broker/src/views/postgres/prepared-state.ts',
  'broker/src/world/audit/audit.ts',
  'broker/src/registry/fork.ts',
  'broker/src/registry/virtual-store.ts',
  'broker/src/registry/file/one-account.ts',
  'broker/src/registry/file/read.ts',
  'broker/src/backup/postgres-backup.ts',
]

test('only the engine writes state and journals', () => {
  const others = code.filter(
    (file) =>
      /^(broker|server|cli)\//.test(file) &&
      !writers.includes(file) &&
      (/import[^;]*?\bapply(ToRecords|WithoutOrders)?\b[^;]*?from '@quipu\/core'/.test(textOf(file)) ||
        /journal\.append\(/.test(textOf(file))),
  )
  assert.deepEqual(others, [])
})

test('connections are reset in one place, which knows when Node cannot', () => {
  const resetting = code.filter((file) => withoutComments(textOf(file)).includes('resetAndDestroy'))
  assert.deepEqual(resetting, ['server/src/http/connection/reset-connection.ts'])
})

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')

/** The folders that write to the data folder. */
const WRITE_DATA = /^broker\/src\/(?!import\/)|^server\/src\/start\//
/** Calls that follow a symbolic link, or write over a file. */
const PLAIN_WRITE =
  /\b(?:writeFile|appendFile|cp)(?:Sync)?\(|\bcreateWriteStream\(|\bcopyFile(?:Sync)?\((?!.*COPYFILE_EXCL)|(?<!\.)\bopen(?:Sync)?\([^;]*?'[wa]\+?'/

test('files of the data folder are written in one place, which follows no link', () => {
  const writers = code.filter((file) => WRITE_DATA.test(file) && PLAIN_WRITE.test(textOf(file)))
  assert.deepEqual(writers, ['broker/src/data-folder/file-operations.ts'])
  for (const planted of [
    "writeFileSync(join(data, 'x'), text)",
    "await copyFile(join(data, 'x'), to)",
    "await open(path, 'w', 0o600)",
    "openSync(join(folder, 'server.log'), 'a')",
  ])
    assert(PLAIN_WRITE.test(planted), planted)
})
