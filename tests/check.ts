import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Formatter, linter and types: what a machine can say about the code without running it. */
const root = join(import.meta.dirname, '..')
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

/** Several share the work faster, but do much of it twice; beside the specs it is the work that counts. */
const alone = ['--checkers', '1']

const steps: readonly (readonly [string, readonly string[]])[] = [
  [bin('biome'), ['check', '--error-on-warnings', '.']],
  [bin('tsc'), ['-p', 'core', ...alone]],
  [bin('tsc'), ['-p', 'contract', ...alone]],
  [bin('tsc'), ['-p', '.', ...alone]],
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
