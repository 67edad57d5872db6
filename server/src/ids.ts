import { hash, randomBytes } from 'node:crypto'

/**
 * A uuid made from the world's seed and what it is for: the same seed and the same calls give the same ids.
 * Shaped as version 4, because clients check that.
 */
export function seededId(seed: string, scope: string, events: number, n: number): string {
  return uuidFrom(hash('sha256', `${seed}/${scope}/${events}/${n}`, 'hex'))
}

/** An id for what lies outside all worlds: requests, first seeds. 32 hex digits. */
export const randomId = (): string => randomBytes(16).toString('hex')

function uuidFrom(hex: string): string {
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
