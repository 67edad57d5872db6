import { hash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { NotApplied } from '../journal/not-applied.ts'

const hashNow = promisify(scrypt) as (
  password: string,
  salt: Buffer,
  bytes: number,
  cost: { N: number; r: number; p: number },
) => Promise<Buffer>

/**
 * Node runs hashes on its four threads for files, which also sync the journal, so without a limit sign-ins hold up orders.
 * Two cores keep one for orders: beside 55 sign-ins the median order takes 1.3 times as long as alone, with two hashes at
 * a time 2.3 to 3.8 times.
 */
export const HASHES_AT_ONCE = availableParallelism() < 4 ? 1 : 2
let running = 0

/** Known users go first: browsers that signed in before, and operators who set passwords. */
export type Turn = 'known' | 'stranger'
const waiting: Record<Turn, (() => void)[]> = { known: [], stranger: [] }

/** Maximum checks of each kind that wait: a few seconds of work. Strangers must not make everybody wait longer. */
export const CHECKS_WAITING_MAX = 40

async function scryptAsync(turn: Turn, ...hash: Parameters<typeof hashNow>): Promise<Buffer> {
  if (running === HASHES_AT_ONCE) await new Promise<void>((resolve) => waiting[turn].push(resolve))
  else running += 1
  try {
    return await hashNow(...hash)
  } finally {
    const next = waiting.known.shift() ?? waiting.stranger.shift()
    if (next) next()
    else running -= 1
  }
}

const COST = { N: 16_384, r: 8, p: 1 } as const
const BYTES = 32

/** Hashes a password with scrypt, because people choose weak passwords. The empty hash matches no password. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const digest = await scryptAsync('known', password, salt, BYTES, COST)
  return `scrypt:${COST.N}:${salt.toString('base64url')}:${digest.toString('base64url')}`
}

/** Hashes a generated password. It is random like the secret of an API key, so a fast hash protects it as well. */
export const hashGeneratedPassword = (password: string): string =>
  `sha256:${hash('sha256', password, 'base64url')}`

/** Checked for unknown users, so that they take as long as known ones. No password matches it. */
export const DUMMY_HASH = `scrypt:${COST.N}:${'A'.repeat(22)}:${'A'.repeat(43)}`

/** Fails with NotApplied while too many checks wait. */
export async function verifyPassword(password: string, stored: string, turn: Turn): Promise<boolean> {
  const [kind, cost, salt, digest] = stored.split(':')
  if (kind === 'sha256') {
    // As slow as for other users, so that the time does not show which users exist.
    await verifyPassword(password, DUMMY_HASH, turn)
    return timingSafeEqual(Buffer.from(hashGeneratedPassword(password)), Buffer.from(stored))
  }
  if (kind !== 'scrypt' || !salt || !digest) return false
  if (waiting[turn].length >= CHECKS_WAITING_MAX) throw new NotApplied('queueFull')
  const expected = Buffer.from(digest, 'base64url')
  const actual = await scryptAsync(turn, password, Buffer.from(salt, 'base64url'), expected.length, {
    ...COST,
    N: Number(cost),
  })
  return timingSafeEqual(actual, expected)
}
