import type { RequestId, TokenizationRequest } from '@quipu/core'
import type { World } from '../../world/world.ts'

/** An issuer's first word on a request; without a refusal it is a yes, or none came in time. */
export type Verdict = { readonly refusal?: string }

/** The issuer will say something soon; of a request that is held it will not. */
export const isUndecided = ({ status, held }: TokenizationRequest): boolean =>
  !held && (status === 'received' || status === 'validating')

const goesOn: ReadonlySet<string> = new Set(['mintAccepted', 'jobFailed', 'requestHeld'])

/**
 * Resolves when the issuer's word is durable, when the issuer could not be reached or is not asked, or when the time
 * is over. Listens from the moment it is called.
 */
export function verdictOn(world: World, requestId: RequestId, waitMs: number): Promise<Verdict> {
  return new Promise((resolve) => {
    const end = (verdict: Verdict): void => {
      clearTimeout(timer)
      stop()
      resolve(verdict)
    }
    const timer = setTimeout(end, waitMs, {})
    const stop = world.listen((events) => {
      for (const { event } of events) {
        if (!('requestId' in event) || event.requestId !== requestId) continue
        if (event.kind === 'mintRejected') return end({ refusal: event.reason })
        if (goesOn.has(event.kind)) return end({})
      }
    })
  })
}
