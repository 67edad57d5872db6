import { connect, type Socket } from 'node:net'
import type { Ready } from './contender-process.ts'

export type Asked = { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: string }

export type Load = {
  readonly connections: number
  readonly calls: number
  /** Calls begin at this rate, whether earlier ones are answered or not; absent, each follows its answer. */
  readonly perSecond?: number
  /** No call begins once this says so. */
  readonly isOver?: () => boolean
  /** Gets each answer's body. */
  readonly heard?: (body: string) => void
}

export type Answers = {
  readonly statuses: ReadonlyMap<number, number>
  /** From when each was due to its answer, ascending. */
  readonly latenciesMs: readonly number[]
}

/** Sends requests over kept-alive connections, one at a time on each. */
export async function load(
  ready: Ready,
  ask: (n: number) => Asked,
  { connections, calls, perSecond, isOver = () => false, heard = () => undefined }: Load,
): Promise<Answers> {
  const statuses = new Map<number, number>()
  const latenciesMs: number[] = []
  const startMs = performance.now()
  let sent = 0
  const next = (): Due | undefined => {
    if (sent >= calls || isOver()) return undefined
    const number = sent++
    const dueMs = perSecond === undefined ? performance.now() : startMs + (number / perSecond) * 1000
    return { text: textOf(ready, ask(number)), dueMs }
  }
  const answered = (status: number, dueMs: number, body: string): void => {
    heard(body)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    latenciesMs.push(performance.now() - dueMs)
  }
  await Promise.all(Array.from({ length: connections }, () => talk(ready.port, next, answered)))
  latenciesMs.sort((a, b) => a - b)
  return { statuses, latenciesMs }
}

/** Every answer must be a 200; anything else would make the figure one of something else. */
export function allGood(name: string, calls: number, { statuses }: Answers): void {
  if (statuses.get(200) !== calls)
    throw new Error(`${name}: expected ${calls} answers of 200, received ${JSON.stringify([...statuses])}`)
}

export const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!

type Due = { readonly text: string; readonly dueMs: number }

function textOf({ port, headers }: Ready, { method, path, body = '' }: Asked): string {
  let head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

function talk(
  port: number,
  next: () => Due | undefined,
  answered: (status: number, dueMs: number, body: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1')
    let [held, dueMs] = ['', 0]
    const send = (): void => {
      const request = next()
      if (request === undefined) return void socket.end(resolve)
      dueMs = request.dueMs
      const waitMs = dueMs - performance.now()
      if (waitMs < 1) return void socket.write(request.text)
      setTimeout(() => {
        // A timer that rings late is this process's doing, not the server's.
        dueMs = performance.now()
        socket.write(request.text)
      }, waitMs)
    }
    socket.setNoDelay(true).setEncoding('latin1')
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('data', (text) => {
      held += text
      const end = held.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = Number(/content-length: (\d+)/i.exec(held.slice(0, end))?.[1] ?? 0)
      if (held.length < end + 4 + length) return
      answered(Number(held.slice(9, 12)), dueMs, held.slice(end + 4, end + 4 + length))
      held = held.slice(end + 4 + length)
      send()
    })
  })
}
