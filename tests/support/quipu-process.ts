import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { newFolder, plainEnvironment } from './broker.ts'
import { program, serverFlags, serverNode } from './program.ts'

export type Result = { readonly code: number | null; readonly stdout: string; readonly stderr: string }
export type Options = {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly nodeFlags?: readonly string[]
  readonly file?: string
  readonly node?: string
}

/** Runs `quipu` in its own process and waits for its end. */
export async function quipu(line: readonly string[], options: Options = {}): Promise<Result> {
  const { cwd, env, nodeFlags = serverFlags, file = program, node = serverNode } = options
  const child = spawn(node, [...nodeFlags, file, ...line], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: plainEnvironment(env),
    ...(cwd === undefined ? {} : { cwd }),
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text) => {
      output[name] += text
    })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...output }
}

const bin = newFolder()
writeFileSync(join(bin, 'quipu'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, {
  mode: 0o755,
})

/**
 * A PATH with the program of the tests as `quipu`, and the programs of the checkout. The `quipu` of the checkout needs twice
 * the CPU time to start, because it is not bundled.
 */
export const pathWithQuipu = [
  bin,
  join(import.meta.dirname, '..', '..', 'node_modules', '.bin'),
  process.env['PATH'],
].join(delimiter)

/** Commands of a guide, with `quipu` for the script of the checkout that starts it. */
export const withQuipu = (commands: string): string => commands.replaceAll('npm run -s quipu --', 'quipu')
