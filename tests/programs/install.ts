import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const folder = import.meta.dirname
const packages = join(folder, 'node_modules')
/** Node looks for packages here first when a file below tests/ imports one. */
const links = join(folder, '..', 'node_modules')
const stamp = join(packages, '.installed')

/** Installs the public programs that only tests use, if the lock file changed since the last install. */
export function installPrograms(): void {
  const lock = hash('sha256', readFileSync(join(folder, 'package-lock.json')))
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
    console.error('installing the public programs that the tests use (tests/programs, about 530 MB)')
    const { status, error } = spawnSync('npm', ['ci', '--prefer-offline'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    })
    if (error) throw error
    if (status !== 0) throw new Error(`npm ci in ${folder} failed with exit code ${status}`)
    writeFileSync(stamp, lock)
  }
  if (!existsSync(join(links, '.installed')) || readFileSync(join(links, '.installed'), 'utf8') !== lock)
    linkPrograms(lock)
}

/** Links the programs alone, not the packages that they need: those would hide the versions that Quipu uses. */
function linkPrograms(lock: string): void {
  rmSync(links, { recursive: true, force: true })
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(links, name)), { recursive: true })
    const target = relative(dirname(join(links, name)), join(packages, name))
    symlinkSync(target, join(links, name), 'junction')
  }
  writeFileSync(join(links, '.installed'), lock)
}

/**
 * A Node binary for tests of packages: 20, 22 (the oldest that the packages support) or the Node of the tests.
 * Undefined on platforms for which tests/programs has no such Node.
 */
export function nodeProgram(major: 20 | 22 | 24): string | undefined {
  if (major === 24) return process.execPath
  const file = join(packages, `node-${major}-${process.platform}-${process.arch}`, 'bin', 'node')
  return existsSync(file) ? file : undefined
}

if (import.meta.main) installPrograms()
