import { syncBuiltinESMExports } from 'node:module'
import { connect as connectTo } from 'node:net'
import tlsModule from 'node:tls'
import { threadId } from 'node:worker_threads'

/** The connections of a program to the gateway. */
export type Gate = {
  readonly sockets: Set<GateSocket>
  /** The number of connections that are being opened. */
  opening: number
}

export type GateSocket = {
  gateId?: string
  readonly bytesRead: number
  readonly bytesWritten: number
  push(...args: unknown[]): unknown
  emit(event: string): void
  on(event: string, listener: (text: string) => void): GateSocket
  once(event: string, listener: () => void): GateSocket
  unref(): void
  setEncoding(encoding: string): GateSocket
  write(text: string): void
}

export type GateAddress = {
  /** The port of the TLS listener. */
  readonly tlsPort: number
  /** The path of the socket that the gateway serves without TLS. */
  readonly gate: string
}

type Connect = (...args: unknown[]) => GateSocket
type TlsOptions = { readonly port?: unknown; readonly servername?: unknown; readonly socket?: unknown }

/**
 * Opens connections to the TLS listener without TLS, and watches them:
 * `changed` is called whenever one of them received something.
 */
export function watchGate({ tlsPort, gate: path }: GateAddress, changed: () => void): Gate {
  const tls = tlsModule as unknown as { connect: Connect }
  const { connect } = tls
  const gate: Gate = { sockets: new Set(), opening: 0 }
  let opened = 0
  const watch = (socket: GateSocket): void => {
    gate.opening += 1
    let isOpening = true
    const end = (): void => {
      if (isOpening) gate.opening -= 1
      isOpening = false
      changed()
    }
    gate.sockets.add(socket)
    const { push } = socket
    socket.push = function pushed(this: unknown, ...args: unknown[]): unknown {
      changed()
      return push.apply(socket, args)
    }
    socket.once('secureConnect', end)
    socket.once('close', () => {
      gate.sockets.delete(socket)
      end()
    })
  }
  tls.connect = function watched(this: unknown, ...args: unknown[]): GateSocket {
    const options = (args.find((value) => typeof value === 'object' && value !== null) ?? {}) as TlsOptions
    // A connection that exists already was opened through a proxy.
    if (Number(options.port ?? args[0]) !== tlsPort || options.socket) return connect.apply(this, args)
    opened += 1
    const socket = plainConnection(path, `${process.pid}-${threadId}-${opened}`, options)
    watch(socket)
    const callback = args.find((value) => typeof value === 'function') as (() => void) | undefined
    if (callback) socket.once('secureConnect', callback)
    return socket
  }
  syncBuiltinESMExports()
  return gate
}

/** A connection without TLS that looks like one with TLS. Its first line is its id. */
function plainConnection(path: string, gateId: string, { servername }: TlsOptions): GateSocket {
  const socket = connectTo(path) as unknown as GateSocket
  const none = (): undefined => undefined
  Object.assign(socket, {
    gateId,
    encrypted: true,
    authorized: true,
    authorizationError: null,
    alpnProtocol: false,
    servername,
    getProtocol: () => 'TLSv1.3',
    getCipher: () => ({ name: 'none', standardName: 'none', version: 'TLSv1.3' }),
    getPeerCertificate: () => ({}),
    getPeerX509Certificate: none,
    getCertificate: () => ({}),
    getSession: none,
    getTLSTicket: none,
    isSessionReused: () => false,
    setServername: none,
    setSession: none,
    setMaxSendFragment: () => true,
    disableRenegotiation: none,
    enableTrace: none,
  })
  socket.write(`${gateId}\n`)
  socket.once('connect', () => socket.emit('secureConnect'))
  return socket
}
