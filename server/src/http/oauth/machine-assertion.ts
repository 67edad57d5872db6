import type { Instant, Key, UsedAssertion } from '@quipu/core'
import type { JWTPayload } from 'jose'
import { digestOf } from '../../access/credentials.ts'
import { ALGORITHMS, keyFrom } from '../../access/public-key.ts'
import { isLoopback } from '../../config/settings.table.ts'
import type { Context } from '../context.ts'
import { publicUrlOf } from '../host.ts'
import { machineRefused } from './machine-refusals.ts'

/** How far two clocks may be apart. */
const TOLERANCE_S = 30
/** An assertion lasts this long at most: so long it is remembered. */
const LIFE_MAX_S = 3600
const JTI_MAX = 256

/**
 * What an assertion is once it is known to be signed with the other half of this key, meant for this place, and good
 * now, by the machine's clock. Nothing where the signature is not the key's; a claim that is wrong is told, because
 * whoever signed may know.
 */
export async function verified(
  assertion: string,
  { id, publicKey = '' }: Key,
  context: Context,
): Promise<UsedAssertion | undefined> {
  // Most servers never see one: the library is loaded with the first.
  const { errors, jwtVerify } = await import('jose')
  try {
    const { payload } = await jwtVerify(assertion, keyFrom(publicKey), {
      algorithms: [...ALGORITHMS],
      issuer: id,
      subject: id,
      audience: [...audiencesOf(context)],
      requiredClaims: ['iat', 'exp', 'jti'],
      clockTolerance: TOLERANCE_S,
    })
    return usedOf(id, payload, Date.now())
  } catch (error) {
    if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired)
      throw claimRefused(error.claim, audiencesOf(context)[0])
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
    throw error
  }
}

function usedOf(keyId: string, { exp = 0, iat = 0, jti }: JWTPayload, nowMs: number): UsedAssertion {
  const nowS = nowMs / 1000
  if (exp > nowS + LIFE_MAX_S + TOLERANCE_S) throw claimRefused('exp')
  if (iat > nowS + TOLERANCE_S) throw claimRefused('iat')
  if (typeof jti !== 'string' || jti === '' || jti.length > JTI_MAX) throw claimRefused('jti')
  return {
    digest: digestOf(`${keyId} ${jti}`),
    now: instantOf(nowS),
    expiresAt: instantOf(exp + TOLERANCE_S),
  }
}

const instantOf = (seconds: number): Instant => (BigInt(Math.ceil(seconds)) * 1_000_000_000n) as Instant

const expected: Readonly<Record<string, string>> = {
  exp: `within ${LIFE_MAX_S} seconds from now, and not over`,
  iat: 'when it was made, in seconds since 1970, and not in the future',
  jti: 'a text of its own for each assertion',
  iss: 'the key id',
}

function claimRefused(claim: string, audience = ''): Error {
  const wanted = claim === 'aud' ? audience : expected[claim]
  const description = wanted === undefined ? `${claim} is not as expected` : `${claim}: expected ${wanted}`
  return machineRefused('token_claim', { description, fields: [claim] })
}

/**
 * What an assertion may be meant for: the token endpoint as the world knows it, its issuer, and, for programs on the
 * same machine, the address by which they reached it.
 */
function audiencesOf({ services, request }: Context): readonly [string, ...string[]] {
  const url = publicUrlOf(services)
  const { host } = request.headers
  const address = request.socket.remoteAddress?.replace('::ffff:', '') ?? ''
  const near = host !== undefined && isLoopback(address) ? [`http://${host}`, `https://${host}`] : []
  const places = [url, ...near].flatMap((place) => [`${place}/v1/oauth2/token`, `${place}/v1`])
  return places as [string, ...string[]]
}
