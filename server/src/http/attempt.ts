import type { Subject } from '@quipu/broker/access/failed-attempts.ts'
import { refuse } from '../wire/refusal.ts'
import { clientAddress } from './connection/client-address.ts'
import type { Context } from './context.ts'
import { assertHeld } from './forwarding/held-world.ts'

/** Makes the error of an attempt that must wait: status 429 with these headers. */
export type TooMany = (headers: readonly string[]) => Error

/** `wrong` throws when a limit is reached. */
export type Attempt = { right(): void; wrong(): void }

const tooManyFailedAttempts: TooMany = (headers) => refuse({ code: 'tooManyFailedAttempts' }, headers)

/**
 * Begins the check of a secret. A generated secret that is right is never refused because of failed attempts. A secret
 * that a person chose, right or wrong, gets 429 when the limits of its name are reached. Without a subject, as for a
 * sign-in link, only the address is limited. `browser`: see FailedAttempts.
 */
export function attempt(
  { services, request }: Context,
  subject?: Subject,
  tooMany: TooMany = tooManyFailedAttempts,
  browser?: string,
): Attempt {
  const { security, settings } = services
  const address = clientAddress(request, settings.trustProxy)
  const { failedAttempts } = security
  const isChosen = subject?.kind === 'user' || subject?.kind === 'key'
  if (isChosen) assertInTime(failedAttempts.waitSeconds(address, subject, browser), tooMany)
  const { right, wrong } = failedAttempts.begin(address, subject, browser)
  return {
    right,
    wrong() {
      assertHeld(services, request)
      assertInTime(wrong(), tooMany)
    },
  }
}

/** Begins the check of a key's secret, generated or chosen by a person. */
export function attemptWithKey(context: Context, keyId: string): Attempt {
  const isChosen = context.services.worlds.access.credentials.chosenKey(keyId) !== undefined
  return attempt(context, { kind: isChosen ? 'key' : 'machine', keyId })
}

function assertInTime(waitSeconds: number, tooMany: TooMany): void {
  if (waitSeconds > 0) throw tooMany(['Retry-After', String(waitSeconds)])
}
