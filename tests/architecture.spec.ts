import assert from 'node:assert/strict'
import { test } from 'node:test'
import { circleFrom, declaredBy, importsOf, isSpec, roomOf, sources, textOf } from './architecture.ts'

/** The arrows of the house: a room imports itself and the rooms listed here. Tests may import everything. */
const mayImport: Record<string, readonly string[]> = {
  contract: [],
  core: [],
  sdk: ['contract'],
  'server/clock': ['core'],
  'server/postgres': [],
  'server/journal': ['server/postgres'],
  'server/access': ['server/journal', 'server/postgres'],
  'server/config': ['core'],
  'server/market': ['core', 'server', 'server/clock'],
  'server/import': ['core', 'server/market'],
  'server/views': ['core', 'server', 'server/journal', 'server/postgres'],
  'server/loss': ['server', 'server/journal', 'server/postgres', 'server/views'],
  'server/backup': [
    'server',
    'server/access',
    'server/journal',
    'server/loss',
    'server/market',
    'server/postgres',
    'server/views',
  ],
  'server/chain': ['core'],
  'server/issuer': ['core', 'server/chain'],
  'server/pages': ['core'],
  'server/http': [
    'core',
    'contract',
    'server',
    'server/pages',
    'server/clock',
    'server/config',
    'server/views',
    'server/market',
    'server/journal',
  ],
  'server/streams': [
    'core',
    'contract',
    'server',
    'server/clock',
    'server/http',
    'server/market',
    'server/views',
  ],
  'server/cli': [
    'contract',
    'core',
    'sdk',
    'server',
    'server/backup',
    'server/config',
    'server/import',
    'server/journal',
    'server/loss',
    'server/market',
    'server/postgres',
  ],
  server: [
    'contract',
    'core',
    'server/clock',
    'server/config',
    'server/postgres',
    'server/journal',
    'server/access',
    'server/loss',
    'server/views',
    'server/market',
    'server/chain',
    'server/issuer',
    'server/http',
    'server/streams',
    'server/cli',
  ],
}

const LINES_MAX = 300
const code = sources.filter((file) => !isSpec(file))

test('every room imports only the rooms it may', () => {
  const strayed = code.flatMap((file) => {
    const room = roomOf(file)
    const allowed = mayImport[room]
    assert.ok(allowed, `${file}: the room ${room} has no row in the table`)
    return importsOf(file)
      .files.filter((to) => roomOf(to) !== room && !allowed.includes(roomOf(to)))
      .map((to) => `${file} -> ${to}`)
  })
  assert.deepEqual(strayed, [])
})

test('no file imports itself by a detour', () => {
  const graph = new Map(code.map((file) => [file, importsOf(file).files]))
  const circles = code.map((file) => circleFrom(file, graph)?.join(' -> ')).filter(Boolean)
  assert.deepEqual([...new Set(circles)], [])
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

test('one idea fits in a file', () => {
  const long = sources
    .filter((file) => !file.endsWith('.table.ts'))
    .map((file) => ({ file, lines: textOf(file).split('\n').length - 1 }))
    .filter(({ lines }) => lines > LINES_MAX)
    .map(({ file, lines }) => `${file} (${lines} lines)`)
  assert.deepEqual(long, [])
})

test('rooms and files have nouns and verbs for names', () => {
  const bags = sources.filter((file) => /(^|\/)(utils?|helpers?|common|misc)(\/|\.ts$)/.test(file))
  assert.deepEqual(bags, [])
  assert.deepEqual(
    sources.filter((file) => !/^[a-z0-9/-]+(\.(spec|table|child))?\.ts$/.test(file)),
    [],
  )
})

test('the core never waits, never looks at the clock and throws no dice', () => {
  const forbidden =
    /\bDate\b|\bawait\b|\basync\b|\bperformance\b|\bsetTimeout\b|\bprocess\.|\bMath\.(random|exp|expm1|log|log2|log10|log1p|pow|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|cbrt|hypot)\b|\*\*/
  const guilty = code
    .filter((file) => file.startsWith('core/'))
    .flatMap((file) =>
      withoutComments(textOf(file))
        .split('\n')
        .filter((line) => forbidden.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    )
  assert.deepEqual(guilty, [])
})

test('wire spelling lives in the contract, and in the http and streams that speak it', () => {
  const spelled = code
    .filter(
      (file) =>
        file.startsWith('core/') || file.startsWith('server/journal/') || file.startsWith('server/views/'),
    )
    .filter((file) => !file.endsWith('.table.ts'))
    .flatMap((file) =>
      [
        ...withoutComments(textOf(file)).matchAll(
          /\b(client_order_id|order_id|account_id|limit_price|time_in_force|buying_power|underlying_symbol|client_request_id|redirect_uri)\b/g,
        ),
      ].map(([word]) => `${file}: ${word}`),
    )
  assert.deepEqual(spelled, [])
})

/** Who may write state and journals: the engine, and those who make either again from a journal. */
const writers = [
  'server/src/world/engine.ts',
  'server/src/world/incarnation.ts',
  'server/src/views/projection.ts',
  'server/src/world/audit.ts',
  'server/src/worlds/fork.ts',
  'server/src/backup/postgres-backup.ts',
]

test('only the engine writes', () => {
  const others = code.filter(
    (file) =>
      file.startsWith('server/') &&
      !writers.includes(file) &&
      (/import[^;]*?\bapply\b[^;]*?from '@quipu\/core'/.test(textOf(file)) ||
        /journal\.append\(/.test(textOf(file))),
  )
  assert.deepEqual(others, [])
})

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
