import { dayKey, newYorkMs } from '../format/times.ts'

/** The lengths of a bar that the chart offers. */
export const timeframes = [
  { label: '1m', api: '1Min', seconds: 60, name: 'one-minute' },
  { label: '5m', api: '5Min', seconds: 300, name: 'five-minute' },
  { label: '15m', api: '15Min', seconds: 900, name: '15-minute' },
  { label: '1h', api: '1Hour', seconds: 3600, name: 'hourly' },
  { label: '1D', api: '1Day', seconds: 86_400, name: 'daily' },
  { label: '1W', api: '1Week', seconds: 604_800, name: 'weekly' },
] as const

export type Timeframe = (typeof timeframes)[number]

export const isIntraday = ({ seconds }: Timeframe): boolean => seconds < 86_400

/** The start of the bar that contains an instant, in milliseconds. Days of stocks are days in New York. */
export function startOf({ seconds, label }: Timeframe, atMs: number, isCrypto: boolean): number {
  if (seconds < 86_400) return atMs - (atMs % (seconds * 1000))
  const day = isCrypto ? new Date(atMs).toISOString().slice(0, 10) : dayKey(atMs)
  const noon = new Date(`${day}T12:00:00Z`)
  if (label === '1W') noon.setUTCDate(noon.getUTCDate() - ((noon.getUTCDay() + 6) % 7))
  const first = noon.toISOString().slice(0, 10)
  return isCrypto ? Date.parse(`${first}T00:00:00Z`) : newYorkMs(first, '00:00')
}
