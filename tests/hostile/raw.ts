import { connect, type Socket } from 'node:net'

/** Opens a raw connection and ignores its errors. */
export async function dial(url: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', noDelay: true })
  socket.on('error', () => undefined)
  await Promise.race([new Promise((resolve) => socket.once('connect', resolve)), untilClosed(socket)])
  return socket
}

export const untilClosed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())))

/** Resolves when the socket accepts more data or is closed. */
export const drained = (socket: Socket): Promise<unknown> =>
  Promise.race([new Promise((resolve) => socket.once('drain', resolve)), untilClosed(socket)])

/** Reads until the server closes the connection. */
export async function readUntilClosed(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  await untilClosed(socket)
  return Buffer.concat(chunks).toString('latin1')
}
