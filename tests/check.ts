import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Formatter, linter and types: what a machine can say about the code without running it. */
const root = join(import.meta.dirname, '..')
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

const steps: readonly (readonly [string, readonly string[]])[] = [
  [bin('biome'), ['check', '--error-on-warnings', '.']],
  [bin('tsc'), ['-p', 'core']],
  [bin('tsc'), ['-p', 'contract']],
  [bin('tsc'), ['-p', '.']],
]

for (const [command, args] of steps) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}
