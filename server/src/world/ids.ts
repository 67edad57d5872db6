import { hash, randomBytes } from 'node:crypto'

/**
 * Derives the ids of a world from its seed and the purpose of each id: the same seed and the same calls give the same
 * ids. They have the form of UUID version 4, because clients check that.
 */
export const idMaker =
  (seed: string) =>
  (scope: string, events: number, n: number): string =>
    uuidFrom(hash('sha256', `${seed}/${scope}/${events}/${n}`, 'hex'))

function uuidFrom(hex: string): string {
  const variant = VARIANTS[Number.parseInt(hex[16]!, 16) & 3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

const VARIANTS = '89ab'

/** A random id for data outside of worlds: requests, first seeds. 32 hex digits. */
export const randomId = (): string => randomBytes(16).toString('hex')
