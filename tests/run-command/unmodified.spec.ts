import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { pathOf, pythonWith } from '../programs/debian.ts'
import { newFolder, plainEnvironment } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { program } from '../support/program.ts'
import { programs, run, withoutProxies } from './run-process.ts'

/** The rows of docs/reference/runs-unmodified.md are what these programs do here. */
const root = join(import.meta.dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'reference', 'runs-unmodified.md'), 'utf8')
const packages = join(root, 'tests', 'programs', 'node_modules')

/** A program in a package of npm, or one of ours that uses one. */
type Public = {
  /** The package, and where npm has installed it. */
  readonly name: string
  readonly folder: string
  readonly file: string
}

/** A program of ours with libraries of Debian. */
type Loop = {
  readonly title: string
  readonly packages: string
  /** The command. Looks for the packages on this machine, and installs them on Debian. */
  readonly command: () => readonly string[]
}

const official = '@alpacahq/alpaca-trade-api'
const sdk = (alias: string): Omit<Public, 'file'> => ({ name: official, folder: join(packages, alias) })
const sdk3 = sdk('alpaca-trade-api-3')
const example = (of: Omit<Public, 'file'>, name: string): Public => ({
  ...of,
  file: join(of.folder, 'examples', name),
})
const ours = (name: string, file: string, folder = join(packages, name)): Public => ({
  name,
  folder,
  file: join(programs, file),
})
const masterChief3 = { name: '@master-chief/alpaca', folder: join(packages, 'master-chief-3') }

const python = (name: string, ...modules: readonly string[]): Loop => ({
  title: `libraries.py ${name}`,
  packages: modules.join(', '),
  command: () => [pythonWith(modules), join(programs, 'python', 'libraries.py'), name],
})
function shellWithCurl(): string {
  pathOf({ name: 'curl', variable: 'CURL', debian: ['curl'], paths: ['/usr/bin/curl'] })
  return '/bin/sh'
}

/** `npm test` runs the first one. */
const all: readonly (Public | Loop)[] = [
  { ...sdk3, file: join(programs, 'official-sdk-3.cjs') },
  example(sdk3, 'long-short.js'),
  example(sdk3, 'websocket_example_datav2.js'),
  example(sdk('alpaca-trade-api-2'), 'long-short.js'),
  example(sdk('alpaca-trade-api-1'), 'websocket_listener.js'),
  ours(official, 'official-sdk-4.mjs', join(root, 'node_modules', official)),
  ours('@alpacahq/typescript-sdk', 'typescript-sdk.mjs'),
  ours('@master-chief/alpaca', 'master-chief.mjs'),
  { ...masterChief3, file: join(masterChief3.folder, 'example', 'random.js') },
  ours('ccxt', 'ccxt-session.mjs'),
  python('requests', 'requests'),
  python('httpx', 'httpx'),
  python('httpx_async', 'httpx'),
  python('trio', 'httpx', 'trio'),
  python('aiohttp', 'aiohttp', 'websockets'),
  python('websocket_client', 'requests', 'websocket'),
  python('schedule', 'requests', 'schedule'),
  python('apscheduler', 'requests', 'apscheduler'),
  python('pandas', 'requests', 'pandas'),
  {
    title: 'loop.sh',
    packages: 'curl',
    command: () => [shellWithCurl(), join(programs, 'loops', 'loop.sh')],
  },
]

/** A whole session. */
const span = ['--from', '2026-01-05T14:30:00Z', '--to', '2026-01-05T21:00:00Z', '--seed', 'unmodified']

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

type Started = { readonly folder: string; readonly command: readonly string[] }

function startOf(one: Public | Loop): Started {
  if ('command' in one) return { folder: newFolder(), command: one.command() }
  const copy = copyOf(one)
  return { folder: dirname(copy), command: [process.execPath, copy] }
}

const cellsOf = (one: Public | Loop): readonly string[] =>
  'command' in one
    ? [`\`${one.title}\``, `Debian: ${one.packages}`]
    : [`\`${basename(one.file)}\``, `${one.name} ${versionOf(one)}`]

for (const one of casesOf(all))
  test(`${cellsOf(one).join(' with ')} does what the page says in a session, and a second broker does the same`, async () => {
    const { folder, command } = startOf(one)
    const [recording, summary] = [join(folder, 'recording.ndjson'), join(folder, 'summary.json')]
    const flags = [...span, '--record', recording, '--summary', summary]
    const { code, stderr } = await run(flags, command, { timeoutMs: 900_000 })
    assert.equal(code, 0, stderr)
    const { requests, orders, fills, replay } = JSON.parse(readFileSync(summary, 'utf8'))
    const placed = Object.values<number>(orders).reduce((sum, count) => sum + count, 0)
    const checked = spawnSync(process.execPath, [program, 'replay-check', recording], {
      env: withoutProxies(plainEnvironment()),
      encoding: 'utf8',
    })
    const [, differences] = /, (\d+) differences?\n$/.exec(checked.stdout) ?? []
    const slept = /; (it slept .*)/.exec(
      stderr.split('\n').find((line) => line.startsWith('quipu run:'))!,
    )?.[1]
    const cells = [
      ...cellsOf(one),
      ...[requests, placed, fills.length].map(String),
      [replay.mode.replace('_', ' '), ...(slept ? [slept] : [])].join('; '),
      differences,
    ]
    const row = `| ${cells.join(' | ')} |`
    assert.ok(page.split('\n').includes(row), `${row}\n${stderr}\n${checked.stdout}${checked.stderr}`)
  })
