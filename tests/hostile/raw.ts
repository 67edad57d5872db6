import { connect, type Socket } from 'node:net'

/** A connection that says what it is told to, and is no trouble when it breaks. */
export async function dial(url: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', noDelay: true })
  socket.on('error', () => undefined)
  await Promise.race([new Promise((resolve) => socket.once('connect', resolve)), closed(socket)])
  return socket
}

export const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())))

/** Resolves when there is room for more, or nobody to send it to. */
export const drained = (socket: Socket): Promise<unknown> =>
  Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed(socket)])

/** Everything the other side says until it hangs up. */
export async function heardFrom(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  await closed(socket)
  return Buffer.concat(chunks).toString('latin1')
}
