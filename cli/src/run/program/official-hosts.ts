import { syncBuiltinESMExports } from 'node:module'
import { connect as connectTo } from 'node:net'
import tlsModule from 'node:tls'
import { isOfficial } from '../gateway/hosts.ts'

type Settings = {
  /** The port of the TLS listener. */
  readonly port: number
  /** The secret of the run. Without one, connections to the listener are left to `lock-step.ts`. */
  readonly secretLine: string | undefined
}
type Secure = { destroy(error: Error): void; setTimeout(ms: number): void }
type Options = Record<string, unknown>
type Connect = (...args: unknown[]) => unknown

const HOST = '127.0.0.1'
const tls = tlsModule as unknown as { connect: Connect }
const isObject = (value: unknown): value is Options => typeof value === 'object' && value !== null

/** Leads connections to official hosts to the TLS listener. */
export function start({ port, secretLine }: Settings): void {
  if (secretLine !== undefined) sendSecretLine(port, secretLine)
  mapOfficialHosts(port)
  // Programs that import `connect` from node:tls get the new function too.
  syncBuiltinESMExports()
}

/** Connections to the listener begin with the secret of the run. */
function sendSecretLine(port: number, secretLine: string): void {
  const { connect } = tls
  tls.connect = function proven(this: unknown, ...args: unknown[]): unknown {
    const options = args.find(isObject) ?? {}
    if (Number(options['port'] ?? args[0]) !== port || options['socket'] || options['path'])
      return connect.apply(this, args)
    const socket = connectTo(port, HOST)
    socket.write(secretLine)
    const callback = args.find((value) => typeof value === 'function')
    const positional = typeof args[1] === 'string' ? { host: args[1] } : {}
    const secure = connect.call(this, { ...positional, ...options, socket }, callback) as Secure
    socket.on('error', (error) => secure.destroy(error))
    const idleMs = Number(options['timeout'] ?? 0)
    if (idleMs > 0) secure.setTimeout(idleMs)
    return secure
  }
}

function mapOfficialHosts(port: number): void {
  const { connect } = tls
  // connect(options, callback) and connect(port, host, options, callback), where all but the port may be absent.
  tls.connect = function mapped(this: unknown, ...args: unknown[]): unknown {
    const options = args.find(isObject) ?? {}
    const positional = isObject(args[0]) ? undefined : args[1]
    const host = typeof positional === 'string' ? positional : options['host']
    // A connection that exists already was opened through a proxy.
    if (typeof host !== 'string' || !isOfficial(host) || options['socket'] || options['path'])
      return connect.apply(this, args)
    const servername = options['servername'] || host
    const callback = args.find((value) => typeof value === 'function')
    const changed = { ...options, host: HOST, port, servername, lookup: undefined }
    return connect.call(this, changed, callback)
  }
}
