import { entryIn } from '@quipu/core/values'
import { ImportUsage } from './failures.ts'

const QUARTER = 900
const DAY_SECONDS = 86_400

/** The UTC offset for one local quarter-hour; `later` is the second offset if that time occurs twice. */
type Quarter = { readonly offset: number; readonly later?: number }

/**
 * An IANA time zone, from the data in Node; the time zone of the machine is not used. A local time that a clock change
 * skips uses the offset before the change. A repeated local time is the first one, unless the previous row is later.
 */
export class ImportZone {
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
        `--timezone: unknown time zone ${name}; expected a name such as America/New_York or UTC`,
      )
    }
  }

  /** Converts local seconds since 1970 to UTC seconds since 1970. */
  toUtc(local: number): number {
    const key = Math.floor(local / QUARTER)
    const known = this.#quarters.get(key)
    const quarter = known ?? this.#quarter(key * QUARTER)
    if (!known) this.#quarters.set(key, quarter)
    const first = local - quarter.offset
    const second = local - (quarter.later ?? 0)
    const isSecond = quarter.later !== undefined && this.#last > first && this.#last <= second
    this.#last = isSecond ? second : first
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

  /** Seconds that local time is ahead of UTC. */
  #offsetAt(utc: number): number {
    const parts = new Map(
      this.#format.formatToParts(utc * 1000).map(({ type, value }) => [type, Number(value)]),
    )
    const [year, month, day] = [entryIn(parts, 'year'), entryIn(parts, 'month'), entryIn(parts, 'day')]
    const [hour, minute, second] = [
      entryIn(parts, 'hour'),
      entryIn(parts, 'minute'),
      entryIn(parts, 'second'),
    ]
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - utc
  }
}
