import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { setTimeout as after } from 'node:timers/promises'
import { forwardedSignals } from './platform.ts'

/** The program did not start. */
export class NotRun extends Error {
  override readonly name = 'NotRun'
  /** As shells report it: 127 not found, 126 not executable, 128 and the number of a signal. */
  readonly exit: number

  constructor(message: string, exit: number) {
    super(message)
    this.exit = exit
  }
}

/** A terminal sends these to its whole foreground process group, so the program has them already. */
const fromTerminal: readonly string[] = ['SIGINT', 'SIGQUIT', 'SIGWINCH']

/** A program that does not end by SIGTERM is killed. */
const KILL_AFTER_MS = 2000

export type ProgramOptions = {
  /** Ends the program when it aborts. */
  readonly signal?: AbortSignal | undefined
  /** Whether the program writes to our stdout and stderr. Default: true. */
  readonly hasOutput?: boolean
  /** Receives what the program writes. It then writes to pipes, which pass it on. */
  readonly onOutput?: ((stream: 'stdout' | 'stderr', bytes: Buffer) => void) | undefined
  /** Receives the pipes that the program writes to, with `onOutput`. */
  readonly onPipes?: ((pipes: readonly Readable[]) => void) | undefined
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly killAfterMs?: number
  /** The file mode mask of the program. Default: ours. */
  readonly umask?: number | undefined
  readonly guard?: ProgramGuard | undefined
  readonly restart?: ProgramRestart | undefined
}

/** Kills the program, which is then started again. */
export class ProgramRestart {
  #child: ChildProcess | undefined
  #isDue = false
  #hasKilled = false

  /** The process of the program from now on. */
  use(child: ChildProcess): void {
    this.#child = child
    this.#isDue = false
  }

  kill(): void {
    this.#isDue = true
    this.#hasKilled = true
    this.#child?.kill('SIGKILL')
  }

  /** Whether the program was killed before. */
  get hasKilled(): boolean {
    return this.#hasKilled
  }

  /** Whether the process that ended was killed here. */
  get isDue(): boolean {
    return this.#isDue
  }
}

/** Takes the signals before and after the program. */
export type ProgramGuard = {
  /** The exit code after a signal before the program, which then does not start. */
  readonly exit: number | undefined
  /** The program gets the signals from now on, until the returned function is called. */
  suspend(): () => void
}

/** Runs the program with our stdin, stdout and stderr. Returns its exit code; 128 and the number of a signal. */
export async function runProgram(
  command: readonly string[],
  env: Record<string, string>,
  options: ProgramOptions = {},
): Promise<number> {
  for (;;) {
    const exit = await runProcess(command, env, options)
    if (options.restart?.isDue !== true || options.signal?.aborted) return exit
  }
}

function runProcess(
  [command = '', ...args]: readonly string[],
  env: Record<string, string>,
  options: ProgramOptions,
): Promise<number> {
  const { signal: abort, killAfterMs = KILL_AFTER_MS, umask, guard } = options
  return new Promise((resolve, reject) => {
    if (guard?.exit !== undefined) throw new NotRun('interrupted before the program started', guard.exit)
    const resume = guard?.suspend()
    const child = withUmask(umask, () => spawn(command, args, { env, stdio: filesOf(options) }))
    options.restart?.use(child)
    const written = passOn(child, options)
    let killer: NodeJS.Timeout | undefined
    const stop = (): void => {
      child.kill('SIGTERM')
      killer = setTimeout(() => child.kill('SIGKILL'), killAfterMs)
    }
    abort?.addEventListener('abort', stop)
    if (abort?.aborted) stop()
    const handlers = forwardedSignals().map((signal) => {
      const forward = (): void => {
        if (!fromTerminal.includes(signal) || !isInForeground()) child.kill(signal)
      }
      process.on(signal, forward)
      return () => process.off(signal, forward)
    })
    const end = (): void => {
      clearTimeout(killer)
      abort?.removeEventListener('abort', stop)
      for (const remove of handlers) remove()
      resume?.()
    }
    child.on('error', (error: NodeJS.ErrnoException) => {
      end()
      const reason = error.code === 'ENOENT' ? 'command not found' : error.message
      reject(new NotRun(`${command}: ${reason}`, error.code === 'ENOENT' ? 127 : 126))
    })
    child.on('exit', (code, signal) => {
      end()
      void written().then(() => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)))
    })
  })
}

function filesOf({ hasOutput = true, onOutput }: ProgramOptions): StdioOptions {
  if (onOutput) return [hasOutput ? 'inherit' : 'ignore', 'pipe', 'pipe']
  return hasOutput ? 'inherit' : 'ignore'
}

/** A process that the program left behind may keep the pipes open. */
const PIPES_MS = 1000

/** Passes on what the program writes. The returned function waits for the end of it. */
function passOn(
  child: ChildProcess,
  { hasOutput = true, onOutput, onPipes }: ProgramOptions,
): () => Promise<unknown> {
  if (!onOutput) return () => Promise.resolve()
  onPipes?.([child.stdout, child.stderr].filter((pipe) => pipe !== null))
  const ends = (['stdout', 'stderr'] as const).flatMap((name) => {
    const source = child[name]
    source?.on('data', (bytes: Buffer) => onOutput(name, bytes))
    // After the reader of our output has left, the program gets EPIPE, as without a pipe between them.
    if (source && hasOutput) pipeTo(process[name], source)
    return source ? [once(source, 'close').catch(() => undefined)] : []
  })
  return () => Promise.race([Promise.all(ends), after(PIPES_MS, undefined, { ref: false })])
}

function pipeTo(target: NodeJS.WriteStream, source: Readable): void {
  const stop = (): unknown => source.destroy()
  target.on('error', stop)
  source.once('close', () => target.off('error', stop))
  source.pipe(target, { end: false })
}

/**
 * Whether our process group gets the signals of a terminal, which no file of ours need be. Linux knows;
 * elsewhere a terminal among our files is the best sign.
 */
function isInForeground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return group === foreground
  } catch {
    return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY)
  }
}

/** A new process inherits the mask of ours, and spawn returns after the new process has it. */
function withUmask<Result>(umask: number | undefined, run: () => Result): Result {
  if (umask === undefined) return run()
  const ours = process.umask(umask)
  try {
    return run()
  } finally {
    process.umask(ours)
  }
}
