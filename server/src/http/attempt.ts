import type { Subject } from '../access/failed-attempts.ts'
import { refuse } from '../wire/refusal.ts'
import { clientAddress } from './client-address.ts'
import type { Context } from './context.ts'

/** What is thrown where an attempt must wait: an answer of status 429 with these headers. */
export type TooMany = (headers: readonly string[]) => Error

/** `wrong` throws where the limits are reached. */
export type Attempt = { right(): void; wrong(): void }

const tooManyFailedAttempts: TooMany = (headers) => refuse({ code: 'tooManyFailedAttempts' }, headers)

/**
 * Begins to look at a secret. One that Quipu made is never refused because of failures; a wrong one beyond the limits
 * gets 429. One that a person chose must wait where the limits of its name are reached, right or wrong. Without a subject, as with
 * a link that signs someone in, only the address counts. `browser`: see FailedAttempts.
 */
export function attempt(
  { services: { failedAttempts, trustProxy }, request }: Context,
  subject?: Subject,
  tooMany: TooMany = tooManyFailedAttempts,
  browser?: string,
): Attempt {
  const address = clientAddress(request, trustProxy)
  const isChosen = subject?.kind === 'user' || subject?.kind === 'key'
  if (isChosen) assertInTime(failedAttempts.waitSeconds(address, subject, browser), tooMany)
  const { right, wrong } = failedAttempts.begin(address, subject, browser)
  return { right, wrong: () => assertInTime(wrong(), tooMany) }
}

/** Begins to look at the secret of a key: one that Quipu made, or one that a person chose. */
export function attemptWithKey(context: Context, keyId: string): Attempt {
  const isChosen = context.services.worlds.credentials.chosenKey(keyId) !== undefined
  return attempt(context, { kind: isChosen ? 'key' : 'machine', keyId })
}

function assertInTime(waitSeconds: number, tooMany: TooMany): void {
  if (waitSeconds > 0) throw tooMany(['Retry-After', String(waitSeconds)])
}
