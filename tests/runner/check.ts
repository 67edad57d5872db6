import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installPrograms } from '../programs/install.ts'

/** Runs the formatter, the linter and the type checker. */
const root = join(import.meta.dirname, '..', '..')
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

/** The type checker is a short Go program: without garbage collection it needs 13 instead of 19 CPU seconds. */
const env = { GOGC: 'off', GOMEMLIMIT: '2GiB', ...process.env }

/** One checker: several repeat much of the work, and the specs need the other cores. */
const oneChecker = ['--checkers', '1']

/**
 * A later run checks only what changed: 3 instead of 14 CPU seconds. The checker does not notice installed packages, so
 * its file has the hash of the lock files in its name.
 */
const locks = ['package-lock.json', join('tests', 'programs', 'package-lock.json')]
const installed = hash('sha256', Buffer.concat(locks.map((file) => readFileSync(join(root, file)))))
const buildInfo = join('node_modules', `.types-${installed.slice(0, 12)}.tsbuildinfo`)
const incremental = ['--incremental', '--tsBuildInfoFile', buildInfo]

const steps: readonly (readonly [string, readonly string[]])[] = [
  [bin('biome'), ['check', '--error-on-warnings', '.']],
  [bin('tsc'), ['-p', 'core', ...oneChecker]],
  [bin('tsc'), ['-p', 'contract', ...oneChecker]],
  [bin('tsc'), ['-p', 'web', ...oneChecker]],
  [bin('tsc'), ['-p', '.', ...oneChecker, ...incremental]],
]

// The type checker reads the types of the programs.
installPrograms()
for (const [command, args] of steps) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    env,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}
