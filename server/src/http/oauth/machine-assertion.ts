import { digestOf } from '@quipu/broker/access/credentials.ts'
import { ALGORITHMS, keyFrom } from '@quipu/broker/access/public-key.ts'
import type { Instant, Key, UsedAssertion } from '@quipu/core'
import { instantOfSeconds } from '@quipu/core/values'
import type { JWTPayload } from 'jose'
import { isLoopback } from '../../config/reach.ts'
import { clientAddress } from '../connection/client-address.ts'
import { publicUrlOf } from '../connection/host.ts'
import type { Context } from '../context.ts'
import { machineError } from './machine-errors.ts'

/** The allowed difference between two clocks. */
const TOLERANCE_S = 30
/** The longest validity of an assertion; used assertions are remembered for this time. */
const VALIDITY_MAX_S = 3600
const JTI_MAX = 256

/**
 * Verifies the signature, audience and validity of an assertion, by the wall clock. Returns undefined for a wrong
 * signature. A wrong claim is named in the error, because the sender has proved that it has the key.
 */
export async function verifyAssertion(
  assertion: string,
  { id, publicKey = '' }: Key,
  context: Context,
): Promise<UsedAssertion | undefined> {
  // Loaded with the first assertion, because most servers never receive one.
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
    return usedAssertionOf(id, payload, Date.now())
  } catch (error) {
    if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired)
      throw claimRefused(error.claim, audiencesOf(context)[0])
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
    throw error
  }
}

function usedAssertionOf(keyId: string, { exp = 0, iat = 0, jti }: JWTPayload, nowMs: number): UsedAssertion {
  const nowS = nowMs / 1000
  if (exp > nowS + VALIDITY_MAX_S + TOLERANCE_S) throw claimRefused('exp')
  if (iat > nowS + TOLERANCE_S) throw claimRefused('iat')
  if (typeof jti !== 'string' || jti === '' || jti.length > JTI_MAX) throw claimRefused('jti')
  return {
    digest: digestOf(`${keyId} ${jti}`),
    now: instantOf(nowS),
    expiresAt: instantOf(exp + TOLERANCE_S),
  }
}

const instantOf = (seconds: number): Instant => instantOfSeconds(Math.ceil(seconds))

const expected: Readonly<Record<string, string>> = {
  exp: `a time in the future, at most ${VALIDITY_MAX_S} seconds from now`,
  iat: 'the time of signing in seconds since 1970, not in the future',
  jti: 'a text that is unique for each assertion',
  iss: 'the key id',
}

function claimRefused(claim: string, audience = ''): Error {
  const rule = claim === 'aud' ? audience : expected[claim]
  const description = rule === undefined ? `${claim} is not as expected` : `${claim}: expected ${rule}`
  return machineError('token_claim', { description, fields: [claim] })
}

/**
 * The audiences that an assertion may name: the public URL of the token endpoint, the issuer, and, for programs on the
 * same machine, the address of the request.
 */
function audiencesOf({ services, request }: Context): readonly [string, ...string[]] {
  const url = publicUrlOf(services)
  const { host } = request.headers
  // Behind a proxy on this machine, every connection has a loopback address.
  const address = clientAddress(request, services.settings.trustProxy).replace('::ffff:', '')
  const local = host !== undefined && isLoopback(address) ? [`http://${host}`, `https://${host}`] : []
  const audiences = [url, ...local].flatMap((base) => [`${base}/v1/oauth2/token`, `${base}/v1`])
  return audiences as [string, ...string[]]
}
