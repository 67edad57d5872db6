import type { ObservedRefusal } from '../gateway/traffic.ts'

/** Refused requests with one cause. Method, path and message are those of the first one. */
export type RefusedRequests = Omit<ObservedRefusal, 'requestId' | 'reason'> & {
  /** The name of the error (docs/reference/errors.md), or its status if the broker gave none. */
  readonly cause: string
  readonly count: number
}

type Refused = { readonly refusals: readonly RefusedRequests[]; readonly lookups_not_found: number }

/** The refused requests by cause. A lookup that found nothing is not a refusal. */
export function refusedByCause(observed: readonly ObservedRefusal[]): Refused {
  const refused = observed.filter((one) => !isLookup(one))
  const groups = Map.groupBy(refused, (one) => `${one.method} ${causeOf(one)}`)
  const refusals = [...groups.values()].map((group) => {
    const { requestId: _, reason: __, ...first } = group[0]!
    return { ...first, cause: causeOf(group[0]!), count: group.length }
  })
  return { refusals, lookups_not_found: observed.length - refused.length }
}

const isLookup = ({ method, status, reason }: ObservedRefusal): boolean =>
  method === 'GET' && status === 404 && reason !== 'endpointNotFound'

/** Without a name, the message separates the causes. */
const causeOf = ({ reason, status, message }: ObservedRefusal): string => reason ?? `${status} ${message}`
