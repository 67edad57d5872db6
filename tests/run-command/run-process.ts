import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { plainEnvironment } from '../support/broker.ts'
import { program, serverFlags } from '../support/program.ts'

/** The folder of programs that know nothing of Quipu. */
export const programs = join(import.meta.dirname, 'programs')

export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string }
type Options = {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly onStart?: (pid: number) => void
  readonly onSpawn?: (pid: number) => void
  /** Ends a command that would not end. */
  readonly timeoutMs?: number
}

/** Runs `quipu run` with these flags and this program in its own process, and waits for its end. */
export async function run(
  flags: readonly string[],
  command: readonly string[],
  { env = {}, input = '', onStart, onSpawn, timeoutMs }: Options = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [...serverFlags, program, 'run', ...flags, '--', ...command], {
    env: { ...withoutProxies(plainEnvironment()), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: timeoutMs,
  })
  onSpawn?.(child.pid!)
  child.stdin.end(input)
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
      if (name === 'stdout') onStart?.(child.pid!)
    })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...output }
}

/** The machine of the tests may have a proxy and its own trusted certificates. */
export const withoutProxies = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/_proxy$|^(SSL_CERT|NODE_EXTRA|REQUESTS_CA|CURL_CA|GIT_SSL)/i.test(name),
    ),
  )
