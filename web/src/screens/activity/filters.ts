import { computed } from '@preact/signals'
import type { Call } from '@quipu/sdk'
import { hrefOf, place, setQuery } from '../../router.ts'

export const tabs = ['requests', 'events', 'risk', 'streams', 'jobs'] as const
export type Tab = (typeof tabs)[number]

/** The filters of the lists; they are part of the address. */
export type Filters = {
  readonly method: string | undefined
  /** `errors`, `server-errors`, or a status. */
  readonly status: string | undefined
  /** The beginning of the path. */
  readonly path: string | undefined
  /** The id of an account. */
  readonly by: string | undefined
  /** The kind of program that sent the request. */
  readonly source: string | undefined
  /** The kind of an event. */
  readonly kind: string | undefined
  /** `all`: also what dashboards read by themselves, and requests that read or move a clock. */
  readonly show: string | undefined
}

const names = ['method', 'status', 'path', 'by', 'source', 'kind', 'show'] as const

export const tab = computed<Tab>(() => {
  const named = place.value.query.get('tab')
  return tabs.find((one) => one === named) ?? 'requests'
})

export const filters = computed<Filters>(
  () => Object.fromEntries(names.map((name) => [name, place.value.query.get(name) ?? undefined])) as Filters,
)

export const setFilters = (change: Partial<Filters>): void => setQuery(change)
export const chooseTab = (chosen: Tab): void => setQuery({ tab: chosen === 'requests' ? undefined : chosen })

/** The address of a request, with the tab and the filters of the list. */
export const requestHref = (id: string | undefined): string =>
  hrefOf('activity', id, { ...filters.peek(), tab: place.peek().query.get('tab') ?? undefined })

type RequestsQuery = NonNullable<Call<'listRequests'>['query']>

export function requestsQuery({ method, status, path, by, source }: Filters): RequestsQuery {
  return {
    ...(method !== undefined && { method: method as RequestsQuery['method'] }),
    ...statusQuery(status),
    ...(path !== undefined && { path }),
    ...(by !== undefined && { account_id: by }),
    ...(source !== undefined && { source: source as RequestsQuery['source'] }),
  } as RequestsQuery
}

function statusQuery(status: string | undefined): object {
  if (status === undefined) return {}
  if (status === 'errors') return { status_min: 400 }
  return status === 'server-errors' ? { status_min: 500 } : { status: Number(status) }
}

type EventsQuery = NonNullable<Call<'listEvents'>['query']>

export const eventsQuery = ({ by, kind }: Filters): EventsQuery =>
  ({
    ...(by !== undefined && { account_id: by }),
    ...(kind !== undefined && { kind: [kind] }),
  }) as EventsQuery
