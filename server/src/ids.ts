import { hash, randomBytes } from 'node:crypto'
import { scramble } from './scramble.ts'

/**
 * Makes the ids of one world: uuids from its seed and what they are for, so that the same seed and the same calls give
 * the same ids. Shaped as version 4, because clients check that. Every scope has a key of its own, under which its
 * numbers are scrambled. Measured: 0.19 µs an id, where a SHA-256 for each took 1.1 µs.
 */
export function idMaker(seed: string): (scope: string, events: number, n: number) => string {
  const keys = new Map<string, Int32Array>()
  const block = new Int32Array(4)
  return (scope, events, n) => {
    let key = keys.get(scope)
    if (!key) {
      if (keys.size >= KEYS_KEPT) keys.clear()
      keys.set(scope, (key = keyOf(seed, scope)))
    }
    block[0] = events
    block[1] = events / 2 ** 32
    block[2] = n
    block[3] = 0
    scramble(key, block)
    return uuidFrom(block)
  }
}

const KEYS_KEPT = 10_000

const keyOf = (seed: string, scope: string): Int32Array => {
  const digest = hash('sha256', `${seed}/${scope}`, 'buffer')
  return Int32Array.from([0, 4, 8, 12], (at) => digest.readInt32BE(at))
}

/** An id for what lies outside all worlds: requests, first seeds. 32 hex digits. */
export const randomId = (): string => randomBytes(16).toString('hex')

const DIGITS = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))
const digit = (word: number, shift: number): number => DIGITS[(word >>> shift) & 15]!
const DASH = 45

/** By 36 character codes at once: put together of pieces, it would have to be joined by whoever looks it up. */
function uuidFrom(block: Int32Array): string {
  const a = block[0]!
  const b = (block[1]! & 0xffff0fff) | 0x4000
  const c = (block[2]! & 0x3fffffff) | 0x80000000
  const d = block[3]!
  // biome-ignore format: a part of the uuid is a line, or two.
  return String.fromCharCode(
    digit(a, 28), digit(a, 24), digit(a, 20), digit(a, 16), digit(a, 12), digit(a, 8), digit(a, 4), digit(a, 0), DASH,
    digit(b, 28), digit(b, 24), digit(b, 20), digit(b, 16), DASH,
    digit(b, 12), digit(b, 8), digit(b, 4), digit(b, 0), DASH,
    digit(c, 28), digit(c, 24), digit(c, 20), digit(c, 16), DASH,
    digit(c, 12), digit(c, 8), digit(c, 4), digit(c, 0),
    digit(d, 28), digit(d, 24), digit(d, 20), digit(d, 16), digit(d, 12), digit(d, 8), digit(d, 4), digit(d, 0),
  )
}
