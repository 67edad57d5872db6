import { spawnSync } from 'node:child_process'
import { install } from '../programs/debian.ts'

/** A Python of this machine with these modules of Debian. On Debian, root installs missing ones. */
export function pythonWith(modules: readonly string[]): string {
  const has = (python: string) =>
    spawnSync(python, ['-c', `import ${modules.join(', ')}`], { stdio: 'ignore' }).status === 0
  const find = () =>
    [process.env['PYTHON'], '/usr/bin/python3', 'python3', 'python'].find(
      (python) => python !== undefined && has(python),
    )
  const packages = modules.map((name) => `python3-${name}`)
  const found = find() ?? (install(...packages) ? find() : undefined)
  if (found !== undefined) return found
  throw new Error(
    `no Python with ${modules.join(' and ')}: install them (Debian: apt-get install ${packages.join(' ')}), or set PYTHON=PATH`,
  )
}
