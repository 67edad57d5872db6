import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ready } from './contender-process.ts'

/** An attack runs until `isOver`, and returns how many of its requests were answered. */
type Attack = (ready: Ready, isOver: () => boolean) => Promise<number>

export const attacks: Readonly<Record<string, Attack>> = {
  '55 sign-ins by nobody at a time': signIns,
  'orders of 1 MB': (ready, isOver) => bodies(ready, isOver, '/v2/orders', MANY_VALUES),
  'orders of 1 MB by nobody': (ready, isOver) =>
    bodies({ ...ready, headers: {} }, isOver, '/v2/orders', MANY_VALUES),
  'accounts of 1 MB by a partner': (ready, isOver) =>
    bodies({ ...ready, headers: ready.operator! }, isOver, '/v1/accounts', LONG_TEXT),
  '1,000 event streams of one key': eventStreams,
}

const MANY_VALUES = `{"list":[${new Array(499_000).fill('1').join()}]}`
const LONG_TEXT = JSON.stringify({ document: 'x'.repeat(990_000) })

const CONNECTIONS = 4

/** Each browser asks for the page, then sends the form of an unknown user. */
async function signIns({ port }: Ready, isOver: () => boolean): Promise<number> {
  const url = `http://127.0.0.1:${port}/oauth/sign-in`
  let answered = 0
  const browser = async (number: number) => {
    while (!isOver()) {
      const page = await fetch(url)
      const cookie = page.headers.getSetCookie().map((line) => line.split(';')[0]!)
      const csrf = /name="csrf" value="([^"]*)"/.exec(await page.text())?.[1] ?? ''
      const body = new URLSearchParams({
        csrf,
        name: `nobody-${number}-${answered}`,
        password: 'a wrong password',
      })
      const headers = { cookie: cookie.join('; '), origin: url.slice(0, -14) }
      await (await fetch(url, { method: 'POST', body, headers, redirect: 'manual' })).text()
      answered += 1
    }
  }
  await Promise.all(Array.from({ length: 55 }, (_, number) => browser(number)))
  return answered
}

async function bodies(
  { port, headers }: Ready,
  isOver: () => boolean,
  path: string,
  body: string,
): Promise<number> {
  let answered = 0
  const client = async () => {
    while (!isOver()) {
      // A refused body may end its connection.
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers,
        body,
      }).catch(() => undefined)
      await response?.text().catch(() => undefined)
      answered += 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, client))
  return answered
}

/** Opens as many as it gets, and tries the refused ones again. */
async function eventStreams({ port, headers }: Ready, isOver: () => boolean): Promise<number> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = `GET /v2/events/trades HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n`
  const open = new Set<Socket>()
  let answered = 0
  while (!isOver()) {
    while (open.size < 1000) {
      const socket = connect(port, '127.0.0.1', () => socket.write(request))
      open.add(socket)
      socket.once('data', () => (answered += 1))
      socket.on('error', () => undefined).on('close', () => open.delete(socket))
    }
    await sleep(50)
  }
  for (const socket of open) socket.destroy()
  return answered
}

/** In a process of its own: otherwise the attack would hold up the client that measures. Arguments: its name, and the server. */
if (process.argv[1] === import.meta.filename) {
  const [, , name = '', server = ''] = process.argv
  let isOver = false
  process.on('message', () => {
    isOver = true
  })
  const answered = await attacks[name]!(JSON.parse(server) as Ready, () => isOver)
  process.send?.(answered)
  process.disconnect()
}
