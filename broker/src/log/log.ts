import { writeSync } from 'node:fs'

/**
 * The log on stderr: one line per message, readable on a terminal, JSON otherwise. It never contains bodies, headers
 * or query strings, so it contains no secrets.
 */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export type LogFacts = { readonly [name: string]: string | number | boolean | undefined }

export type Log = {
  debug(message: string, facts?: LogFacts): void
  info(message: string, facts?: LogFacts): void
  warn(message: string, facts?: LogFacts): void
  error(message: string, facts?: LogFacts): void
  /** A hint about a common mistake, at most once a minute per kind. */
  hint(kind: string, message: string, facts?: LogFacts): void
  isOn(level: LogLevel): boolean
  /** Writes all buffered lines. */
  flush(): void
}

export type LogParts = {
  readonly level: LogLevel | 'silent'
  readonly readable: boolean
  readonly write: (text: string) => void
  readonly now?: () => number
}

const order = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const
const HINT_EVERY_MS = 60_000
const BUFFERED_MAX = 200

export function createLog({ level, readable, write, now = Date.now }: LogParts): Log {
  const buffered: string[] = []
  const hinted = new Map<string, number>()
  const minimum = order[level]

  const flush = (): void => {
    if (buffered.length === 0) return
    const text = buffered.join('')
    buffered.length = 0
    write(text)
  }
  // Lines of one tick of the event loop are written together.
  const log = (of: LogLevel, message: string, facts: LogFacts = {}): void => {
    if (order[of] < minimum) return
    const at = new Date(now()).toISOString()
    buffered.push(readable ? readableLine(at, of, message, facts) : jsonLine(at, of, message, facts))
    if (of === 'error' || buffered.length >= BUFFERED_MAX) flush()
    else if (buffered.length === 1) setImmediate(flush)
  }
  const hint = (kind: string, message: string, facts?: LogFacts): void => {
    const at = now()
    const last = hinted.get(kind)
    if (last !== undefined && at - last < HINT_EVERY_MS) return
    hinted.set(kind, at)
    log('warn', message, facts)
  }
  return {
    debug: (message, facts) => log('debug', message, facts),
    info: (message, facts) => log('info', message, facts),
    warn: (message, facts) => log('warn', message, facts),
    error: (message, facts) => log('error', message, facts),
    hint,
    isOn: (of) => order[of] >= minimum,
    flush,
  }
}

/** The log of the process: stderr, readable if it is a terminal. */
export const stderrLog = (level: LogParts['level']): Log =>
  createLog({
    level,
    readable: process.stderr.isTTY === true,
    write: (text) => process.stderr.write(text),
  })

/**
 * Writes every line on stderr as JSON, also those that are not of the log: failures of the start, warnings of Node, and
 * errors that nobody caught. For a server whose stderr a service manager reads. Returns the writer of notes.
 */
export function jsonOnStderr(): (text: string) => void {
  const write = (level: LogLevel, message: string, facts: LogFacts = {}): void =>
    void process.stderr.write(jsonLine(new Date().toISOString(), level, message, facts))
  // Node's own listener writes text.
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => write('warn', message, { warning: name }))
  process.on('uncaughtException', (error: unknown, origin) => {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    try {
      // Written at once, because the process ends.
      writeSync(2, jsonLine(new Date().toISOString(), 'error', message, { origin, stack }))
    } catch {
      // A full disk, or a closed pipe.
    }
    process.exit(1)
  })
  return (text) => {
    const [, mark, message = text] = /^(warning|quipu): ([\s\S]*)$/.exec(text) ?? []
    write(mark === 'quipu' ? 'error' : mark === 'warning' ? 'warn' : 'info', message)
  }
}

const marks = { debug: 'debug', info: 'info ', warn: 'warn ', error: 'ERROR' } as const

function readableLine(at: string, level: LogLevel, message: string, facts: LogFacts): string {
  let line = `${at.slice(11, 23)} ${marks[level]} ${plain(message)}`
  for (const [name, value] of Object.entries(facts)) {
    if (value !== undefined) line += ` ${name}=${plain(String(value))}`
  }
  return `${line}\n`
}

const jsonLine = (at: string, level: LogLevel, message: string, facts: LogFacts): string =>
  `${JSON.stringify({ at, level, message, ...facts })}\n`

const TEXT_MAX = 2000

/** Removes terminal control characters that clients may send. A newline becomes a space. */
const plain = (text: string): string =>
  text
    .slice(0, TEXT_MAX)
    .replace(/\s+/g, ' ')
    .replace(/[^\x20-\x7e\u00a1-\uffff]/g, '?')
