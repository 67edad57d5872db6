import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { type TestOptions, test } from 'node:test'
import { promisify } from 'node:util'
import { versionOf } from '../../packaging/version.ts'
import { buildWheel } from '../../packaging/wheel.ts'
import { pythonWith } from '../programs/debian.ts'
import { newFolder, plainEnvironment } from '../support/broker.ts'
import { builtBroker } from './packed.ts'

export const root = join(import.meta.dirname, '..', '..')
/** The version of the checkout. */
export const version = versionOf(root)

export type Installed = {
  readonly python: string
  readonly bundle: string
  readonly wheel: string
  readonly bin: string
}

/** Installs the wheel into a new environment, as a user does who has its file. */
async function install(): Promise<Installed> {
  const python = pythonWith(['venv', 'pip', 'pytest'])
  const bundle = await builtBroker()
  const { file: wheel } = buildWheel(bundle, newFolder())
  const environment = newFolder()
  execFileSync(python, ['-m', 'venv', '--without-pip', '--system-site-packages', environment])
  const bin = join(environment, 'bin')
  const flags = ['install', '--no-index', '--no-deps', '--quiet', '--disable-pip-version-check']
  execFileSync(python, ['-m', 'pip', '--python', join(bin, 'python'), ...flags, wheel], { stdio: 'pipe' })
  return { python, bundle, wheel, bin }
}

const installed = await install().catch((error: Error) => error)

/** A test of the installed wheel. Without Python, its environments or pip it is skipped, with the reason. */
export function wheelTest(
  name: string,
  body: (wheel: Installed) => unknown,
  options: TestOptions = {},
): void {
  const missing = installed instanceof Error && /^no Python with/.test(installed.message)
  const skip = missing ? installed.message : options.skip
  test(name, { ...options, ...(skip !== undefined && { skip }) }, async () => {
    if (installed instanceof Error) throw installed
    await body(installed)
  })
}

/** The environment with the Node of the tests. */
export const env = (extra: Readonly<Record<string, string>> = {}) =>
  plainEnvironment({ QUIPU_NODE: process.execPath, PYTHONDONTWRITEBYTECODE: '1', ...extra })

export async function run(
  file: string,
  line: readonly string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
) {
  const ran = promisify(execFile)(file, line, { cwd: newFolder(), env: env(), ...options })
  const { stdout, stderr, code = 0 } = await ran.catch((error) => error)
  return { stdout: String(stdout), stderr: String(stderr), code: code as number | string }
}
