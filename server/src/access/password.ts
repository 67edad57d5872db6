import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const slow = promisify(scrypt) as (
  password: string,
  salt: Buffer,
  bytes: number,
  cost: { N: number; r: number; p: number },
) => Promise<Buffer>
const COST = { N: 16_384, r: 8, p: 1 } as const
const BYTES = 32

/** A person's password, made slow to guess: people choose them. Nobody signs in with the empty digest. */
export async function slowDigest(password: string): Promise<string> {
  const salt = randomBytes(16)
  const digest = await slow(password, salt, BYTES, COST)
  return `scrypt:${COST.N}:${salt.toString('base64url')}:${digest.toString('base64url')}`
}

/** Looked at where there is nobody, because that takes as long. No password leads to it. */
export const nobodysPassword = `scrypt:${COST.N}:${'A'.repeat(22)}:${'A'.repeat(43)}`

export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [kind, cost, salt, digest] = stored.split(':')
  if (kind !== 'scrypt' || !salt || !digest) return false
  const wanted = Buffer.from(digest, 'base64url')
  const given = await slow(password, Buffer.from(salt, 'base64url'), wanted.length, {
    ...COST,
    N: Number(cost),
  })
  return timingSafeEqual(given, wanted)
}
