import { type Run, verdictWord } from '@quipu/sdk/runs'
import type { JSX } from 'preact'
import { gainText, UNKNOWN } from '../../format/amounts.ts'

/** A run that has not ended after a day was killed. */
const LOST_AFTER_MS = 86_400_000

export const shownVerdict = (run: Run): Run['verdict'] =>
  run.verdict === 'running' && Date.now() - Date.parse(run.started_at) > LOST_AFTER_MS
    ? 'stopped'
    : run.verdict

export const Verdict = ({ run }: { readonly run: Run }): JSX.Element => (
  <span class={`verdict ${shownVerdict(run)}`}>{verdictWord({ verdict: shownVerdict(run) })}</span>
)

export const colorOf = (amount: number): string => (amount > 0 ? 'up' : amount < 0 ? 'down' : '')

export const Gain = ({ of: amount }: { readonly of: number }): JSX.Element => (
  <span class={`n ${colorOf(amount)}`}>{gainText(amount.toFixed(2))}</span>
)

export const fallText = (fraction: number): string =>
  fraction < 0.00005 ? '0.00 %' : `−${(fraction * 100).toFixed(2)} %`

export const sharpeText = (sharpe: number | undefined): string =>
  sharpe?.toFixed(2).replace('-', '−') ?? UNKNOWN

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'America/New_York',
  day: 'numeric',
  month: 'short',
  year: '2-digit',
})

/** A run of whole days ends at the midnight after its last day. */
export function periodText({ from, to }: Run): string {
  const lastMs = Math.max(Date.parse(from), Date.parse(to) - 1)
  const [first, last] = [dayFormat.format(new Date(from)), dayFormat.format(new Date(lastMs))]
  return first === last ? first : `${first} – ${last}`
}

export const tookText = (ms: number): string =>
  ms < 60_000 ? `${Math.max(1, Math.round(ms / 1000))} s` : `${Math.round(ms / 60_000)} min`
