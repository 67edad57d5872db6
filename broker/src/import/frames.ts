import { type BarFrame, missing, parseFrame } from '@quipu/core'
import { valueAt } from '../market/store/index.ts'
import type { Batch } from './batch.ts'
import { ImportUsage } from './failures.ts'

const UNITS: Readonly<Record<BarFrame['unit'], string>> = {
  minute: 'Min',
  hour: 'Hour',
  day: 'Day',
  week: 'Week',
  month: 'Month',
}

/** A frame in the spelling of the store: `5T` is `5Min`. Throws ImportUsage. */
export function frameNamed(text: string): string {
  const frame = parseFrame(text)
  if (!frame.ok)
    throw new ImportUsage(`--frame: expected 1Min, 5Min, 1Hour, 1Day, 1Week or 1Month, received ${text}`)
  return `${frame.value.count}${UNITS[frame.value.unit]}`
}

/** A frame in one of the spellings of files and file names. */
export function looseFrame(text: string): string | undefined {
  const exact = parseFrame(text)
  if (exact.ok) return frameNamed(text)
  const match =
    /^(\d*)\s*(m|min|mins|minute|minutes|h|hr|hour|hours|hourly|d|day|days|daily|w|wk|week|weekly|mo|month|monthly)$/i.exec(
      text,
    )
  if (!match) return undefined
  const letter = match[2]!.toLowerCase()
  const unit = letter.startsWith('mo') ? 'Month' : { m: 'Min', h: 'Hour', d: 'Day', w: 'Week' }[letter[0]!]!
  const named = `${match[1] || '1'}${unit}`
  return parseFrame(named).ok ? named : undefined
}

/** The period column of Stooq: minutes, or `D`, `W`, `M`. */
export const periodFrame = (period: string): string | undefined =>
  /^\d+$/.test(period)
    ? secondsFrame(Number(period) * 60)
    : { D: '1Day', W: '1Week', M: '1Month' }[period.toUpperCase()]

/** One of this many steps must have a length for that length to be common. */
const SHARE = 5
const HOUR = 3600
const DAY = 24 * HOUR

/** The smallest common step between rows of one symbol; undefined if there is none or it is not a frame. */
export function importFrame({ rows, symbols }: Batch): string | undefined {
  const last = new Map<number, number>()
  const steps = new Map<number, number>()
  let count = 0
  for (let row = 0; row < rows.count; row++) {
    const at = valueAt(rows.micros, row)
    const symbol = symbols[row] ?? missing('a row')
    const before = last.get(symbol)
    last.set(symbol, at)
    const step = Math.round(Math.abs(at - (before ?? at)) / 1e6)
    if (step === 0) continue
    steps.set(step, (steps.get(step) ?? 0) + 1)
    count++
  }
  const common = [...steps].filter(([, times]) => times * SHARE >= count).map(([step]) => step)
  return secondsFrame(Math.min(...common))
}

/** Days have 23 to 25 hours, and may be separated by weekends and holidays; months have 28 to 31 days. */
function secondsFrame(seconds: number): string | undefined {
  const days = Math.round(seconds / DAY)
  if (!Number.isFinite(seconds)) return undefined
  if (seconds < HOUR) return seconds % 60 === 0 ? looseFrame(`${seconds / 60}Min`) : undefined
  if (seconds < 23 * HOUR) return seconds % HOUR === 0 ? looseFrame(`${seconds / HOUR}Hour`) : undefined
  if (days <= 5) return '1Day'
  if (days <= 8) return '1Week'
  if (days >= 28 && days <= 31) return '1Month'
  const months = Math.round(days / 30.44)
  return [2, 3, 4, 6, 12].includes(months) ? `${months}Month` : undefined
}
