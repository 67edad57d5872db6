import type { Attempt, Subject } from '../guesses.ts'
import { clientAddress } from './client-address.ts'
import type { Context } from './context.ts'
import { refuse } from './refusal.ts'

/** What is thrown where nobody is listened to: an answer of status 429 with these headers. */
export type TooMany = (headers: readonly string[]) => Error

const tooManyGuesses: TooMany = (headers) => refuse({ code: 'tooManyGuesses' }, headers)

/**
 * Begins to look at a secret; throws where this address, or this subject, has to wait. Without a subject, as with a
 * link that signs someone in, only the address counts.
 */
export function attempt(
  { services: { guesses, trustProxy }, request }: Context,
  subject?: Subject,
  tooMany: TooMany = tooManyGuesses,
): Attempt {
  const address = clientAddress(request, trustProxy)
  const waitSeconds = guesses.waitSeconds(address, subject)
  if (waitSeconds > 0) throw tooMany(['Retry-After', String(waitSeconds)])
  return guesses.begin(address, subject)
}
