import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { installMissing, longPrograms, programs } from './debian.ts'

const folder = import.meta.dirname
const packages = join(folder, 'node_modules')
/** Node looks for packages here first when a file below tests/ imports one. */
const links = join(folder, '..', 'node_modules')
/** Other versions of Node, for long tests. */
const nodes = join(folder, 'nodes')
const isLongRun = process.env['CASES'] === 'all'
const needsNodes = ['RUN_NODES', 'PACKAGES'].some((name) => process.env[name] === 'all')

/** Installs the public programs that only tests use, and for long tests other versions of Node. */
export function installPrograms(): void {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const names = Object.keys(dependencies)
  install(folder, names, 'the public programs that the tests use (tests/programs, about 300 MB)')
  if (needsNodes) install(nodes, [], 'Node 20, 22 and 26 (tests/programs/nodes, about 530 MB)')
  // A link to the whole folder would hide the versions that Quipu uses, for example of ws.
  if (lstatSync(links, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(links)
  // An npm install of the repository may remove the links.
  for (const name of names) if (!existsSync(join(links, name))) linkProgram(name)
  // Specs that install a program at the same time would wait for each other, and see it half installed.
  installMissing([...Object.values(programs), ...(isLongRun ? Object.values(longPrograms) : [])])
}

/** Installs packages if the lock file changed since the last install or one of them is missing. */
function install(cwd: string, names: readonly string[], title: string): void {
  const target = join(cwd, 'node_modules')
  const stamp = join(target, '.installed')
  const lock = hash('sha256', readFileSync(join(cwd, 'package-lock.json')))
  const isInstalled = existsSync(stamp) && readFileSync(stamp, 'utf8') === lock
  if (isInstalled && names.every((name) => existsSync(join(target, name)))) return
  console.error(`installing ${title}`)
  // Without scripts no package is compiled. The packages that have one work without it.
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
  const { status, error } = spawnSync('npm', ['ci', ...flags], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
  if (error) throw error
  if (status !== 0) throw new Error(`npm ci in ${cwd} failed with exit code ${status}`)
  mkdirSync(target, { recursive: true })
  writeFileSync(stamp, lock)
}

/** Links a program without the packages that it needs: those would hide the versions that Quipu uses. */
function linkProgram(name: string): void {
  const link = join(links, name)
  mkdirSync(dirname(link), { recursive: true })
  rmSync(link, { force: true })
  symlinkSync(relative(dirname(link), join(packages, name)), link, 'junction')
}

/**
 * A Node binary for tests: 20, 22 (the oldest that the packages support), the Node of the tests, or 26.
 * Only long tests install the others. Undefined on platforms for which tests/programs/nodes has no such Node.
 */
export function nodeProgram(major: 20 | 22 | 24 | 26): string | undefined {
  if (major === 24) return process.execPath
  const file = join(nodes, 'node_modules', `node-${major}-${process.platform}-${process.arch}`, 'bin', 'node')
  return existsSync(file) ? file : undefined
}

if (import.meta.main) installPrograms()
