import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** The wheel of the package for Python. */
export type Wheel = { readonly file: string; readonly bytes: number; readonly unpackedBytes: number }

const backend = join(import.meta.dirname, '..', 'python', 'build_backend.py')

/** Writes the wheel of a built package of the broker into a folder. The same files give the same bytes. */
export function buildWheel(broker: string, folder: string): Wheel {
  const line = [backend, '--bundle', broker, '--out', folder]
  return JSON.parse(execFileSync(python(), line, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }))
}

export const hasPython = (): boolean => findPython() !== undefined

/** A Python that can build the wheel: that of PYTHON, or the first of the PATH. */
export function python(): string {
  const found = findPython()
  if (found !== undefined) return found
  throw new Error('the wheel needs Python 3.8 or newer: install it, or set PYTHON=PATH')
}

const findPython = (): string | undefined =>
  [process.env['PYTHON'], 'python3', 'python'].find((name) => name !== undefined && isNewEnough(name))

const isNewEnough = (name: string): boolean =>
  spawnSync(name, ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))']).status === 0
