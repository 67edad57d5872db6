import { connect, type Socket } from 'node:net'
import type { Ready } from './contender-process.ts'

export type BenchRequest = { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: string }

export type Load = {
  readonly connections: number
  readonly calls: number
  /** Calls start at this rate, even if earlier ones are unanswered; by default each call waits for the last response. */
  readonly perSecond?: number
  /** No call starts after this returns true. */
  readonly isOver?: () => boolean
  /** Receives the body of each response. */
  readonly onBody?: (body: string) => void
}

export type Responses = {
  readonly statuses: ReadonlyMap<number, number>
  /** Time from the due time of each call to its response, ascending. */
  readonly latenciesMs: readonly number[]
}

/** Sends requests over kept-alive connections, one at a time on each. */
export async function load(
  ready: Ready,
  requestOf: (n: number) => BenchRequest,
  { connections, calls, perSecond, isOver = () => false, onBody = () => undefined }: Load,
): Promise<Responses> {
  const statuses = new Map<number, number>()
  const latenciesMs: number[] = []
  const startMs = performance.now()
  let sent = 0
  const next = (): Due | undefined => {
    if (sent >= calls || isOver()) return undefined
    const number = sent++
    const dueMs = perSecond === undefined ? performance.now() : startMs + (number / perSecond) * 1000
    return { text: textOf(ready, requestOf(number)), dueMs }
  }
  const onResponse = (status: number, dueMs: number, body: string): void => {
    onBody(body)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    latenciesMs.push(performance.now() - dueMs)
  }
  await Promise.all(Array.from({ length: connections }, () => runConnection(ready.port, next, onResponse)))
  latenciesMs.sort((a, b) => a - b)
  return { statuses, latenciesMs }
}

/** Every response must be a 200; the cost of another response is not the figure that a row measures. */
export function requireAllOk(name: string, calls: number, { statuses }: Responses): void {
  if (statuses.get(200) !== calls)
    throw new Error(`${name}: expected ${calls} responses of 200, received ${JSON.stringify([...statuses])}`)
}

export const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!

type Due = { readonly text: string; readonly dueMs: number }

function textOf({ port, headers }: Ready, { method, path, body = '' }: BenchRequest): string {
  let head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

function runConnection(
  port: number,
  next: () => Due | undefined,
  onResponse: (status: number, dueMs: number, body: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1')
    let [received, dueMs] = ['', 0]
    const send = (): void => {
      const request = next()
      if (request === undefined) return void socket.end(resolve)
      dueMs = request.dueMs
      const waitMs = dueMs - performance.now()
      if (waitMs < 1) return void socket.write(request.text)
      setTimeout(() => {
        // A late timer is a delay of this process, not of the server.
        dueMs = performance.now()
        socket.write(request.text)
      }, waitMs)
    }
    socket.setNoDelay(true).setEncoding('latin1')
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('data', (text) => {
      received += text
      const end = received.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = Number(/content-length: (\d+)/i.exec(received.slice(0, end))?.[1] ?? 0)
      if (received.length < end + 4 + length) return
      onResponse(Number(received.slice(9, 12)), dueMs, received.slice(end + 4, end + 4 + length))
      received = received.slice(end + 4 + length)
      send()
    })
  })
}
