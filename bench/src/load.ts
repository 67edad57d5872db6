import { connect, type Socket } from 'node:net'
import type { Ready } from './contender-process.ts'

/** Sends POSTs over kept-alive connections, one at a time on each, and counts the answers. */
export async function postLoad(
  { port, headers }: Ready,
  path: string,
  body: (n: number) => string,
  { connections, calls }: { readonly connections: number; readonly calls: number },
): Promise<{ readonly statuses: ReadonlyMap<number, number> }> {
  const statuses = new Map<number, number>()
  const head = Object.entries({ Host: `127.0.0.1:${port}`, 'Content-Type': 'application/json', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  let sent = 0
  const next = (): string | undefined => {
    if (sent >= calls) return undefined
    const text = body(sent++)
    return `POST ${path} HTTP/1.1\r\n${head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  }
  await Promise.all(
    Array.from({ length: connections }, () => talk(port, next, (status) => count(statuses, status))),
  )
  return { statuses }
}

function talk(
  port: number,
  next: () => string | undefined,
  answered: (status: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1')
    let held = ''
    const send = (): void => {
      const request = next()
      if (request === undefined) socket.end(resolve)
      else socket.write(request)
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
      answered(Number(held.slice(9, 12)))
      held = held.slice(end + 4 + length)
      send()
    })
  })
}

function count(statuses: Map<number, number>, status: number): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
}
