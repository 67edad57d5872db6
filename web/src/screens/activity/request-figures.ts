import type { LoggedRequest } from '@quipu/sdk'

/** A column of the histogram: responses that took at least `fromMs` and less than the next column. */
export type LatencyColumn = { readonly fromMs: number; readonly count: number; readonly errors: number }

/** The columns are about as wide as they are far from zero. */
export const LATENCY_STEPS_MS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] as const

export const isError = ({ status }: Pick<LoggedRequest, 'status'>): boolean => (status ?? 500) >= 400

export function latencyColumns(rows: readonly LoggedRequest[]): readonly LatencyColumn[] {
  const columns = LATENCY_STEPS_MS.map((fromMs) => ({ fromMs, count: 0, errors: 0 }))
  for (const request of rows) {
    const column = columns.findLast(({ fromMs }) => request.ms >= fromMs) ?? columns[0]!
    column.count += 1
    if (isError(request)) column.errors += 1
  }
  return columns
}

/** The time within which this share of the responses was sent; undefined without a response. */
export function latencyAt(rows: readonly LoggedRequest[], share: number): number | undefined {
  const sorted = rows.map(({ ms }) => ms).sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]
}

/** The requests of one credential, or of those without one. */
export type CallerFigures = {
  readonly source: NonNullable<LoggedRequest['source']>
  readonly keyId: string | undefined
  readonly count: number
  readonly errors: number
  /** Requests of each minute, oldest first, up to the newest request of all callers. */
  readonly perMinute: readonly number[]
}

type Growing = Omit<CallerFigures, 'count' | 'errors' | 'perMinute'> & {
  count: number
  errors: number
  readonly perMinute: number[]
}

const MINUTE_MS = 60_000
/** Minutes of the rate; a caller that was quiet for longer has none. */
export const RATE_MINUTES = 30

/** Requests by caller, the busiest first. A browser gets a new token now and then, so its tokens are one caller. */
export function callersOf(rows: readonly LoggedRequest[]): readonly CallerFigures[] {
  const newest = Math.max(0, ...rows.map(minuteOf))
  const callers = new Map<string, Growing>()
  for (const request of rows) {
    const { source = 'program', key_id: keyId } = request
    const name = source === 'dashboard' ? source : `${source} ${keyId}`
    const known: Growing = callers.get(name) ?? {
      source,
      keyId: source === 'dashboard' ? undefined : keyId,
      count: 0,
      errors: 0,
      perMinute: new Array<number>(RATE_MINUTES).fill(0),
    }
    callers.set(name, known)
    known.count += 1
    if (isError(request)) known.errors += 1
    const index = RATE_MINUTES - 1 - (newest - minuteOf(request))
    if (index >= 0) known.perMinute[index]! += 1
  }
  return [...callers.values()].sort((a, b) => b.count - a.count)
}

const minuteOf = ({ at }: LoggedRequest): number => Math.floor(Date.parse(at) / MINUTE_MS)
