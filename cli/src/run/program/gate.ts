import { syncBuiltinESMExports } from 'node:module'
import { connect as connectTo, Socket } from 'node:net'
import tlsModule from 'node:tls'
import { threadId } from 'node:worker_threads'
import { isOfficial } from '../gateway/hosts.ts'

/** The connections of a program to the gateway. */
export type Gate = {
  readonly sockets: Set<GateSocket>
  /** The number of connections that are being opened. */
  opening: number
  /** Whether an action writes pings of WebSockets and nothing else; undefined if it writes nothing. */
  watchWrites(action: () => void): boolean | undefined
}

export type GateSocket = {
  gateId?: string
  readonly connecting: boolean
  readonly bytesRead: number
  readonly bytesWritten: number
  push(...args: unknown[]): unknown
  emit(event: string): void
  on(event: string, listener: (text: string) => void): GateSocket
  once(event: string, listener: () => void): GateSocket
  unref(): void
  setEncoding(encoding: string): GateSocket
  write(...args: unknown[]): unknown
}

export type GateAddress = {
  /** The port of the TLS listener. */
  readonly tlsPort: number
  /** The port of the proxy: axios before 1.0 and agents for proxies use it. */
  readonly proxyPort: number
  /** The path of the socket that the gateway serves without TLS. */
  readonly gate: string
}

export type GateEvents = {
  /** A connection to the gateway received something. */
  readonly changed: () => void
  /** The program connects to something else: a path, or a host and a port. */
  readonly connected: (address: string) => void
}

type Connect = (...args: unknown[]) => GateSocket
type TlsOptions = {
  readonly port?: unknown
  readonly host?: unknown
  readonly servername?: unknown
  readonly socket?: GateSocket
}
type SocketConnect = (this: GateSocket, ...args: unknown[]) => unknown

/**
 * Opens connections to the TLS listener without TLS, and those to the proxy, and watches them.
 */
export function watchGate(
  { tlsPort, proxyPort, gate: path }: GateAddress,
  { changed, connected }: GateEvents,
): Gate {
  const tls = tlsModule as unknown as { connect: Connect }
  const { connect } = tls
  const writes = watchedWrites()
  const gate: Gate = { sockets: new Set(), opening: 0, watchWrites: writes.during }
  let opened = 0
  const newId = (): string => `${process.pid}-${threadId}-${++opened}`
  const watch = (socket: GateSocket): void => {
    gate.opening += 1
    let isOpening = true
    const end = (): void => {
      if (isOpening) gate.opening -= 1
      isOpening = false
      changed()
    }
    gate.sockets.add(socket)
    writes.of(socket)
    const { push } = socket
    socket.push = function pushed(this: unknown, ...args: unknown[]): unknown {
      changed()
      return push.apply(socket, args)
    }
    socket.once('connect', end)
    socket.once('close', () => {
      gate.sockets.delete(socket)
      end()
    })
  }
  tls.connect = function watched(this: unknown, ...args: unknown[]): GateSocket {
    const options = (args.find((value) => typeof value === 'object' && value !== null) ?? {}) as TlsOptions
    const callback = args.find((value) => typeof value === 'function') as (() => void) | undefined
    const through = options.socket
    // The proxy has answered CONNECT, and behind it is the broker, without TLS.
    if (through?.gateId !== undefined && isBroker(options)) return disguised(through, options, callback)
    if (Number(options.port ?? args[0]) !== tlsPort || through) return connect.apply(this, args)
    const socket = plainConnection(path, newId(), options, callback)
    watch(socket)
    return socket
  }
  const lead = (socket: GateSocket, join: (path: string) => void): void => {
    socket.gateId = newId()
    watch(socket)
    join(path)
    socket.write(`${socket.gateId}\n`)
  }
  leadToGate(proxyPort, lead, (address) => {
    if (address !== path) connected(address)
  })
  syncBuiltinESMExports()
  return gate
}

/** What the program writes to its connections while an action runs. */
function watchedWrites() {
  const PING = 0x89
  let written: unknown[] | undefined
  return {
    of(socket: GateSocket): void {
      const { write } = socket
      socket.write = function watched(this: unknown, ...args: unknown[]): unknown {
        written?.push(args[0])
        return Reflect.apply(write, socket, args)
      }
    },
    during(action: () => void): boolean | undefined {
      written = []
      try {
        action()
        // A client sends an empty ping as its header and a mask, and the bytes of another one after them.
        const [head, ...rest] = written as Uint8Array[]
        if (head === undefined) return undefined
        const isPing = head instanceof Uint8Array && head[0] === PING
        return isPing && rest.reduce((sum, { length }) => sum + length, head.length) === 6 + (head[1]! & 0x7f)
      } finally {
        written = undefined
      }
    },
  }
}

/** Calls `lead` in place of each connection to the proxy on this machine, and `other` before each other one. */
function leadToGate(
  proxyPort: number,
  lead: (socket: GateSocket, join: (path: string) => void) => void,
  other: (address: string) => void,
): void {
  const prototype = Socket.prototype as unknown as { connect: SocketConnect }
  const { connect } = prototype
  prototype.connect = function led(this: GateSocket, ...args: unknown[]): unknown {
    // `net.connect` passes one list: the options and the callback.
    const [options, callback] = (Array.isArray(args[0]) ? args[0] : args) as [unknown, unknown]
    const { port, host, path } = Object(options) as { port?: unknown; host?: unknown; path?: unknown }
    if (path || Number(port) !== proxyPort || !/^(localhost|127\.0\.0\.1)$/.test(String(host))) {
      const isPath = typeof options === 'string' && !/^\d+$/.test(options)
      const [first, second = 'localhost'] = isPath ? [options] : [port ?? options, host ?? args[1]]
      other(
        isPath || path
          ? String(path ?? first)
          : `${typeof second === 'string' ? second : 'localhost'}:${first}`,
      )
      return connect.apply(this, args)
    }
    lead(this, (gate) => connect.call(this, { path: gate }, ...(callback ? [callback] : [])))
    return this
  }
}

const isBroker = ({ servername, host }: TlsOptions): boolean => {
  const name = String(servername || host)
  return isOfficial(name) || name === 'localhost' || name === '127.0.0.1'
}

/** A connection without TLS that looks like one with TLS. Its first line is its id. */
function plainConnection(
  path: string,
  gateId: string,
  options: TlsOptions,
  callback?: () => void,
): GateSocket {
  const socket = connectTo(path) as unknown as GateSocket
  socket.gateId = gateId
  socket.write(`${gateId}\n`)
  return disguised(socket, options, callback)
}

/** Makes a connection look like one with TLS. */
function disguised(socket: GateSocket, { servername }: TlsOptions, callback?: () => void): GateSocket {
  const none = (): undefined => undefined
  Object.assign(socket, {
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
  if (callback) socket.once('secureConnect', callback)
  const ready = (): void => socket.emit('secureConnect')
  if (socket.connecting) socket.once('connect', ready)
  else process.nextTick(ready)
  return socket
}
