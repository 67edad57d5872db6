import { dayKey, newYorkMs } from '../format/times.ts'
import type { Start } from './sentence.ts'

/** What a sentence knows about the time of the world. */
export type Moment = { readonly now: number; readonly speed: number; readonly nextOpenMs: number }

const MINUTE_MS = 60_000
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: MINUTE_MS, h: 60 * MINUTE_MS }

/** When an event of a sentence begins: prices of the next two minutes may already be sent. */
export function beginOf(start: Start, { now, speed }: Moment): number {
  if ('at' in start) return timeOfDay(start.at, now)
  const earliest = Math.floor((now + (120 + 2 * speed) * 1000) / MINUTE_MS) * MINUTE_MS
  const wanted = now + Number(start.in.slice(0, -1)) * (UNIT_MS[start.in.slice(-1)] ?? 0)
  return Math.max(Math.floor(wanted), earliest)
}

/** The instant of a time such as `9:45` on the day of the world. */
export const timeOfDay = (time: string, now: number): number => newYorkMs(dayKey(now), time.padStart(5, '0'))
