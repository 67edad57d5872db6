import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { plainEnvironment } from './broker.ts'
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
