import { ImportUsage } from './failures.ts'

const QUARTER = 900
const DAY_SECONDS = 86_400

/** What a quarter of an hour on a zone's clocks is in UTC; `later` where clocks show it a second time. */
type Quarter = { readonly offset: number; readonly later?: number }

/**
 * The clocks of a place, by the time zone data that Node carries; the machine's own zone plays no part. What clocks
 * skip in spring counts as long after the change as it would have been. What they show twice in autumn is the first
 * time, unless the row before was later already: then it is the second.
 */
export class Zone {
  readonly name: string
  readonly #format: Intl.DateTimeFormat
  readonly #quarters = new Map<number, Quarter>()
  #last = Number.NEGATIVE_INFINITY

  constructor(name: string) {
    this.name = name
    try {
      this.#format = new Intl.DateTimeFormat('en-US', {
        timeZone: name,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      })
    } catch {
      throw new ImportUsage(
        `--timezone: ${name} is not known; expected a name such as America/New_York or UTC`,
      )
    }
  }

  /** Seconds since 1970 in UTC from seconds since 1970 as the clocks of the zone show them. */
  toUtc(local: number): number {
    const key = Math.floor(local / QUARTER)
    const known = this.#quarters.get(key)
    const quarter = known ?? this.#quarter(key * QUARTER)
    if (!known) this.#quarters.set(key, quarter)
    const first = local - quarter.offset
    const isSecond = quarter.later !== undefined && this.#last > first && this.#last <= local - quarter.later
    this.#last = isSecond ? local - quarter.later! : first
    return this.#last
  }

  #quarter(local: number): Quarter {
    const [before, after] = [this.#offsetAt(local - DAY_SECONDS), this.#offsetAt(local + DAY_SECONDS)]
    const fits = (offset: number): boolean => this.#offsetAt(local - offset) === offset
    if (before === after || !fits(after)) return { offset: before }
    if (!fits(before)) return { offset: after }
    // The larger offset is the earlier instant.
    return { offset: Math.max(before, after), later: Math.min(before, after) }
  }

  /** Seconds that the clocks are ahead of UTC. */
  #offsetAt(utc: number): number {
    const parts = new Map(
      this.#format.formatToParts(utc * 1000).map(({ type, value }) => [type, Number(value)]),
    )
    const [year, month, day] = [parts.get('year')!, parts.get('month')!, parts.get('day')!]
    const [hour, minute, second] = [parts.get('hour')!, parts.get('minute')!, parts.get('second')!]
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - utc
  }
}
