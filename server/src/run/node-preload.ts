import { OFFICIAL_DOMAIN } from './hosts.ts'

type Settings = { readonly domain: string; readonly host: string; readonly port: number }
type Load = (name: string) => unknown
type Options = Record<string, unknown>
type Connect = (...args: unknown[]) => unknown

/** The text of a CommonJS file that Node loads before the program: official hosts lead to the TLS listener. */
export function nodePreloadText(tlsPort: number): string {
  const settings: Settings = { domain: OFFICIAL_DOMAIN, host: '127.0.0.1', port: tlsPort }
  return `'use strict'\n;(${mapOfficialHosts.toString()})(require, ${JSON.stringify(settings)})\n`
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
