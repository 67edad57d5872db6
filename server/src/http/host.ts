import type { IncomingMessage } from 'node:http'
import type { Flavour } from '@quipu/core'
import { isLoopback } from '../config/settings.table.ts'

/** Says whether a Host header may be served. */
export type HostGuard = (host: string | undefined) => boolean

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'] as const
const OFFICIAL = '.alpaca.markets'
const KNOWN_MAX = 100

/**
 * Against DNS rebinding: on loopback, a page on the internet whose name is made to lead here sends its own
 * name as Host. Bound to other addresses the server is meant to be reached under names it cannot know.
 */
export function makeHostGuard(binding: { readonly host: string; readonly publicUrl?: string }): HostGuard {
  if (!isLoopback(binding.host)) return () => true
  const ours = new Set<string>([...loopbackNames, binding.host.toLowerCase()])
  if (binding.publicUrl !== undefined) ours.add(new URL(binding.publicUrl).hostname)
  const known = new Set<string>()
  return (host) => {
    if (host === undefined) return false
    if (known.has(host)) return true
    const name = nameOf(host)
    const allowed = ours.has(name) || name.endsWith('.localhost') || name.endsWith(OFFICIAL)
    if (allowed && known.size < KNOWN_MAX) known.add(host)
    return allowed
  }
}

/** The name without its port and without the dot that may end it. */
function nameOf(host: string): string {
  const end = host.startsWith('[') ? host.indexOf(']') + 1 : host.lastIndexOf(':')
  const name = (end > 0 ? host.slice(0, end) : host).toLowerCase()
  return name.endsWith('.') ? name.slice(0, -1) : name
}

/** A token that holds a live and a paper account acts on the live one under these names. */
export const flavourOf = (host: string | undefined): Flavour =>
  host?.startsWith('api.') || host?.startsWith('live.') ? 'live' : 'paper'

/** Node keeps the first Host header and drops the others, while a proxy in front may have looked at another one. */
export function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count > 1
}
