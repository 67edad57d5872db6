import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const scryptAsync = promisify(scrypt) as (
  password: string,
  salt: Buffer,
  bytes: number,
  cost: { N: number; r: number; p: number },
) => Promise<Buffer>
const COST = { N: 16_384, r: 8, p: 1 } as const
const BYTES = 32

/** Hashes a password with scrypt, because people choose weak passwords. The empty hash matches no password. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const digest = await scryptAsync(password, salt, BYTES, COST)
  return `scrypt:${COST.N}:${salt.toString('base64url')}:${digest.toString('base64url')}`
}

/** Checked for unknown users, so that they take as long as known ones. No password matches it. */
export const DUMMY_HASH = `scrypt:${COST.N}:${'A'.repeat(22)}:${'A'.repeat(43)}`

export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [kind, cost, salt, digest] = stored.split(':')
  if (kind !== 'scrypt' || !salt || !digest) return false
  const expected = Buffer.from(digest, 'base64url')
  const actual = await scryptAsync(password, Buffer.from(salt, 'base64url'), expected.length, {
    ...COST,
    N: Number(cost),
  })
  return timingSafeEqual(actual, expected)
}
