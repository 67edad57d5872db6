import { OFFICIAL_DOMAIN } from './hosts.ts'

type Settings = {
  readonly domain: string
  readonly host: string
  readonly port: number
  readonly secretLine: string | undefined
}
type Plain = {
  write(text: string): void
  on(event: 'error', listener: (error: Error) => void): void
  destroy(error: Error): void
  setTimeout(ms: number): void
}
type Load = (name: string) => unknown
type Options = Record<string, unknown>
type Connect = (...args: unknown[]) => unknown

/**
 * The text of a CommonJS file that Node loads before the program: official hosts lead to the TLS listener. Without a
 * secret line, connections to the listener are left to another part of the file.
 */
export function nodePreloadText(tlsPort: number, secretLine: string | undefined): string {
  const settings: Settings = { domain: OFFICIAL_DOMAIN, host: '127.0.0.1', port: tlsPort, secretLine }
  const parts = [...(secretLine === undefined ? [] : [sendSecretLine]), mapOfficialHosts]
  const calls = parts.map((part) => `;(${part.toString()})(require, ${JSON.stringify(settings)})\n`)
  return `'use strict'\n${calls.join('')}`
}

/** Runs inside the program, as `mapOfficialHosts`: connections to the listener begin with the secret of the run. */
function sendSecretLine(load: Load, { host, port, secretLine }: Settings): void {
  const tls = load('node:tls') as { connect: Connect }
  const net = load('node:net') as { connect: (port: number, host: string) => Plain }
  const connect = tls.connect
  tls.connect = function proven(this: unknown, ...args: unknown[]): unknown {
    const options = (args.find((value) => typeof value === 'object' && value !== null) ?? {}) as Options
    if (Number(options['port'] ?? args[0]) !== port || options['socket'] || options['path'])
      return connect.apply(this, args)
    const socket = net.connect(port, host)
    socket.write(secretLine!)
    const callback = args.find((value) => typeof value === 'function')
    const positional = typeof args[1] === 'string' ? { host: args[1] } : {}
    const secure = connect.call(this, { ...positional, ...options, socket }, callback) as Plain
    socket.on('error', (error) => secure.destroy(error))
    const idleMs = Number(options['timeout'] ?? 0)
    if (idleMs > 0) secure.setTimeout(idleMs)
    return secure
  }
}

/**
 * Runs inside the program, on any Node since 18. It is written to a file as text, so it uses nothing from outside of
 * itself.
 */
function mapOfficialHosts(load: Load, { domain, host: target, port }: Settings): void {
  const tls = load('node:tls') as { connect: Connect }
  const connect = tls.connect
  const isOfficial = (host: unknown): host is string => {
    if (typeof host !== 'string') return false
    const name = host.toLowerCase().replace(/\.$/, '')
    return name === domain || name.endsWith(`.${domain}`)
  }
  // connect(options, callback) and connect(port, host, options, callback), where all but the port may be absent.
  tls.connect = function mapped(this: unknown, ...args: unknown[]): unknown {
    const isObject = (value: unknown): value is Options => typeof value === 'object' && value !== null
    const options = args.find(isObject) ?? {}
    const positional = isObject(args[0]) ? undefined : args[1]
    const host = typeof positional === 'string' ? positional : options['host']
    // A connection that exists already was opened through a proxy.
    if (!isOfficial(host) || options['socket'] || options['path']) return connect.apply(this, args)
    const servername = options['servername'] || host
    const callback = args.find((value) => typeof value === 'function')
    const changed = { ...options, host: target, port, servername, lookup: undefined }
    return connect.call(this, changed, callback)
  }
  // Programs that import `connect` from node:tls get the new function too.
  ;(load('node:module') as { syncBuiltinESMExports: () => void }).syncBuiltinESMExports()
}
