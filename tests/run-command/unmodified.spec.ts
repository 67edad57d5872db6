import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { newFolder, plainEnvironment } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { program } from '../support/program.ts'
import { programs, run, withoutProxies } from './run-process.ts'

/** The rows of docs/reference/runs-unmodified.md are what these programs do here. */
const root = join(import.meta.dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'reference', 'runs-unmodified.md'), 'utf8')
const packages = join(root, 'tests', 'programs', 'node_modules')

type Public = {
  /** The package, and where npm has installed it. */
  readonly name: string
  readonly folder: string
  /** A program of the package, or one of ours that uses it. */
  readonly file: string
}

const sdk3 = { name: '@alpacahq/alpaca-trade-api', folder: join(packages, 'alpaca-trade-api-3') }
const ours = (name: string, file: string, folder = join(packages, name)): Public => ({
  name,
  folder,
  file: join(programs, file),
})

/** `npm test` runs the first one. */
const all: readonly Public[] = [
  { ...sdk3, file: join(programs, 'official-sdk-3.cjs') },
  { ...sdk3, file: join(sdk3.folder, 'examples', 'long-short.js') },
  { ...sdk3, file: join(sdk3.folder, 'examples', 'websocket_example_datav2.js') },
  ours(sdk3.name, 'official-sdk-4.mjs', join(root, 'node_modules', sdk3.name)),
  ours('@alpacahq/typescript-sdk', 'typescript-sdk.mjs'),
  ours('@master-chief/alpaca', 'master-chief.mjs'),
]

/** A quarter of an hour of a session. A step of a second is no longer than the intervals of the programs. */
const span = [
  '--from',
  '2026-01-05T14:35:00Z',
  '--to',
  '2026-01-05T14:50:00Z',
  '--step',
  '1s',
  '--seed',
  'unmodified',
]

/** Copies a program beside the package that it imports, as a user installs it. */
function copyOf({ name, folder, file }: Public): string {
  const project = newFolder()
  for (const alias of new Set([name, relative(packages, folder)])) {
    if (alias.startsWith('..')) continue
    const link = join(project, 'node_modules', alias)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(folder, link, 'junction')
  }
  const copy = join(project, basename(file))
  copyFileSync(file, copy)
  return copy
}

const versionOf = ({ folder }: Public): string =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version

for (const one of casesOf(all))
  test(`${basename(one.file)} with ${one.name} does what the page says, and a second broker does the same`, async () => {
    const copy = copyOf(one)
    const [recording, summary] = [
      join(dirname(copy), 'recording.ndjson'),
      join(dirname(copy), 'summary.json'),
    ]
    const flags = [...span, '--record', recording, '--summary', summary]
    const { code, stderr } = await run(flags, [process.execPath, copy], { timeoutMs: 150_000 })
    assert.equal(code, 0, stderr)
    const { requests, orders, fills, replay } = JSON.parse(readFileSync(summary, 'utf8'))
    const placed = Object.values<number>(orders).reduce((sum, count) => sum + count, 0)
    const checked = spawnSync(process.execPath, [program, 'replay-check', recording], {
      env: withoutProxies(plainEnvironment()),
      encoding: 'utf8',
    })
    const [, differences] = /, (\d+) differences?\n$/.exec(checked.stdout) ?? []
    const cells = [
      `\`${basename(one.file)}\``,
      `${one.name} ${versionOf(one)}`,
      ...[requests, placed, fills.length].map(String),
      replay.mode.replace('_', ' '),
      differences,
    ]
    const row = `| ${cells.join(' | ')} |`
    assert.ok(page.split('\n').includes(row), `${row}\n${stderr}\n${checked.stdout}${checked.stderr}`)
  })
