import type { StepClock } from './step-clock.ts'

type Zoned = { readonly prototype: object }

/**
 * Clocks beside `Date` follow the world too: those that never go back, and the present of `Intl`. A program measures a
 * wait by any of them.
 */
export function useOtherClocks(clock: StepClock): void {
  const start = clock.now()
  const passedMs = (): number => clock.read() - start
  setValue(performance, 'now', () => passedMs())
  setValue(performance, 'timeOrigin', start)
  const [startedAfterS, startNs] = [process.uptime(), process.hrtime.bigint()]
  const uptime = (): number => startedAfterS + passedMs() / 1000
  const nanoseconds = (): bigint => startNs + BigInt(Math.round(passedMs() * 1000)) * 1000n
  const { hrtime } = process
  const worldHrtime = (since?: [number, number]): [number, number] => {
    // Refuses what is no pair.
    if (since !== undefined) hrtime(since)
    const now = nanoseconds()
    const passed = since === undefined ? now : now - BigInt(since[0]) * 1_000_000_000n - BigInt(since[1])
    const seconds = passed >= 0n ? passed / 1_000_000_000n : (passed - 999_999_999n) / 1_000_000_000n
    return [Number(seconds), Number(passed - seconds * 1_000_000_000n)]
  }
  setValue(process, 'uptime', uptime)
  setValue(process, 'hrtime', Object.assign(worldHrtime, { bigint: nanoseconds }))
  usePresent(Intl.DateTimeFormat, () => Math.floor(clock.read()))
}

/** What `Intl` formats without a date is the time of the world. */
function usePresent({ prototype }: Zoned, now: () => number): void {
  type Format = (date?: Date | number) => unknown
  const format = Object.getOwnPropertyDescriptor(prototype, 'format')!
  Object.defineProperty(prototype, 'format', {
    ...format,
    get(this: unknown) {
      const real = format.get!.call(this) as Format
      return (date?: Date | number) => real(date === undefined ? now() : date)
    },
  })
  const { formatToParts } = prototype as { readonly formatToParts: Format }
  setValue(prototype, 'formatToParts', function worldParts(this: unknown, date?: Date | number) {
    return formatToParts.call(this, date === undefined ? now() : date)
  })
}

const setValue = (holder: object, name: string, value: unknown): void => {
  Object.defineProperty(holder, name, { value, writable: true, configurable: true, enumerable: true })
}
