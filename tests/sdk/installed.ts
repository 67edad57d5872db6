import { execFile, execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildSdk } from '../../sdk/build.ts'
import { nodeProgram } from '../programs/install.ts'
import { newFolder, plainEnvironment } from '../support/broker.ts'

/** The folder that `npm pack` packs. */
export const built = join(newFolder(), 'sdk')
await buildSdk(built)

/** An empty project that has the package and nothing else. */
export const project = newFolder()
writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }')
execFileSync('npm', ['install', '--install-links', '--offline', '--no-audit', '--no-fund', built], {
  cwd: project,
  stdio: 'pipe',
  shell: process.platform === 'win32',
})

const majors = process.env['PACKAGES'] === 'all' ? ([20, 22, 24] as const) : ([24] as const)

/** The Node of the tests; in long runs also the oldest that the package supports and the one between. */
export const nodes = (): readonly string[] => majors.map(nodeProgram).filter((node) => node !== undefined)

/** Runs a module of the project and returns its output. */
export async function runInProject(
  node: string,
  text: string,
  env: Readonly<Record<string, string>> = {},
  extension: 'js' | 'cjs' = 'js',
): Promise<string> {
  const file = join(project, `program-${Math.random().toString(36).slice(2)}.${extension}`)
  writeFileSync(file, text)
  const { stdout } = await promisify(execFile)(node, [file], { cwd: project, env: plainEnvironment(env) })
  return stdout
}
