import { execFile, execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { buildSdk } from '../../sdk/build.ts'
import { newFolder, plainEnvironment } from '../broker.ts'

/** The folder that `npm pack` packs. */
export const built = join(newFolder(), 'sdk')
await buildSdk(built)

/** An empty project that has the package and nothing else. */
export const project = newFolder()
writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }')
execFileSync('npm', ['install', '--install-links', '--offline', '--no-audit', '--no-fund', built], {
  cwd: project,
  stdio: 'pipe',
})

/** The Nodes on this machine that a program may have: this one, and the one of the machine if it is another. */
export function nodes(): readonly string[] {
  const paths = (process.env['PATH'] ?? '').split(delimiter).filter((path) => !path.includes('node_modules'))
  const version = (file: string) => execFileSync(file, ['--version'], { encoding: 'utf8' }).trim()
  const found = paths.map((path) => join(path, 'node')).find((file) => isProgram(file))
  return found === undefined || version(found) === process.version
    ? [process.execPath]
    : [process.execPath, found]
}

function isProgram(file: string): boolean {
  try {
    execFileSync(file, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Runs a module of the project and returns its output. */
export async function runInProject(
  node: string,
  text: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const file = join(project, `program-${Math.random().toString(36).slice(2)}.js`)
  writeFileSync(file, text)
  const { stdout } = await promisify(execFile)(node, [file], { cwd: project, env: plainEnvironment(env) })
  return stdout
}
