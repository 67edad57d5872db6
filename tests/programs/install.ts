import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const folder = import.meta.dirname
const packages = join(folder, 'node_modules')
/** Node looks for packages here first when a file below tests/ imports one. */
const links = join(folder, '..', 'node_modules')
const stamp = join(packages, '.installed')

/**
 * Installs the public programs that only tests use, if the lock file changed since the last install or a program is
 * missing.
 */
export function installPrograms(): void {
  const lock = hash('sha256', readFileSync(join(folder, 'package-lock.json')))
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const names = Object.keys(dependencies)
  const isInstalled = existsSync(stamp) && readFileSync(stamp, 'utf8') === lock
  if (!isInstalled || !names.every((name) => existsSync(join(packages, name)))) {
    console.error('installing the public programs that the tests use (tests/programs, about 680 MB)')
    // Without scripts no package is compiled. The packages that have one work without it.
    const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
    const { status, error } = spawnSync('npm', ['ci', ...flags], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    })
    if (error) throw error
    if (status !== 0) throw new Error(`npm ci in ${folder} failed with exit code ${status}`)
    writeFileSync(stamp, lock)
  }
  // A link to the whole folder would hide the versions that Quipu uses, for example of ws.
  if (lstatSync(links, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(links)
  // An npm install of the repository may remove the links.
  for (const name of names) if (!existsSync(join(links, name))) linkProgram(name)
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
 * Undefined on platforms for which tests/programs has no such Node.
 */
export function nodeProgram(major: 20 | 22 | 24 | 26): string | undefined {
  if (major === 24) return process.execPath
  const file = join(packages, `node-${major}-${process.platform}-${process.arch}`, 'bin', 'node')
  return existsSync(file) ? file : undefined
}

if (import.meta.main) installPrograms()
