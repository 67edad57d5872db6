import { run } from '../../cli/src/commands/run.ts'
import { plainEnvironment } from './broker.ts'
import type { Options, Result } from './quipu-process.ts'

/**
 * Runs a `quipu` command inside this process. A process for each command costs 0.19 s of CPU, nearly all of it to
 * load modules. The specs that test the process itself, for example tests/commands/command-line.spec.ts, use `quipu` instead.
 */
export async function command(
  line: readonly string[],
  options: Pick<Options, 'cwd' | 'env'> = {},
): Promise<Result> {
  const before = process.cwd()
  if (options.cwd !== undefined) process.chdir(options.cwd)
  const output = { stdout: '', stderr: '' }
  const code = await run({
    line,
    env: plainEnvironment(options.env),
    print: (text) => {
      output.stdout += `${text}\n`
    },
    note: (text) => {
      output.stderr += `${text}\n`
    },
    width: Number.POSITIVE_INFINITY,
    isTerminal: false,
    prompt: () => Promise.reject(new Error('a test has no terminal to ask')),
  }).finally(() => process.chdir(before))
  return { code, ...output }
}
