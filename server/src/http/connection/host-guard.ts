/** Whether a server accepts a Host header. */
export type HostGuard = (host: string | undefined) => boolean

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'] as const
const OFFICIAL = '.alpaca.markets'
const KNOWN_MAX = 100

/**
 * Prevents DNS rebinding on a server of this machine: a page whose name resolves to this machine sends its own name as
 * Host. `others` are further names of the server.
 */
export function makeLoopbackGuard(others: readonly string[] = []): HostGuard {
  const served = new Set<string>([...loopbackNames, ...others])
  const known = new Set<string>()
  return (host) => {
    if (host === undefined) return false
    if (known.has(host)) return true
    const name = nameOf(host)
    const allowed = served.has(name) || name.endsWith('.localhost') || name.endsWith(OFFICIAL)
    if (allowed && known.size < KNOWN_MAX) known.add(host)
    return allowed
  }
}

/** The name without its port and its final dot. */
function nameOf(host: string): string {
  const end = host.startsWith('[') ? host.indexOf(']') + 1 : host.lastIndexOf(':')
  const name = (end > 0 ? host.slice(0, end) : host).toLowerCase()
  return name.endsWith('.') ? name.slice(0, -1) : name
}
