import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net'
import type { LockStep } from '../lock-step/runner.ts'
import { ESTABLISHED } from './proxy.ts'
import type { RunConnections } from './run-connections.ts'

type ProgramGate = {
  /** Answers requests to the broker. */
  readonly broker: Server
  readonly proxy: Server
  /** Whether `CONNECT` with this authority asks for the broker. */
  readonly isBroker: (authority: string) => boolean
  readonly run: RunConnections
  readonly lockStep: LockStep
}

/**
 * Listens for processes in lock-step. The first line of their connections is an id, which their reports name. There is no
 * TLS, also not to the broker behind `CONNECT`: its bytes could not be compared with those of the program.
 */
export async function servePrograms({
  broker,
  proxy,
  isBroker,
  run,
  lockStep,
}: ProgramGate): Promise<NetServer> {
  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 })
  const serve = (socket: Socket, rest: Buffer): void => {
    socket.pause()
    if (rest.length > 0) socket.unshift(rest)
    server.emit('connection', socket)
    socket.resume()
  }
  server.on('request', (request: IncomingMessage, response: ServerResponse) =>
    (/^https?:/i.test(request.url ?? '') ? proxy : broker).emit('request', request, response),
  )
  server.on('upgrade', (...args) => broker.emit('upgrade', ...args))
  server.on('connect', (request, socket: Socket, head: Buffer) => {
    if (!isBroker(request.url ?? '')) return proxy.emit('connect', request, socket, head)
    socket.write(ESTABLISHED)
    return serve(socket, head)
  })
  const listener = createNetServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', (bytes: Buffer) => {
      const end = bytes.indexOf('\n')
      lockStep.connected(bytes.toString('latin1', 0, end), socket)
      run.add(socket)
      serve(socket, bytes.subarray(end + 1))
    })
  })
  listener.listen(lockStep.pipes.gate)
  await once(listener, 'listening')
  return listener
}
